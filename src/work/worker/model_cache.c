/* SPDX-License-Identifier: Apache-2.0 */
#include "work/worker/model_cache.h"
#include "base/memory.h"
#include "base/status.h"
#include "internal/explainer.h"
#include "internal/score.h"
#include "network/randomise.h"
#include "saliency/explainer.h"
#include "work/manifest/manifest.h"
#include "work/worker/gradient_cache.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 8 };

typedef struct model_file {
    char *path, *part;
    gig_precision precision;
    gig_explainer *explainer;
} model_file;

struct gig_model_cache {
    int portable;
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
    gig_gradient_cache *gradients;
    gig_scalar memo_scalar;
};

/* A quarter of the machine's memory, shared by as many workers as it has cores; at least 256 MB, at most 3 GB. A path
 * that is refined with 2,000 gradients at 224 x 224 takes 1.2 GB, 20 draws of a path with 200 steps 2.4 GB. */
static size_t memo_bytes(void)
{
    const double least = 256e6, most = 3e9;
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double share = memory / 4 / fmax(1, (double)sysconf(_SC_NPROCESSORS_ONLN));
    return (size_t)fmax(least, fmin(share, most));
}

gig_status gig_model_cache_create(gig_model_cache **out)
{
    *out = gig_alloc_zero(1, sizeof **out);
    if (!*out) return gig_alloc_status();
    gig_status status = gig_gradient_cache_create(&(*out)->gradients, memo_bytes());
    if (status == GIG_OK) return GIG_OK;
    gig_free(*out);
    *out = NULL;
    return status;
}

/* ---- models ---- */

static void close_file(model_file *file)
{
    gig_explainer_close(file->explainer);
    gig_free(file->path);
    gig_free(file->part);
    *file = (model_file){0};
}

void gig_model_cache_set_portable(gig_model_cache *cache, int portable)
{
    cache->portable = portable;
}

static gig_status open_file(model_file *file, const gig_model_request *wanted, int portable)
{
    const gig_explainer_options options = {.precision = wanted->precision,
                                           .portable = portable,
                                           .threads = 1,
                                           .lazy = 1,
                                           .region = gig_part_text(wanted->part, "region"),
                                           .index = gig_part_text(wanted->part, "index")};
    file->precision = wanted->precision;
    file->path = gig_strdup(wanted->path);
    file->part = wanted->part ? gig_strdup(wanted->part) : NULL;
    if (!file->path || (wanted->part && !file->part)) return gig_alloc_status();
    GIG_TRY(gig_explainer_open(&file->explainer, wanted->path, &options));
    return gig_explainer_prepare(file->explainer, NULL);
}

static int is_file(const model_file *file, const gig_model_request *wanted)
{
    const char *part = wanted->part;
    if (file->precision != wanted->precision || strcmp(file->path, wanted->path)) return 0;
    return file->part && part ? !strcmp(file->part, part) : !file->part && !part;
}

static gig_status find_file(model_file **out, gig_model_cache *cache, const gig_model_request *wanted)
{
    for (size_t i = 0; i < cache->file_count; i++)
        if (is_file(&cache->files[i], wanted)) {
            *out = &cache->files[i];
            return GIG_OK;
        }
    if (cache->file_count == MOST_FILES) {
        gig_gradient_cache_forget(cache->gradients);
        while (cache->file_count) close_file(&cache->files[--cache->file_count]);
    }
    *out = &cache->files[cache->file_count];
    gig_status status = open_file(*out, wanted, cache->portable);
    if (status == GIG_OK)
        cache->file_count++;
    else
        close_file(*out);
    return status;
}

static gig_status use_explainer(gig_cached_model *out, gig_explainer *explainer, const gig_model_request *wanted)
{
    gig_engine *engine;
    gig_status status = gig_explainer_engine(&engine, explainer, NULL, wanted->use, 1);
    if (status != GIG_OK) return gig_fail_in(status, "%s", wanted->path);
    const gig_description *about = gig_explainer_description(explainer);
    *out = (gig_cached_model){.explainer = explainer,
                              .description = about,
                              .network = engine->network,
                              .engine = engine,
                              .session = engine->sessions[0],
                              .height = (size_t)about->pixels.height,
                              .width = (size_t)about->pixels.width};
    return GIG_OK;
}

gig_status gig_model_cache_get_model(gig_cached_model *out, gig_model_cache *cache, const gig_model_request *wanted)
{
    model_file *file;
    GIG_TRY(find_file(&file, cache, wanted));
    return use_explainer(out, file->explainer, wanted);
}

