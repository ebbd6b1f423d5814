/* SPDX-License-Identifier: Apache-2.0 */
/* Runs ONNX's own operator tests (Debian's libonnx-testdata): conformance [NAME...] runs those whose path contains a
 * name. One line per test, passed, failed, unsupported or wrong-data with a reason; the last line counts them. Failing
 * tests give exit code 1. The folder is GIG_ONNX_TESTS or /usr/share/libonnx-testdata/data. */
#include "case.h"
#include "internal/model.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum verdict { PASSED, FAILED, UNSUPPORTED, WRONG_DATA } verdict;

/* Whose outputs were made by letting int8 wrap around (-236 became 20), where ONNX says that QLinearMatMul saturates;
 * fixed in ONNX in 2026. The same products of uint8 are judged. */
static const char *const wrong_data[] = {
    "node/test_qlinearmatmul_2D_int8_float16", "node/test_qlinearmatmul_2D_int8_float32",
    "node/test_qlinearmatmul_3D_int8_float16", "node/test_qlinearmatmul_3D_int8_float32"};

static int has_wrong_data(const char *name)
{
    for (size_t i = 0; i < sizeof wrong_data / sizeof *wrong_data; i++)
        if (!strcmp(name, wrong_data[i])) return 1;
    return 0;
}

/* Whether a network can be asked: there is a real input and its numbers are finite (others are refused as points). */
static int has_point(const gig_model *model, const test_tensors *inputs)
{
    int point = case_point(model);
    if (point < 0) return 0;
    for (size_t k = 0; k < gig_tensor_count(&inputs->tensors[point]); k++)
        if (!isfinite(inputs->tensors[point].real[k])) return 0;
    return 1;
}

/* Every way the test can be run; *folded tells that no gradient could be taken. */
static gig_status run_data_set(gradient_report *report, int *folded, gig_model *model, const char *folder)
{
    test_tensors inputs, outputs = {0};
    gig_status status = test_tensors_read(&inputs, folder, "input");
    if (status == GIG_OK) status = test_tensors_read(&outputs, folder, "output");
    if (status == GIG_OK) status = case_fit(model, &inputs, &outputs);
    if (status == GIG_OK) {
        *folded = !has_point(model, &inputs);
        if (!*folded) status = run_network(report, model, &inputs, &outputs, 1);
        if (!*folded && status == GIG_OK) status = run_network(report, model, &inputs, &outputs, 0);
        if (*folded || status == GIG_EUNSUPPORTED) {
            gig_status constant = run_folded(model, &inputs, &outputs);
            if (constant != GIG_EUNSUPPORTED || *folded) status = constant, *folded = 1;
        }
    }
    test_tensors_clear(&inputs);
    test_tensors_clear(&outputs);
    return status;
}

static gig_status run_test(gradient_report *report, int *folded, const char *folder)
{
    char path[2048];
    gig_model *model;
    size_t sets = 0;
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    GIG_TRY(gig_model_load(&model, path, NULL));
    gig_status status = GIG_OK;
    for (;; sets++) {
        snprintf(path, sizeof path, "%s/test_data_set_%zu", folder, sets);
        if (status != GIG_OK || access(path, R_OK) != 0) break;
        status = run_data_set(report, folded, model, path);
    }
    gig_model_free(model);
    if (status == GIG_OK && sets == 0) return gig_fail(GIG_EFORMAT, "no data to test with");
    return status;
}

static verdict judge(const char *root, const char *name)
{
    static const char *const words[] = {"passed", "failed", "unsupported", "wrong-data"};
    char folder[1024];
    gradient_report report = {0};
    int folded = 0;
    snprintf(folder, sizeof folder, "%s/%s", root, name);
    gig_status status = run_test(&report, &folded, folder);
    verdict result = status == GIG_OK ? PASSED : status == GIG_EUNSUPPORTED ? UNSUPPORTED : FAILED;
    if (result == FAILED && has_wrong_data(name)) result = WRONG_DATA;
    const char *reason = gig_message();
    if (status != GIG_OK && !strncmp(reason, root, strlen(root))) reason += strlen(root) + 1;
    printf("%-12s %s", words[result], name);
    if (result != PASSED)
        printf(": %s", reason);
    else if (folded)
        printf(": inputs bound as constants");
    else if (report.elements || report.kinks)
        printf(": gradient of %zu elements, %zu more at kinks", report.elements, report.kinks);
    putchar('\n');
    return result;
}

static int chosen(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strstr(name, names[i])) return 1;
    return count == 0;
}

int main(int count, char **arguments)
{
    static const char *const families[] = {"node", "pytorch-converted", "pytorch-operator", "simple"};
    const char *root = getenv("GIG_ONNX_TESTS");
    int counts[4] = {0};
    if (!root) root = "/usr/share/libonnx-testdata/data";
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        char folder[1024];
        struct dirent **entries;
        snprintf(folder, sizeof folder, "%s/%s", root, families[f]);
        int found = scandir(folder, &entries, NULL, alphasort);
        if (found < 0) {
            fprintf(stderr, "conformance: cannot read %s (is libonnx-testdata installed?)\n", folder);
            return 1;
        }
        for (int i = 0; i < found; i++) {
            char name[512];
            snprintf(name, sizeof name, "%s/%s", families[f], entries[i]->d_name);
            if (entries[i]->d_name[0] != '.' && chosen(name, arguments + 1, count - 1)) counts[judge(root, name)]++;
            free(entries[i]);
        }
        free(entries);
    }
    if (counts[WRONG_DATA])
        printf("%d tests are not judged: their outputs contradict ONNX's text (conformance.c)\n", counts[WRONG_DATA]);
    printf("conformance: %d passed, %d failed, %d unsupported\n", counts[PASSED], counts[FAILED], counts[UNSUPPORTED]);
    return counts[FAILED] != 0;
}
