#include "results.h"
#include "gig/view.h"
#include "report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where pictures go ---- */

static int is_folder(const char *path)
{
    struct stat about;
    size_t bytes = strlen(path);
    return (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) || (bytes && path[bytes - 1] == '/');
}

/* Bytes of the folder that all names lie in. */
static size_t common_folder(const points *in)
{
    if (!in->count) return 0;
    size_t common = strlen(in->names[0]);
    for (size_t i = 1; i < in->count; i++) {
        size_t same = 0;
        while (same < common && in->names[i][same] == in->names[0][same]) same++;
        common = same;
    }
    while (common && in->names[0][common - 1] != '/') common--;
    return common;
}

static int exists(const char *path)
{
    return access(path, F_OK) == 0 && strncmp(path, "/dev/", 5) != 0;
}

static int refuse_existing(const char *path)
{
    usage("%s: exists already; --force overwrites it", path);
    return EXIT_IO;
}

/* The picture for one point: -o itself, or, in a folder, the name below the common folder with .png. */
int results_picture_path(char *path, size_t bytes, const results *out, const char *name)
{
    int used;
    if (out->given->out && !out->to_folder) {
        used = snprintf(path, bytes, "%s", out->given->out);
    } else {
        const char *below = out->in->from_files ? name + out->common : name;
        const char *dot = strrchr(below, '.'), *slash = strrchr(below, '/');
        int stem = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - below) : strlen(below));
        const char *folder = out->given->out ? out->given->out : ".";
        const char *bar = folder[strlen(folder) - 1] == '/' ? "" : "/";
        if (!out->given->out && slash) { /* beside the user, not in a tree of folders */
            stem -= (int)(slash + 1 - below);
            below = slash + 1;
        }
        used = snprintf(path, bytes, "%s%s%.*s.gig.png", folder, bar, stem, below);
    }
    if (used > 0 && (size_t)used < bytes) return EXIT_OK;
    usage("%s: the name of its picture is too long", name);
    return EXIT_USAGE;
}

int results_make_folders(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        if (failed) usage("%s: %s", path, strerror(errno));
        *at = '/';
        if (failed) return EXIT_IO;
    }
    return EXIT_OK;
}

/* ---- beginning ---- */

static int refuse_overwriting(const results *out)
{
    const options *given = out->given;
    if (given->force) return EXIT_OK;
    if (given->npy && exists(given->npy)) return refuse_existing(given->npy);
    if (given->npz && exists(given->npz)) return refuse_existing(given->npz);
    for (size_t i = 0; out->draws && i < out->in->count; i++) {
        char path[4200];
        int code = results_picture_path(path, sizeof path, out, out->in->names[i]);
        if (code != EXIT_OK) return code;
        if (exists(path)) return refuse_existing(path);
    }
    return EXIT_OK;
}

int results_begin(results *out, const char *command, const options *given, const points *in)
{
    *out = (results){.given = given, .in = in, .rows = json_array()};
    out->draws = given->out != NULL || (!given->npy && !given->npz && !given->json && in->from_files);
    out->to_folder = given->out && is_folder(given->out);
    out->common = common_folder(in);
    if (given->out && !out->to_folder && in->count > 1) {
        usage("%s: -o names one file for %zu pictures: give a folder (with / at its end)", command, in->count);
        return EXIT_USAGE;
    }
    if (given->out && given->tensors.count) {
        usage("%s: -o draws pictures; for --tensor use --npy or --npz", command);
        return EXIT_USAGE;
    }
    gig_sheet_format format;
    if (given->out && !out->to_folder) {
        int code = report(gig_sheet_format_of(&format, given->out));
        if (code != EXIT_OK) return EXIT_USAGE;
    }
    return refuse_overwriting(out);
}

/* The array for all points: [n, H, W, channels or 1], or the tensor's own shape. */
int results_open(results *out, const subject *of, const gig_method *method)
{
    out->of = of;
    out->method = method;
    if (!out->given->npy && !out->given->npz) return EXIT_OK;
    int64_t dims[GIG_MAX_RANK] = {(int64_t)out->in->count}, point[GIG_MAX_RANK];
    int rank = subject_dims(of, point) + 1;
    for (int i = 1; i < rank && i < GIG_MAX_RANK; i++) dims[i] = point[i - 1];
    if (gig_method_per_pixel(method)) {
        gig_picture_shape shape = subject_shape(of);
        rank = 4;
        dims[1] = (int64_t)shape.height;
        dims[2] = (int64_t)shape.width;
        dims[3] = 1;
    }
    return report(gig_tensor_create(&out->all, GIG_REAL, rank, dims));
}

/* ---- one result ---- */

