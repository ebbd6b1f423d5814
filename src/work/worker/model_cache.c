/* SPDX-License-Identifier: Apache-2.0 */
#include "work/worker/model_cache.h"
#include "base/memory.h"
#include "base/status.h"
#include "work/worker/gradient_cache.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 8 };

typedef struct engine {
    gig_network *network;
    gig_session *session;
} engine;

typedef struct model_file {
    char *path;
    gig_precision precision;
    gig_model *model;
    gig_description *description;
    engine engines[GIG_LAB_USES];
} model_file;

struct gig_lab {
    size_t file_count;
    model_file files[MOST_FILES];
    /* the last picture, and what it was made for */
    char *picture;
    char *truth; /* the mask's path, or NULL */
    size_t box_count;
    gig_box *boxes;
    gig_placement placement;
    gig_filter filter;
    gig_image image;
    float *pixels;
    uint8_t *mask;
    double box_area;
    gig_pic *pic;
    gig_memo *memo;
    gig_scalar memo_scalar;
};

/* A quarter of the machine's memory, shared by as many workers as it has cores; at least 256 MB, at most 2 GB. A path
 * that is refined with 2,000 gradients at 224 x 224 takes 1.2 GB. */
static size_t memo_bytes(void)
{
    const double least = 256e6, most = 2e9;
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double share = memory / 4 / fmax(1, (double)sysconf(_SC_NPROCESSORS_ONLN));
    return (size_t)fmax(least, fmin(share, most));
}

gig_status gig_lab_create(gig_lab **out)
{
    *out = gig_alloc_zero(1, sizeof **out);
    if (!*out) return gig_alloc_status();
    gig_status status = gig_memo_create(&(*out)->memo, memo_bytes());
    if (status == GIG_OK) return GIG_OK;
    gig_free(*out);
    *out = NULL;
    return status;
}

/* ---- models ---- */

static void close_file(model_file *file)
{
    for (int use = 0; use < GIG_LAB_USES; use++) {
        gig_session_free(file->engines[use].session);
        gig_network_free(file->engines[use].network);
    }
    gig_description_free(file->description);
    gig_model_free(file->model);
    gig_free(file->path);
    *file = (model_file){0};
}

static gig_status open_file(model_file *file, const char *path, gig_precision precision)
{
    file->precision = precision;
    file->path = gig_strdup(path);
    if (!file->path) return gig_alloc_status();
    GIG_TRY(gig_model_load(&file->model, path, NULL));
    GIG_TRY(gig_description_load(&file->description, path));
    return gig_description_complete(file->description, file->model);
}

static gig_status find_file(model_file **out, gig_lab *lab, const char *path, gig_precision precision)
{
    for (size_t i = 0; i < lab->file_count; i++)
        if (lab->files[i].precision == precision && !strcmp(lab->files[i].path, path)) {
            *out = &lab->files[i];
            return GIG_OK;
        }
    if (lab->file_count == MOST_FILES) {
        gig_memo_forget(lab->memo);
        while (lab->file_count) close_file(&lab->files[--lab->file_count]);
    }
    *out = &lab->files[lab->file_count];
    gig_status status = open_file(*out, path, precision);
    if (status == GIG_OK)
        lab->file_count++;
    else
        close_file(*out);
    return status;
}

/* The layer of grad-cam: the description's, else the last tensor that still has rows and columns. */
static gig_status choose_cam(model_file *file, const gig_network_options *options)
{
    gig_description *about = file->description;
    gig_network *network;
    if (about->cam) return GIG_OK;
    GIG_TRY(gig_network_create(&network, file->model, options));
    const char *name = gig_network_last_map(network);
    gig_status status = name ? GIG_OK : gig_fail(GIG_EARG, "grad-cam: no tensor has rows and columns");
    if (name && !(about->cam = gig_strdup(name))) status = gig_alloc_status();
    gig_network_free(network);
    return status;
}

