/* SPDX-License-Identifier: Apache-2.0 */
#include "results.h"
#include "captions.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "frame/progress.h"
#include "internal/explainer.h"
#include "internal/saliency.h"
#include "internal/tensor.h"
#include "method_flags.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- beginning ---- */

/* The name of the other kind of array, one file for two things, or a bare map as a drawing of lines, is a slip. */
static int refuse_names(const char *command, const options *given)
{
    const char *const flags[] = {"npy", "npz"}, *const paths[] = {given->npy, given->npz};
    for (int i = 0; i < 2; i++) {
        const char *ending = paths[i] ? strrchr(paths[i], '.') : NULL;
        if (!ending || strcmp(ending + 1, flags[!i]) != 0) continue;
        complain("%s: --%s %s: files named .%s are for --%s", command, flags[i], paths[i], flags[!i], flags[!i]);
        return EXIT_USAGE;
    }
    gig_sheet_format format = GIG_SHEET_PNG;
    if (given->drawing.bare && given->out && gig_sheet_format_of(&format, given->out) == GIG_OK &&
        format != GIG_SHEET_PNG) {
        complain("%s: --bare draws a .png, not %s", command, given->out);
        return EXIT_USAGE;
    }
    const output_file outputs[] = {{"--json", given->json ? "/dev/stdout" : NULL},
                                   {"-o", given->out},
                                   {"--npy", given->npy},
                                   {"--npz", given->npz}};
    return file_refuse_twice(command, sizeof outputs / sizeof *outputs, outputs);
}

/* Without any flag that asks for output, pictures are drawn. */
int results_begin(results *out, const char *command, const options *given, const points *in)
{
    *out = (results){.given = given, .in = in, .rows = json_array()};
    out->draws = given->out || (!given->npy && !given->npz && !given->json && points_are_pictures(given));
    int code = refuse_names(command, given);
    if (code == EXIT_OK && given->drawing.title && !out->draws) {
        complain("%s: --title stands above a drawing: it goes with -o FILE", command);
        code = EXIT_USAGE;
    }
    if (code == EXIT_OK) code = file_refuse(given->npy, given->force);
    if (code == EXIT_OK) code = file_refuse(given->npz, given->force);
    if (code == EXIT_OK && out->draws) code = destination_open(&out->drawings, command, given, in);
    if (code == EXIT_OK) code = results_refuse_several(out, command);
    return code == EXIT_OK ? results_read_labels(out, command) : code;
}

static int ask_network(results *out)
{
    const gig_network *network;
    gig_input room;
    int code = report(gig_explainer_network(&network, out->of->explainer, points_like(&room, out->in, out->of)));
    if (code != EXIT_OK) return code;
    out->batch = gig_network_batch(network);
    out->blocking = gig_network_blocking(network);
    return EXIT_OK;
}

/* [n, ...] of these dims. */
static gig_status make_map(results *out, int rank, const int64_t *own)
{
    int64_t dims[GIG_MAX_RANK] = {(int64_t)out->in->count};
    for (int i = 0; i < rank && i + 1 < GIG_MAX_RANK; i++) dims[i + 1] = own[i];
    return gig_tensor_create(&out->maps[out->map_count++], GIG_FLOAT32, rank + 1, dims);
}

/* The arrays for all points: [n, H, W, channels or 1], or the tensor's own shape; of several inputs one for each. */
static int make_maps(results *out)
{
    const points *in = out->in;
    const int64_t pixels[3] = {(int64_t)in->shape.height, (int64_t)in->shape.width, 1};
    gig_status status = GIG_OK;
    out->maps = calloc(in->part_count + 1, sizeof *out->maps);
    if (!out->maps) return no_memory();
    for (size_t p = 0; p < in->part_count && status == GIG_OK; p++)
        status = make_map(out, in->parts[p].rank, in->parts[p].dims);
    if (!in->part_count)
        status = gig_method_per_pixel(out->method) ? make_map(out, 3, pixels) : make_map(out, in->rank, in->dims);
    return report(status);
}