/* As --baseline names it. */
static const char *baseline_text(char *text, size_t bytes, const options *given, const gig_method *method)
{
    static const char *const names[] = {"black", "white", "black+white", "random", "blur", "mean"};
    if (method->baseline == GIG_BASELINE_GIVEN)
        output_name(text, bytes, given->baseline);
    else if (method->baseline == GIG_BASELINE_RANDOM)
        snprintf(text, bytes, "random:%zu", method->baseline_count);
    else if (method->baseline == GIG_BASELINE_BLUR)
        snprintf(text, bytes, "blur:%g", method->baseline_sigma);
    else
        snprintf(text, bytes, "%s", names[method->baseline]);
    return text;
}

/* Everything that decided the result and does not stand beside it. The method's canonical name leaves out defaults. */
static json_t *options_json(const results *out, const gig_method *method)
{
    static const char *const precisions[] = {"f32", "mixed", "split", "bf16"};
    char name[GIG_METHOD_NAME_BYTES], baseline[300];
    return json_pack(
        "{s:s, s:s, s:I, s:f, s:I, s:o, s:I, s:I, s:s}", "method", gig_method_name(name, sizeof name, method), "rule",
        gig_rule_name(gig_method_rule(method)), "steps", (json_int_t)method->steps, "fraction", method->fraction,
        "anchors", (json_int_t)method->anchors, "baseline",
        json_name(baseline_text(baseline, sizeof baseline, out->given, method)), "seed", (json_int_t)out->given->seed,
        "batch", (json_int_t)gig_network_batch(out->of->plain.network), "precision", precisions[out->given->precision]);
}

json_t *results_json(const results *out, const char *name, const gig_method *method, size_t target,
                     const gig_explanation *found)
{
    const char *label = gig_description_label(out->of->description, target);
    return json_pack(
        "{s:o, s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:{s:s}}",
        "input", json_name(name), "method", found->method, "class", (json_int_t)target, "label",
        label ? json_name(label) : json_null(), "of", scalar_name(out->of->scalar), "value_input",
        json_number(found->value_input), "value_baseline", json_number(found->value_baseline), "sum",
        json_number(found->sum), "delta", json_number(found->delta), "step_error", json_number(found->step_error),
        "evaluations", (json_int_t)found->evaluations, "values", (json_int_t)found->values, "seconds", found->seconds,
        "noise", json_number(found->noise), "distance", json_number(found->distance), "l1", json_number(found->l1),
        "l2", json_number(found->l2), "closed", json_number(found->closed), "stopped", (json_int_t)found->stopped,
        "options", options_json(out, method), "versions", "gig", gig_version());
}

static void print_row(const results *out, const char *name, size_t target, const gig_explanation *found,
                      const char *path)
{
    char text[300];
    const char *label = gig_description_label(out->of->description, target);
    printf("%s: class %zu", output_name(text, sizeof text, name), target);
    if (label) printf(" (%s)", output_name(text, sizeof text, label));
    if (found->value_input == found->value_input) printf(", %s %.4f", scalar_name(out->of->scalar), found->value_input);
    printf(", %s", found->method);
    if (found->sum == found->sum && found->value_baseline == found->value_baseline)
        printf(", sum %.4f of %.4f", found->sum, found->value_input - found->value_baseline);
    printf(", %zu gradients, %.2f s", found->evaluations, found->seconds);
    if (found->stopped) printf(", tolerance not reached");
    if (path) printf(" -> %s", output_name(text, sizeof text, path));
    putchar('\n');
}

static gig_status draw(const results *out, const char *path, const float *point, size_t target,
                       const gig_explanation *found)
{
    gig_picture_shape shape = subject_shape(out->of);
    int per_pixel = gig_method_per_pixel(out->method);
    gig_sheet_options page = {.columns = 2, .footer = found->method};
    gig_sheet *sheet = NULL;
    gig_status status = gig_sheet_create(&sheet, &page);
    gig_caption caption = {.title = "picture",
                           .class_name = gig_description_label(out->of->description, target),
                           .has_probability = found->value_input == found->value_input &&
                                              (out->of->scalar == GIG_SOFTMAX || out->of->scalar == GIG_SIGMOID),
                           .probability = found->value_input};
    if (status == GIG_OK) status = gig_sheet_add_picture(sheet, &caption, point, shape.height, shape.width);
    gig_map_options look = {.look = GIG_LOOK_OVERLAY, .pixels = point};
    if (out->method->xrai || out->method->base == GIG_BASE_GRAD_CAM) look.display.rule = GIG_DISPLAY_RANGE;
    gig_caption about = {.title = found->method,
                         .has_completeness = found->sum == found->sum && found->value_baseline == found->value_baseline,
                         .sum = found->sum,
                         .value_input = found->value_input,
                         .value_baseline = found->value_baseline};
    if (status == GIG_OK)
        status = gig_sheet_add_map(sheet, &about, found->attributions, shape.height, shape.width,
                                   per_pixel ? 1 : shape.channels, &look);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, out->given->force);
    gig_sheet_free(sheet);
    return status;
}

