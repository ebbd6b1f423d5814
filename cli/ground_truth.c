/* SPDX-License-Identifier: Apache-2.0 */
#include "ground_truth.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "internal/explainer.h"
#include "internal/score.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- boxes as they are given ---- */

typedef struct box_text {
    char text[100];
} box_text;

/* "box 2 (10 20 90 80)", counted from 1. */
static box_text name_box(const gig_box *box, size_t i)
{
    box_text out;
    snprintf(out.text, sizeof out.text, "box %zu (%lld %lld %lld %lld)", i + 1, (long long)box->xmin,
             (long long)box->ymin, (long long)box->xmax, (long long)box->ymax);
    return out;
}

/* Four integers, then the end or a semicolon; what comes after that, or NULL. */
static const char *read_box(gig_box *out, const char *at)
{
    static const char blanks[] = " \t\r\n";
    int64_t *const fields[] = {&out->xmin, &out->ymin, &out->xmax, &out->ymax};
    for (int i = 0; i < 4; i++) {
        char *end;
        errno = 0;
        *fields[i] = strtoll(at, &end, 10);
        if (end == at || errno) return NULL;
        at = end;
    }
    at += strspn(at, blanks);
    if (*at && *at != ';') return NULL;
    at += *at == ';';
    return at + strspn(at, blanks);
}

int ground_truth_read_boxes(ground_truth *out, const char *text)
{
    const char *at = text;
    do {
        gig_box box;
        at = read_box(&box, at);
        if (!at || out->box_count == GROUND_TRUTH_MOST_BOXES) {
            complain("score: --boxes: expected \"x0 y0 x1 y1;...\", at most %d boxes, found \"%s\"",
                     GROUND_TRUTH_MOST_BOXES, text);
            return EXIT_USAGE;
        }
        if (box.xmin > box.xmax || box.ymin > box.ymax) {
            complain("score: %s is empty: expected x0 <= x1 and y0 <= y1", name_box(&box, out->box_count).text);
            return EXIT_USAGE;
        }
        out->boxes[out->box_count++] = box;
    } while (*at);
    return EXIT_OK;
}

/* Refuses boxes wholly outside, and says which are cut off. `what` is width x height pixels large. */
static int check_boxes(const ground_truth *self, const char *what, size_t width, size_t height)
{
    int64_t right = (int64_t)width - 1, bottom = (int64_t)height - 1;
    for (size_t i = 0; i < self->box_count; i++) {
        const gig_box *box = &self->boxes[i];
        if (box->xmin > right || box->ymin > bottom || box->xmax < 0 || box->ymax < 0) {
            complain("score: %s lies outside the %s of %zu x %zu", name_box(box, i).text, what, width, height);
            return EXIT_USAGE;
        }
    }
    for (size_t i = 0; i < self->box_count; i++) {
        const gig_box *box = &self->boxes[i];
        if (box->xmin < 0 || box->ymin < 0 || box->xmax > right || box->ymax > bottom)
            complain("warning: %s reaches outside the %s of %zu x %zu and is cut off there", name_box(box, i).text,
                     what, width, height);
    }
    return EXIT_OK;
}

/* ---- masks ---- */

static gig_status place(gig_placement *out, const ground_truth_frame *frame, const gig_image *image)
{
    return gig_placement_find(out, image->width, image->height, frame->width, frame->height,
                              frame->about ? frame->about->fit : GIG_SQUASH, frame->about ? frame->about->shorter : 0);
}

/* How the model brings the picture to the map's size. */
static int place_picture(gig_placement *out, const ground_truth_frame *frame)
{
    gig_image whole = {0};
    const gig_image_options wanted = {.no_orient = frame->no_orient};
    gig_status status = gig_image_read(&whole, frame->picture, &wanted);
    if (status == GIG_OK) status = place(out, frame, &whole);
    gig_image_clear(&whole);
    return report(status);
}