int results_open(results *out, opened_model *of, const gig_method *method)
{
    const points *in = out->in;
    out->of = of;
    out->method = method;
    int code = in->count ? ask_network(out) : EXIT_OK;
    int arrays = !of->pictures || in->part_count;
    if (code == EXIT_OK && out->draws && arrays) code = results_fit_arrays(out, "explain");
    if (code != EXIT_OK || of->given->command != FOR_EXPLAIN || (!out->given->npy && !out->given->npz)) return code;
    return make_maps(out);
}

/* ---- one result ---- */

int results_next_line(char line[LINE_BYTES], const char **text)
{
    size_t bytes = strcspn(*text, "\n");
    if (!**text) return 0;
    snprintf(line, LINE_BYTES, "%.*s", (int)bytes, *text);
    *text += bytes + ((*text)[bytes] == '\n');
    return 1;
}

/* The first three; --json has them all. */
static void print_branches(FILE *to, const char *lines)
{
    char line[LINE_BYTES], shown[LINE_BYTES];
    size_t count = 0;
    while (results_next_line(line, &lines))
        if (++count <= 3) fprintf(to, ", %s", output_name(shown, sizeof shown, line));
    if (count > 3) fprintf(to, ", and %zu more branches", count - 3);
}

static void print_row(const results *out, const char *name, const gig_explanation *found, const char *path)
{
    char text[CAPTION_BYTES], number[32], wanted[32];
    FILE *to = output_text(out->given);
    progress_make_way();
    fprintf(to, "%s: ", output_name(text, sizeof text, name));
    if (found->one_number)
        fprintf(to, "%s", output_name(text, sizeof text, out->of->target_text + 2));
    else
        fprintf(to, "class %zu", found->target);
    if (found->class_name) fprintf(to, " (%s)", output_name(text, sizeof text, found->class_name));
    if (isfinite(found->value)) fprintf(to, ", %s %s", found->of, output_score(number, found->value));
    fprintf(to, ", %s", found->method);
    if (isfinite(found->sum) && isfinite(found->value_baseline))
        fprintf(to, ", sum %s%s (should be %s)", out->method->xrai ? "of its base " : "",
                output_score(number, found->sum), output_score(wanted, found->value_input - found->value_baseline));
    for (size_t i = 0; i < found->input_count; i++) {
        gig_explanation part;
        if (gig_explanation_input(&part, found, i) != GIG_OK || !isfinite(part.sum)) continue;
        fprintf(to, "%s%s %s", i ? ", " : ": ", output_name(text, sizeof text, found->inputs[i].name),
                output_score(number, part.sum));
    }
    if (isfinite(found->step_error)) fprintf(to, ", step errors %s", output_score(number, found->step_error));
    if (isfinite(found->closed)) fprintf(to, ", %s moved by closing", output_score(number, found->closed));
    if (found->unassigned > 1e-6 * fabs(found->value_input - found->value_baseline))
        fprintf(to, ", %s left unassigned", output_score(number, found->unassigned));
    if (isfinite(found->stability))
        fprintf(to, ", stability %s, of the mean %s", output_score(number, found->stability),
                output_score(wanted, found->stability_of_mean));
    if (found->branches) print_branches(to, found->branches);
    fprintf(to, ", %s", caption_cost(text, found));
    if (found->stopped) fprintf(to, ", tolerance not reached");
    if (path) fprintf(to, " -> %s", output_name(text, sizeof text, path));
    fputc('\n', to);
}

int results_add(results *out, size_t i, const gig_explanation *found)
{
    char path[PATH_BYTES];
    const char *name = out->in->names[i];
    int code = out->draws ? results_draw(out, i, found, path, sizeof path) : EXIT_OK;
    if (code != EXIT_OK) return code;
    for (size_t m = 0; m < out->map_count; m++) {
        const gig_explained_input *part = found->input_count ? &found->inputs[m] : NULL;
        size_t first = part ? part->first : 0, count = part ? part->count : found->count;
        memcpy(out->maps[m].real + out->done * count, found->attributions + first, count * sizeof(float));
    }
    if (out->given->json) {
        json_t *row = results_json(out, name, out->method, found);
        results_json_map(row, found->attributions, found->count);
        json_array_append_new(out->rows, row);
    } else {
        print_row(out, name, found, out->draws ? path : NULL);
    }
    out->done++;
    return EXIT_OK;
}