gig_status gig_model_cache_randomise(gig_cached_model *out, const gig_model_cache *cache,
                                     const gig_model_request *wanted, const gig_randomising *how)
{
    model_file file = {0};
    gig_status status = open_file(&file, wanted, cache->portable);
    if (status == GIG_OK) {
        gig_model *model = file.explainer->model;
        size_t layers = gig_model_layers(model), count = (layers * how->cut + how->cuts - 1) / how->cuts;
        if (!layers)
            status = gig_fail(GIG_EUNSUPPORTED, "%s: no layer has floating-point weights to draw anew", wanted->path);
        gig_model_randomise(model, count, how->seed);
    }
    if (status == GIG_OK) status = use_explainer(out, file.explainer, wanted);
    if (status == GIG_OK) file.explainer = NULL; /* the caller's */
    close_file(&file);
    return status;
}

gig_status gig_cached_model_set_region(const gig_cached_model *model, const float *pixels, size_t target)
{
    const gig_region_request region = {.choice = model->explainer->own.choice,
                                       .point = pixels,
                                       .target = target,
                                       .shape = {model->height, model->width, 3, 0}};
    if (gig_network_target(model->network) != GIG_TARGET_REGION) return GIG_OK;
    return gig_engine_set_region(model->engine, &region);
}

gig_status gig_model_cache_get_function(gig_function *out, gig_model_cache *cache, const gig_cached_model *model,
                                        gig_scalar scalar, uint64_t path)
{
    GIG_TRY(gig_session_function(out, model->session, scalar));
    if (!path) return GIG_OK;
    if (cache->memo_scalar != scalar) gig_gradient_cache_forget(cache->gradients);
    cache->memo_scalar = scalar;
    *out = gig_gradient_cache_function(cache->gradients, out, path);
    return GIG_OK;
}

double gig_model_cache_saved(gig_model_cache *cache)
{
    return gig_gradient_cache_saved(cache->gradients);
}

/* ---- pictures ---- */

static void drop_picture(gig_model_cache *cache)
{
    gig_free(cache->picture);
    gig_free(cache->truth);
    gig_free(cache->boxes);
    gig_image_clear(&cache->image);
    gig_free(cache->pixels);
    gig_free(cache->mask);
    gig_pic_free(cache->pic);
    gig_gradient_cache_forget(cache->gradients);
    cache->picture = cache->truth = NULL;
    cache->boxes = NULL;
    cache->pixels = NULL;
    cache->mask = NULL;
    cache->pic = NULL;
}

gig_status gig_model_cache_expect_file(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return gig_fail(GIG_EIO, "%s: not a regular file", path);
    return GIG_OK;
}

static gig_status read_image(gig_image *out, const char *path)
{
    GIG_TRY(gig_model_cache_expect_file(path));
    return gig_image_read(out, path, NULL);
}

static gig_status place_mask(gig_model_cache *cache, const char *path, const gig_explainer *explainer)
{
    gig_image file, placed = {0};
    gig_placement placement;
    size_t width = cache->placement.from_width, height = cache->placement.from_height;
    GIG_TRY(gig_model_cache_expect_file(path));
    GIG_TRY(gig_mask_read(&file, path, NULL));
    gig_status status = gig_explainer_placement(&placement, explainer, file.width, file.height);
    if (status == GIG_OK && !gig_mask_fits(file.width, file.height, width, height))
        status = gig_fail(GIG_EFORMAT, "%s: the mask is %zu x %zu, its picture %zu x %zu", path, file.width,
                          file.height, width, height);
    if (status == GIG_OK) status = gig_image_place(&placed, &file, &placement, GIG_NEAREST);
    if (status == GIG_OK) {
        memcpy(cache->mask, placed.pixels, placed.width * placed.height);
        size_t inside = 0, pixels = file.width * file.height;
        for (size_t i = 0; i < pixels; i++) inside += file.pixels[i] == GIG_MASK_IN;
        cache->box_area = (double)inside / (double)pixels;
    }
    gig_image_clear(&placed);
    gig_image_clear(&file);
    return status;
}

