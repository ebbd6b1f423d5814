/* SPDX-License-Identifier: Apache-2.0 */
/* One result as a drawing: a picture beside its map, an array as what it is, or the map alone. */
#include "captions.h"
#include "frame/errors.h"
#include "gig/image.h"
#include "internal/saliency.h"
#include "results.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays ---- */

/* The flag that says what arrays are drawn as. */
static const char *label_flag(const options *given)
{
    return given->drawing.tokens ? "tokens" : given->drawing.columns ? "columns" : "draw-as";
}

/* Files with a text a line are read as labels of a description are. */
int results_read_labels(results *out, const char *command)
{
    const options *given = out->given;
    const char *path = given->drawing.tokens ? given->drawing.tokens : given->drawing.columns;
    int arrays = given->tensors.count && (!points_are_pictures(given) || given->explain_inputs);
    if ((path || given->drawing.draw_as) && (!arrays || !out->draws)) {
        complain("%s: --%s goes with --tensor and -o FILE", command, label_flag(given));
        return EXIT_USAGE;
    }
    if (given->drawing.tokens && given->drawing.columns) {
        complain("%s: --tokens makes words of the input, --columns a table: give one of them", command);
        return EXIT_USAGE;
    }
    if (!path) return EXIT_OK;
    gig_status status = gig_description_load_memory(&out->labels, "{}", 2, NULL);
    if (status == GIG_OK) status = gig_labels_replace(out->labels, path);
    return report(status);
}

/* "a,b" has several names. */
static int explains_several(const options *given)
{
    return given->explain_inputs && strchr(given->explain_inputs, ',');
}

int results_refuse_several(const results *out, const char *command)
{
    const options *given = out->given;
    const char *flag = given->npy ? "npy" : given->drawing.bare ? "bare" : NULL;
    if (!explains_several(given) || !flag) return EXIT_OK;
    complain("%s: --%s is for one map, and --explain-inputs gives several%s", command, flag,
             given->npy ? ": use --npz" : "");
    return EXIT_USAGE;
}

static gig_array_kind kind_of(const results *out)
{
    if (out->given->drawing.draw_as) return (gig_array_kind)out->given->drawing.draw_as;
    if (out->given->drawing.tokens) return GIG_ARRAY_TOKENS;
    if (out->given->drawing.columns) return GIG_ARRAY_TABLE;
    /* Whole numbers that became vectors are words. */
    return out->of->inside && out->of->in.points == out->of->in.count && out->in->rank == 2 ? GIG_ARRAY_TOKENS
                                                                                            : GIG_ARRAY_AUTO;
}

/* part: which of several inputs; 0 of one alone. */
static gig_array array_of(const results *out, size_t part)
{
    const point_part *own = out->in->part_count ? &out->in->parts[part] : NULL;
    return (gig_array){.rank = own ? own->rank : out->in->rank,
                       .dims = own ? own->dims : out->in->dims,
                       .kind = kind_of(out),
                       .label_count = out->labels ? out->labels->label_count : 0,
                       .labels = out->labels ? (const char *const *)out->labels->labels : NULL};
}

/* What the array of one input is drawn as, for a remark. */
static int fit_array(results *out, size_t part)
{
    const gig_array array = array_of(out, part);
    const options *given = out->given;
    char text[160], dims[200];
    size_t used = strlen(out->drawn_as), room = sizeof out->drawn_as - used;
    gig_status status = gig_array_describe(text, sizeof text, NULL, &array);
    if (status == GIG_EARG && out->labels)
        return report_of(given->drawing.tokens ? given->drawing.tokens : given->drawing.columns, status),
               EXIT_INPUT; /* the file's fault */
    if (status != GIG_OK) return report(status);
    snprintf(out->drawn_as + used, room, "%s%s is drawn as %s%s", used ? "; " : "",
             output_dims(dims, sizeof dims, array.rank, array.dims, ""), text,
             array.kind || out->in->part_count ? "" : " (--draw-as changes that)");
    return EXIT_OK;
}

int results_fit_arrays(results *out, const char *command)
{
    const options *given = out->given;
    size_t first = out->of->pictures ? 1 : 0, count = out->in->part_count ? out->in->part_count : 1;
    int code = EXIT_OK;
    if (given->drawing.bare) {
        complain("%s: --bare draws pictures, not --tensor", command);
        return EXIT_USAGE;
    }
    if (!out->drawings.page) { /* rows are counted only now */
        code = destination_open(&out->drawings, command, given, out->in);
        if (code != EXIT_OK) return code;
    }
    if (gig_method_per_pixel(out->method)) return EXIT_OK;
    if (count - first > 1 && (out->labels || given->drawing.draw_as)) {
        complain("%s: --%s needs one input that is not a picture, and --explain-inputs names %zu", command,
                 label_flag(given), count - first);
        return EXIT_USAGE;
    }
    for (size_t p = first; p < count && code == EXIT_OK; p++) code = fit_array(out, p);
    return code;
}

/* Methods with one value per pixel give a map even here. */
static gig_status add_array(gig_sheet *sheet, const results *out, size_t part, gig_caption *caption,
                            const gig_explanation *found)
{
    gig_array array = array_of(out, part);
    gig_map_options look = caption_look(out->given, out->method, NULL, 1);
    if (gig_method_per_pixel(out->method)) {
        look.look = GIG_LOOK_HEAT;
        return gig_sheet_add_map(sheet, caption, found->attributions, found->shape.height, found->shape.width, 1,
                                 &look);
    }
    caption->span = 2;
    array.values = found->point;
    array.map = found->attributions;
    array.look = &look;
    return gig_sheet_add_array(sheet, caption, &array);
}

/* ---- pictures ---- */