int results_add(results *out, const char *name, const float *point, size_t target, const gig_explanation *found)
{
    char path[4200];
    if (out->draws) {
        int code = results_picture_path(path, sizeof path, out, name);
        if (code == EXIT_OK) code = results_make_folders(path);
        if (code == EXIT_OK) code = report(draw(out, path, point, target, found));
        if (code != EXIT_OK) return code;
    }
    if (out->all.data)
        memcpy(out->all.real + out->done * found->count, found->attributions, found->count * sizeof(float));
    json_array_append_new(out->rows, results_json(out, name, out->method, target, found));
    if (!out->given->json) print_row(out, name, target, found, out->draws ? path : NULL);
    out->done++;
    return EXIT_OK;
}

/* ---- the end ---- */

static int write_arrays(results *out)
{
    if (!out->all.data || !out->done) return EXIT_OK;
    out->all.dims[0] = (int64_t)out->done;
    gig_status status = GIG_OK;
    const char *names[] = {"attributions"};
    const gig_tensor *arrays[] = {&out->all};
    if (out->given->npy) status = gig_npy_write(out->given->npy, &out->all, out->given->force);
    if (status == GIG_OK && out->given->npz)
        status = gig_npz_write(out->given->npz, 1, names, arrays, out->given->force);
    return report(status);
}

static int print_json(results *out)
{
    json_t *remarks = json_array();
    char text[400];
    for (size_t i = 0; subject_remark(text, sizeof text, out->of, i); i++)
        json_array_append_new(remarks, json_name(text));
    json_t *rows = out->rows;
    out->rows = NULL;
    return json_print(json_pack("{s:o, s:s, s:o, s:o}", "model", json_name(out->given->operands.items[0]), "sha256",
                                out->of->about.sha256, "remarks", remarks, "results", rows));
}

int results_end(results *out, int code)
{
    if (!out->of || !out->method) return code;
    int wrote = write_arrays(out);
    if (code == EXIT_OK) code = wrote;
    if (out->given->json && out->rows && (code == EXIT_OK || out->done)) {
        int printed = print_json(out);
        if (code == EXIT_OK) code = printed;
    }
    if (!out->given->json && code == EXIT_OK) subject_print_remarks(out->of, "# ");
    return code;
}

void results_clear(results *out)
{
    gig_tensor_clear(&out->all);
    if (out->rows) json_decref(out->rows);
    *out = (results){0};
}

/* ---- baseline and segments from files ---- */

static int label_masks(extras *out, size_t pixels)
{
    int64_t most = -1;
    for (size_t i = 0; i < pixels; i++)
        if (out->labels.whole[i] > most) most = out->labels.whole[i];
    if (most < 0 || most >= 65536) {
        usage("--segments: labels must lie in 0..65535");
        return EXIT_INPUT;
    }
    out->owned = calloc((size_t)most + 1, sizeof *out->owned);
    if (!out->owned) return no_memory();
    for (int64_t label = 0; label <= most; label++) {
        uint8_t *mask = out->owned[out->mask_count] = calloc(pixels, 1);
        if (!mask) return no_memory();
        out->mask_count++;
        for (size_t i = 0; i < pixels; i++) mask[i] = out->labels.whole[i] == label;
    }
    out->masks = (const uint8_t *const *)out->owned;
    return EXIT_OK;
}

int extras_read(extras *out, const options *given, const subject *of)
{
    size_t features = gig_network_features(of->plain.network);
    gig_picture_shape shape = subject_shape(of);
    if (given->baseline && strstr(given->baseline, ".np")) {
        int code = report(gig_npy_read(&out->baseline, given->baseline));
        if (code != EXIT_OK) return code;
        if (out->baseline.type != GIG_REAL || gig_tensor_count(&out->baseline) != features) {
            usage("%s: a baseline has the %zu values of one point", given->baseline, features);
            return EXIT_INPUT;
        }
        code = points_check(given->baseline, out->baseline.real, features);
        if (code != EXIT_OK) return code;
    }
    if (!given->segments) return EXIT_OK;
    int code = report(gig_npy_read(&out->labels, given->segments));
    if (code != EXIT_OK) return code;
    if (out->labels.type != GIG_WHOLE || gig_tensor_count(&out->labels) != shape.height * shape.width) {
        usage("%s: segments are one whole number per pixel, %zu x %zu", given->segments, shape.height, shape.width);
        return EXIT_INPUT;
    }
    return label_masks(out, shape.height * shape.width);
}

void extras_clear(extras *made)
{
    gig_tensor_clear(&made->baseline);
    gig_tensor_clear(&made->labels);
    for (size_t i = 0; i < made->mask_count; i++) free(made->owned[i]);
    free(made->owned);
    *made = (extras){0};
}