static gig_status place_boxes(gig_model_cache *cache, const gig_study_picture *subject)
{
    size_t height = cache->placement.from_height, width = cache->placement.from_width, kept = 0, inside = 0;
    uint8_t *whole = gig_alloc(height * width, 1);
    gig_box *boxes = gig_alloc(subject->box_count, sizeof *boxes);
    gig_status status = whole && boxes ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = gig_mask_from_boxes(whole, height, width, subject->boxes, subject->box_count);
    if (status == GIG_OK) {
        for (size_t i = 0; i < height * width; i++) inside += whole[i];
        cache->box_area = (double)inside / (double)(height * width);
        for (size_t i = 0; i < subject->box_count; i++)
            kept += gig_box_place(&boxes[kept], &subject->boxes[i], &cache->placement) != 0;
        status = gig_mask_from_boxes(cache->mask, cache->image.height, cache->image.width, boxes, kept);
    }
    gig_free(boxes);
    gig_free(whole);
    return status;
}

static gig_status place_truth(gig_model_cache *cache, const gig_study_picture *subject, const gig_explainer *explainer)
{
    cache->box_area = NAN;
    if (!subject->mask && !subject->box_count) return GIG_OK;
    cache->mask = gig_alloc(cache->image.width * cache->image.height, 1);
    if (!cache->mask) return gig_alloc_status();
    return subject->mask ? place_mask(cache, subject->mask, explainer) : place_boxes(cache, subject);
}

static gig_status remember(gig_model_cache *cache, const gig_study_picture *subject)
{
    cache->picture = gig_strdup(subject->file);
    cache->truth = subject->mask ? gig_strdup(subject->mask) : NULL;
    cache->boxes = gig_alloc(subject->box_count, sizeof *cache->boxes);
    cache->box_count = subject->box_count;
    if (!cache->picture || !cache->boxes || (subject->mask && !cache->truth)) return gig_alloc_status();
    if (cache->box_count) memcpy(cache->boxes, subject->boxes, cache->box_count * sizeof *cache->boxes);
    return GIG_OK;
}

static gig_status place_picture(gig_model_cache *cache, const gig_image *file, const gig_study_picture *subject,
                                const gig_cached_model *model)
{
    cache->filter = model->description->filter;
    GIG_TRY(gig_explainer_place(&cache->image, &cache->placement, model->explainer, file));
    cache->pixels = gig_alloc(model->height * model->width * 3, sizeof *cache->pixels);
    if (!cache->pixels) return gig_alloc_status();
    gig_image_to_pixels(cache->pixels, &cache->image);
    GIG_TRY(place_truth(cache, subject, model->explainer));
    return remember(cache, subject);
}

static int same_truth(const gig_model_cache *cache, const gig_study_picture *subject)
{
    if (!cache->truth != !subject->mask || (cache->truth && strcmp(cache->truth, subject->mask))) return 0;
    return cache->box_count == subject->box_count &&
           (!cache->box_count || !memcmp(cache->boxes, subject->boxes, cache->box_count * sizeof *cache->boxes));
}

/* Whether the last picture is this one at this model's size. */
static int is_last(const gig_model_cache *cache, const gig_study_picture *subject, const gig_cached_model *model)
{
    gig_placement placement;
    const gig_placement *last = &cache->placement;
    if (!cache->picture || strcmp(cache->picture, subject->file) || cache->filter != model->description->filter ||
        !same_truth(cache, subject))
        return 0;
    if (gig_explainer_placement(&placement, model->explainer, last->from_width, last->from_height) != GIG_OK) return 0;
    return placement.scaled_width == cache->placement.scaled_width &&
           placement.scaled_height == cache->placement.scaled_height && placement.left == cache->placement.left &&
           placement.top == cache->placement.top && placement.width == cache->placement.width &&
           placement.height == cache->placement.height;
}

gig_status gig_model_cache_get_picture(gig_cached_picture *out, gig_model_cache *cache,
                                       const gig_study_picture *subject, const gig_cached_model *model)
{
    if (!is_last(cache, subject, model)) {
        gig_image file;
        drop_picture(cache);
        GIG_TRY(read_image(&file, subject->file));
        gig_status status = place_picture(cache, &file, subject, model);
        gig_image_clear(&file);
        if (status != GIG_OK) {
            drop_picture(cache);
            return status;
        }
    }
    *out = (gig_cached_picture){cache->image.height, cache->image.width, cache->image.pixels, cache->pixels,
                                cache->mask,         cache->box_area,    &cache->pic};
    return GIG_OK;
}

void gig_model_cache_free(gig_model_cache *cache)
{
    if (!cache) return;
    while (cache->file_count) close_file(&cache->files[--cache->file_count]);
    drop_picture(cache);
    gig_gradient_cache_free(cache->gradients);
    gig_free(cache);
}