static gig_status start_engine(engine *out, model_file *file, gig_lab_use use)
{
    const gig_description *about = file->description;
    const char *layer;
    gig_network_options options = {.batch = 1,
                                   .precision = file->precision,
                                   .input = about->input,
                                   .output = about->output_name,
                                   .output_kind = about->output,
                                   .pixels = about->pixels,
                                   .guided_relu = use == GIG_LAB_GUIDED};
    if (use == GIG_LAB_CAM) {
        GIG_TRY(choose_cam(file, &options));
        layer = about->cam;
        options.keep = &layer;
        options.keep_count = 1;
    }
    GIG_TRY(gig_network_create(&out->network, file->model, &options));
    gig_status status = gig_session_create(&out->session, out->network);
    if (status != GIG_OK) {
        gig_network_free(out->network);
        out->network = NULL;
    }
    return status;
}

gig_status gig_lab_get_model(gig_lab_model *out, gig_lab *lab, const char *path, gig_precision precision,
                             gig_lab_use use)
{
    model_file *file;
    GIG_TRY(find_file(&file, lab, path, precision));
    engine *e = &file->engines[use];
    if (!e->session) {
        gig_status status = start_engine(e, file, use);
        if (status != GIG_OK) return gig_fail_in(status, "%s", path);
    }
    *out = (gig_lab_model){file->description, e->network, e->session, (size_t)file->description->pixels.height,
                           (size_t)file->description->pixels.width};
    return GIG_OK;
}

gig_status gig_lab_get_function(gig_function *out, gig_lab *lab, const gig_lab_model *model, gig_scalar scalar,
                                int remember)
{
    GIG_TRY(gig_session_function(out, model->session, scalar));
    if (!remember) return GIG_OK;
    if (lab->memo_scalar != scalar) gig_memo_forget(lab->memo);
    lab->memo_scalar = scalar;
    *out = gig_memo_function(lab->memo, out);
    return GIG_OK;
}

double gig_lab_saved(gig_lab *lab)
{
    return gig_memo_saved(lab->memo);
}

/* ---- pictures ---- */

static void drop_picture(gig_lab *lab)
{
    gig_free(lab->picture);
    gig_free(lab->truth);
    gig_free(lab->boxes);
    gig_image_clear(&lab->image);
    gig_free(lab->pixels);
    gig_free(lab->mask);
    gig_pic_free(lab->pic);
    gig_memo_forget(lab->memo);
    lab->picture = lab->truth = NULL;
    lab->boxes = NULL;
    lab->pixels = NULL;
    lab->mask = NULL;
    lab->pic = NULL;
}

static gig_status expect_file(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return gig_fail(GIG_EIO, "%s: is no file", path);
    return GIG_OK;
}

gig_status gig_lab_read_image(gig_image *out, const char *path)
{
    GIG_TRY(expect_file(path));
    return gig_image_read(out, path, NULL);
}

static gig_status place_mask(gig_lab *lab, const char *path, const gig_description *about)
{
    gig_image file, placed = {0};
    gig_placement placement;
    size_t width = lab->placement.from_width, height = lab->placement.from_height;
    GIG_TRY(expect_file(path));
    GIG_TRY(gig_mask_read(&file, path, NULL));
    gig_status status = gig_placement_find(&placement, file.width, file.height, lab->image.width, lab->image.height,
                                           about->fit, about->shorter);
    if (status == GIG_OK && !gig_mask_fits(file.width, file.height, width, height))
        status = gig_fail(GIG_EFORMAT, "%s: the mask is %zu x %zu, its picture %zu x %zu", path, file.width,
                          file.height, width, height);
    if (status == GIG_OK) status = gig_image_place(&placed, &file, &placement, GIG_NEAREST);
    if (status == GIG_OK) {
        memcpy(lab->mask, placed.pixels, placed.width * placed.height);
        size_t inside = 0, pixels = file.width * file.height;
        for (size_t i = 0; i < pixels; i++) inside += file.pixels[i] == GIG_MASK_IN;
        lab->box_area = (double)inside / (double)pixels;
    }
    gig_image_clear(&placed);
    gig_image_clear(&file);
    return status;
}

static gig_status place_boxes(gig_lab *lab, const gig_subject *subject)
{
    size_t height = lab->placement.from_height, width = lab->placement.from_width, kept = 0, inside = 0;
    uint8_t *whole = gig_alloc(height * width, 1);
    gig_box *boxes = gig_alloc(subject->box_count, sizeof *boxes);
    gig_status status = whole && boxes ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = gig_mask_from_boxes(whole, height, width, subject->boxes, subject->box_count);
    if (status == GIG_OK) {
        for (size_t i = 0; i < height * width; i++) inside += whole[i];
        lab->box_area = (double)inside / (double)(height * width);
        for (size_t i = 0; i < subject->box_count; i++)
            kept += gig_box_place(&boxes[kept], &subject->boxes[i], &lab->placement) != 0;
        status = gig_mask_from_boxes(lab->mask, lab->image.height, lab->image.width, boxes, kept);
    }
    gig_free(boxes);
    gig_free(whole);
    return status;
}