/* A mask goes the way of its picture, and so has its proportions. */
static int check_proportions(const gig_image *mask, const char *path, const ground_truth_frame *frame)
{
    gig_placement picture;
    if (!frame->picture || !file_is_regular(frame->picture)) return EXIT_OK; /* a pipe is read for the picture itself */
    int code = place_picture(&picture, frame);
    if (code != EXIT_OK || gig_mask_fits(mask->width, mask->height, picture.from_width, picture.from_height))
        return code;
    complain("%s: the mask is %zu x %zu, its picture %zu x %zu", path, mask->width, mask->height, picture.from_width,
             picture.from_height);
    return EXIT_INPUT;
}

/* Once: of many masks most are alike. */
static void warn_squashed(ground_truth *self, const char *path, const gig_image *image, const ground_truth_frame *frame)
{
    if (self->warned) return;
    self->warned = 1;
    complain(
        "warning: %s: %zu x %zu are squashed to the map's %zu x %zu; with --model, masks are resized like its pictures",
        path, image->width, image->height, frame->width, frame->height);
}

/* Comes to the map's size as the model's pictures do, but by nearest neighbour. */
static int place_mask(uint8_t *mask, ground_truth *self, const gig_image *whole, const char *path,
                      const ground_truth_frame *frame)
{
    gig_image fitted = {0};
    gig_placement placement;
    /* Without a model nothing says how pictures came to the map's size. */
    if (!frame->about && !gig_mask_fits(whole->width, whole->height, frame->width, frame->height))
        warn_squashed(self, path, whole, frame);
    int code = check_proportions(whole, path, frame);
    if (code == EXIT_OK) code = report(place(&placement, frame, whole));
    if (code == EXIT_OK) code = report(gig_image_place(&fitted, whole, &placement, GIG_NEAREST));
    if (code == EXIT_OK) memcpy(mask, fitted.pixels, frame->height * frame->width);
    gig_image_clear(&fitted);
    return code;
}

static int draw_mask(uint8_t *mask, ground_truth *self, const char *path, const ground_truth_frame *frame)
{
    const gig_image_options wanted = {.no_orient = frame->no_orient};
    gig_image whole = {0};
    int code = report(gig_mask_read(&whole, path, &wanted));
    if (code == EXIT_OK) code = place_mask(mask, self, &whole, path, frame);
    gig_image_clear(&whole);
    return code;
}

static int draw_boxes(uint8_t *mask, const ground_truth *self, const ground_truth_frame *frame)
{
    if (!frame->picture) {
        int code = check_boxes(self, "map", frame->width, frame->height);
        if (code != EXIT_OK) return code;
        return report(gig_mask_from_boxes(mask, frame->height, frame->width, self->boxes, self->box_count));
    }
    gig_placement placement;
    int code = place_picture(&placement, frame);
    if (code != EXIT_OK) return code;
    code = check_boxes(self, "picture", placement.from_width, placement.from_height);
    if (code != EXIT_OK) return code;
    gig_box placed[GROUND_TRUTH_MOST_BOXES];
    size_t left = 0; /* those that the model's crop does not cut away */
    for (size_t i = 0; i < self->box_count; i++)
        left += (size_t)gig_box_place(&placed[left], &self->boxes[i], &placement);
    return report(gig_mask_from_boxes(mask, frame->height, frame->width, placed, left));
}

int ground_truth_draw(uint8_t *mask, ground_truth *self, size_t i, const ground_truth_frame *frame)
{
    if (!self->masks.count) return draw_boxes(mask, self, frame);
    return draw_mask(mask, self, self->masks.names[i], frame);
}

int ground_truth_read_geometry(ground_truth *self, const char *model)
{
    int rank;
    int64_t dims[GIG_MAX_RANK];
    gig_status status = gig_explainer_open(&self->geometry, model, &(gig_explainer_options){.lazy = 1});
    if (status != GIG_OK) return report(status);
    self->about = gig_explainer_description(self->geometry);
    if (self->about->pixels.width) return EXIT_OK;
    return report(gig_explainer_dims(&rank, dims, self->geometry, NULL)); /* says why it takes no pictures */
}

void ground_truth_clear(ground_truth *self)
{
    points_clear(&self->masks);
    gig_explainer_close(self->geometry);
    *self = (ground_truth){0};
}