/* The map alone, as it is. */
static gig_status draw_bare(const results *out, const char *path, const gig_explanation *found)
{
    const gig_picture_shape shape = found->shape;
    const gig_map_options look = caption_look(out->given, out->method, found->picture, 1);
    size_t channels = gig_method_per_pixel(out->method) ? 1 : shape.channels;
    gig_tensor rgb = {0};
    gig_image image = {0};
    gig_status status =
        gig_tensor_create(&rgb, GIG_FLOAT32, 3, (const int64_t[]){(int64_t)shape.height, (int64_t)shape.width, 3});
    if (status == GIG_OK)
        status = gig_map_paint(rgb.real, NULL, found->attributions, shape.height, shape.width, channels, &look);
    if (status == GIG_OK) status = gig_image_from_pixels(&image, rgb.real, shape.width, shape.height, 3);
    if (status == GIG_OK) status = gig_image_write_png(path, &image, out->given->force);
    gig_image_clear(&image);
    gig_tensor_clear(&rgb);
    return status;
}

/* What the method did, and of one of several inputs its part of the sum. */
static const char *note_of(char text[CAPTION_BYTES], const results *out, const gig_explanation *found,
                           const gig_explanation *all)
{
    char own[32], sum[32], wanted[32];
    caption_method(text, out->of, out->method, found);
    size_t used = strlen(text);
    if (found == all || !isfinite(all->sum)) return text;
    snprintf(text + used, CAPTION_BYTES - used, "%ssum %s", used ? ", " : "", output_score(own, found->sum));
    used = strlen(text);
    if (isfinite(all->delta))
        snprintf(text + used, CAPTION_BYTES - used, " of %s (should be %s)", output_score(sum, all->sum),
                 output_score(wanted, all->value_input - all->value_baseline));
    return text;
}

static gig_status add_picture(gig_sheet *sheet, const results *out, const char *title, const gig_explanation *found,
                              const char *note)
{
    const gig_map_options look = caption_look(out->given, out->method, found->picture, 1);
    gig_status status = caption_add_picture(sheet, title, found);
    if (status != GIG_OK) return status;
    return caption_add_map(sheet, out->method, found, found->attributions, &look, note);
}

/* ---- one result ---- */

const char *results_file(char text[TITLE_BYTES], const results *out, size_t i)
{
    const options *given = out->given;
    const inputs *in = &out->of->in;
    char file[TITLE_BYTES - 40];
    size_t name_bytes;
    if (out->of->pictures) return output_name(text, TITLE_BYTES, out->in->names[i] + out->drawings.common);
    const char *tensor = given->tensors.items[in->points < in->count ? in->points : 0];
    caption_file(file, sizeof file, options_split_name(tensor, &name_bytes));
    if (out->in->count > 1)
        snprintf(text, TITLE_BYTES, "%s[%zu]", file, i);
    else
        snprintf(text, TITLE_BYTES, "%s", file);
    return text;
}

/* title: NULL where the sheet's own names the input. */
static gig_status add_input(gig_sheet *sheet, const results *out, size_t part, const char *title,
                            const gig_explanation *found, const gig_explanation *all)
{
    char note[CAPTION_BYTES], class_name[CAPTION_BYTES];
    gig_named_number numbers[GIG_EXPLANATION_NUMBERS];
    note_of(note, out, found, all);
    if (found->picture) return add_picture(sheet, out, title, found, note);
    gig_caption caption = caption_of_map(out->method, found, numbers);
    if (title) caption.title = title;
    caption.class_name = caption_class(class_name, found);
    caption.note = note;
    return add_array(sheet, out, part, &caption, found);
}

/* Of several inputs each with its name. */
static gig_status add_panels(gig_sheet *sheet, const results *out, const char *title, const gig_explanation *found)
{
    gig_status status = GIG_OK;
    if (!found->input_count) return add_input(sheet, out, 0, title, found, found);
    for (size_t p = 0; p < found->input_count && status == GIG_OK; p++) {
        gig_explanation part;
        char name[TITLE_BYTES], own[TITLE_BYTES];
        output_name(name, sizeof name, found->inputs[p].name);
        snprintf(own, sizeof own, "%s%s%s", title ? title : "", title ? ", " : "", name);
        status = gig_explanation_input(&part, found, p);
        if (status == GIG_OK) status = add_input(sheet, out, p, own, &part, found);
    }
    return status;
}

/* No times on it: the same command draws the same bytes. */
static gig_status draw_sheet(const results *out, size_t i, const char *path, const gig_explanation *found)
{
    char title[TITLE_BYTES], file[TITLE_BYTES];
    gig_sheet_options page = {.columns = 2, .title = caption_title(title, out->given, results_file(file, out, i))};
    gig_sheet *sheet = NULL;
    gig_status status = gig_sheet_create(&sheet, &page);
    if (status == GIG_OK) status = add_panels(sheet, out, NULL, found);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, out->given->force);
    gig_sheet_free(sheet);
    return status;
}

/* Behind those before it. */
static gig_status add_to_page(results *out, size_t i, const gig_explanation *found)
{
    char title[TITLE_BYTES], file[TITLE_BYTES];
    gig_sheet_options page = {.title = caption_title(title, out->given, NULL)};
    gig_status status = out->page ? GIG_OK : gig_sheet_create(&out->page, &page);
    return status == GIG_OK ? add_panels(out->page, out, results_file(file, out, i), found) : status;
}

int results_draw(results *out, size_t i, const gig_explanation *found, char *path, size_t bytes)
{
    int code = destination_path(path, bytes, &out->drawings, i, 1);
    if (code != EXIT_OK) return code;
    if (out->drawings.page) return report(add_to_page(out, i, found));
    return report(out->given->drawing.bare ? draw_bare(out, path, found) : draw_sheet(out, i, path, found));
}