static gig_status place_truth(gig_lab *lab, const gig_subject *subject, const gig_description *about)
{
    lab->box_area = NAN;
    if (!subject->mask && !subject->box_count) return GIG_OK;
    lab->mask = gig_alloc(lab->image.width * lab->image.height, 1);
    if (!lab->mask) return gig_alloc_status();
    return subject->mask ? place_mask(lab, subject->mask, about) : place_boxes(lab, subject);
}

static gig_status remember(gig_lab *lab, const gig_subject *subject)
{
    lab->picture = gig_strdup(subject->file);
    lab->truth = subject->mask ? gig_strdup(subject->mask) : NULL;
    lab->boxes = gig_alloc(subject->box_count, sizeof *lab->boxes);
    lab->box_count = subject->box_count;
    if (!lab->picture || !lab->boxes || (subject->mask && !lab->truth)) return gig_alloc_status();
    if (lab->box_count) memcpy(lab->boxes, subject->boxes, lab->box_count * sizeof *lab->boxes);
    return GIG_OK;
}

static gig_status place_picture(gig_lab *lab, const gig_image *file, const gig_subject *subject,
                                const gig_lab_model *model)
{
    const gig_description *about = model->description;
    GIG_TRY(gig_placement_find(&lab->placement, file->width, file->height, model->width, model->height, about->fit,
                               about->shorter));
    lab->filter = about->filter;
    GIG_TRY(gig_image_place(&lab->image, file, &lab->placement, about->filter));
    lab->pixels = gig_alloc(model->height * model->width * 3, sizeof *lab->pixels);
    if (!lab->pixels) return gig_alloc_status();
    gig_image_to_pixels(lab->pixels, &lab->image);
    GIG_TRY(place_truth(lab, subject, about));
    return remember(lab, subject);
}

static int same_truth(const gig_lab *lab, const gig_subject *subject)
{
    if (!lab->truth != !subject->mask || (lab->truth && strcmp(lab->truth, subject->mask))) return 0;
    return lab->box_count == subject->box_count &&
           (!lab->box_count || !memcmp(lab->boxes, subject->boxes, lab->box_count * sizeof *lab->boxes));
}

/* Whether the last picture is this one at this model's size. */
static int is_last(const gig_lab *lab, const gig_subject *subject, const gig_lab_model *model)
{
    gig_placement placement;
    const gig_description *about = model->description;
    if (!lab->picture || strcmp(lab->picture, subject->file) || lab->filter != about->filter ||
        !same_truth(lab, subject))
        return 0;
    if (gig_placement_find(&placement, lab->placement.from_width, lab->placement.from_height, model->width,
                           model->height, about->fit, about->shorter) != GIG_OK)
        return 0;
    return placement.scaled_width == lab->placement.scaled_width &&
           placement.scaled_height == lab->placement.scaled_height && placement.left == lab->placement.left &&
           placement.top == lab->placement.top && placement.width == lab->placement.width &&
           placement.height == lab->placement.height;
}

gig_status gig_lab_get_picture(gig_lab_picture *out, gig_lab *lab, const gig_subject *subject,
                               const gig_lab_model *model)
{
    if (!is_last(lab, subject, model)) {
        gig_image file;
        drop_picture(lab);
        GIG_TRY(gig_lab_read_image(&file, subject->file));
        gig_status status = place_picture(lab, &file, subject, model);
        gig_image_clear(&file);
        if (status != GIG_OK) {
            drop_picture(lab);
            return status;
        }
    }
    *out = (gig_lab_picture){lab->image.height, lab->image.width, lab->image.pixels, lab->pixels,
                             lab->mask,         lab->box_area,    &lab->pic};
    return GIG_OK;
}

void gig_lab_free(gig_lab *lab)
{
    if (!lab) return;
    while (lab->file_count) close_file(&lab->files[--lab->file_count]);
    drop_picture(lab);
    gig_memo_free(lab->memo);
    gig_free(lab);
}