/* ---- the end ---- */

/* Rows are distinguished by their place alone, so an array of some of the inputs is not written at all. */
static int write_arrays(const results *out)
{
    if (!out->map_count) return EXIT_OK;
    gig_status status = GIG_OK;
    const char **names = calloc(out->map_count, sizeof *names);
    const gig_tensor **arrays = calloc(out->map_count, sizeof *arrays);
    for (size_t m = 0; names && arrays && m < out->map_count; m++) {
        names[m] = out->in->part_count ? out->in->parts[m].name : "attributions";
        arrays[m] = &out->maps[m];
    }
    if (!names || !arrays) status = GIG_ENOMEM;
    if (status == GIG_OK && out->given->npy) status = gig_npy_write(out->given->npy, &out->maps[0], out->given->force);
    if (status == GIG_OK && out->given->npz)
        status = gig_npz_write(out->given->npz, out->map_count, names, arrays, out->given->force);
    free(names);
    free(arrays);
    return report(status);
}

/* What was assumed, what an array was drawn as, then flags that had no use; NULL after the last. On a sheet of several
 * methods each has its own. */
static const char *remark(char *text, size_t bytes, const results *out, size_t i)
{
    size_t assumed = 0;
    while (opened_model_remark(text, bytes, out->of, assumed)) assumed++;
    if (i < assumed) return opened_model_remark(text, bytes, out->of, i);
    if (out->drawn_as[0] && i == assumed) {
        snprintf(text, bytes, "%s", out->drawn_as);
        return text;
    }
    assumed += out->drawn_as[0] != 0;
    const char *flag =
        out->given->command == FOR_EXPLAIN ? method_unused_flag(out->given, out->method, i - assumed) : NULL;
    if (flag && gig_method_takes(out->method, flag))
        snprintf(text, bytes, "--%s is not used: --method %s has its own value", flag, out->given->how.method);
    else if (flag)
        snprintf(text, bytes, "--%s does not apply to %s%s%s", flag, out->method->row->name,
                 out->given->how.method ? "" : ", the default method",
                 out->given->how.method ? "" : "; choose another with -m");
    return flag ? text : NULL;
}

static int print_json(results *out, int complete)
{
    json_t *remarks = json_array();
    char text[400];
    for (size_t i = 0; remark(text, sizeof text, out, i); i++) json_array_append_new(remarks, json_name(text));
    json_t *rows = out->rows;
    out->rows = NULL;
    return json_print(json_pack("{s:o, s:s, s:o, s:b, s:o}", "model", json_name(out->given->operands.items[0]),
                                "sha256", out->of->about.sha256, "remarks", remarks, "complete", complete, "results",
                                rows));
}

int results_end(results *out, int code)
{
    if (!out->of || !out->method) return code;
    if (code == EXIT_OK) code = write_arrays(out);
    if (code == EXIT_OK && out->page) code = report(gig_sheet_write(out->page, out->given->out, out->given->force));
    if (out->given->json && (code == EXIT_OK || json_array_size(out->rows))) {
        int printed = print_json(out, code == EXIT_OK);
        return code == EXIT_OK ? printed : code;
    }
    if (out->given->json) return code;
    char text[400];
    for (size_t i = 0; code == EXIT_OK && remark(text, sizeof text, out, i); i++)
        fprintf(output_text(out->given), "# %s\n", text);
    if (code == EXIT_OK) return code;
    if (out->map_count && out->done && out->done < out->in->count)
        fprintf(output_text(out->given), "# no array is written: %zu of %zu inputs were explained\n", out->done,
                out->in->count);
    return code;
}

void results_clear(results *out)
{
    for (size_t m = 0; m < out->map_count; m++) gig_tensor_clear(&out->maps[m]);
    free(out->maps);
    gig_sheet_free(out->page);
    gig_description_free(out->labels);
    if (out->rows) json_decref(out->rows);
    *out = (results){0};
}
