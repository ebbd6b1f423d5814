#include "truth.h"
#include "gig/score.h"
#include "report.h"
#include <stdio.h>

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

int truth_read_boxes(truth *out, const char *text)
{
    const char *at = text;
    do {
        long long x0, y0, x1, y1;
        int bytes = 0;
        if (sscanf(at, " %lld %lld %lld %lld %n", &x0, &y0, &x1, &y1, &bytes) != 4 || (at[bytes] && at[bytes] != ';') ||
            out->box_count == TRUTH_MOST_BOXES) {
            complain("score: --boxes is \"x0 y0 x1 y1;...\", at most %d of them, not \"%s\"", TRUTH_MOST_BOXES, text);
            return EXIT_USAGE;
        }
        const gig_box box = {x0, y0, x1, y1};
        if (x0 > x1 || y0 > y1) {
            complain("score: %s is empty: x0 <= x1 and y0 <= y1 are wanted", name_box(&box, out->box_count).text);
            return EXIT_USAGE;
        }
        out->boxes[out->box_count++] = box;
        at += bytes + (at[bytes] == ';');
    } while (*at);
    return EXIT_OK;
}

/* Refuses boxes wholly outside, and says which are cut off. `what` is width x height pixels large. */
static int check_boxes(const truth *self, const char *what, size_t width, size_t height)
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

static gig_status place(gig_placement *out, const truth_frame *frame, const gig_image *image)
{
    return gig_placement_find(out, image->width, image->height, frame->width, frame->height,
                              frame->about ? frame->about->fit : GIG_SQUASH, frame->about ? frame->about->shorter : 0);
}

/* Are the sides' proportions off by more than a pixel? Without a model nothing says how pictures came to the map's
 * size. */
static int is_squashed(const gig_image *image, const truth_frame *frame)
{
    if (frame->about) return 0;
    size_t a = image->width * frame->height, b = image->height * frame->width;
    return (a > b ? a - b : b - a) > (image->width > image->height ? image->width : image->height);
}

/* Once: of many masks most are alike. */
static void warn_squashed(truth *self, const char *path, const gig_image *image, const truth_frame *frame)
{
    if (self->warned) return;
    self->warned = 1;
    complain("warning: %s: %zu x %zu are squashed to the map's %zu x %zu; --model brings masks there as its pictures",
             path, image->width, image->height, frame->width, frame->height);
}

/* Comes to the map's size as the model's pictures do, but by nearest neighbour. */
static gig_status read_mask(uint8_t *mask, truth *self, const char *path, const truth_frame *frame)
{
    gig_image_options wanted = GIG_IMAGE_OPTIONS_INIT;
    wanted.channels = 1;
    wanted.no_orient = frame->no_orient;
    gig_image grey = {0}, fitted = {0};
    gig_placement placement;
    gig_status status = gig_image_read(&grey, path, &wanted);
    if (status == GIG_OK && is_squashed(&grey, frame)) warn_squashed(self, path, &grey, frame);
    if (status == GIG_OK) status = place(&placement, frame, &grey);
    if (status == GIG_OK) status = gig_image_place(&fitted, &grey, &placement, GIG_NEAREST);
    if (status == GIG_OK) gig_mask_from_grey(mask, fitted.pixels, frame->height * frame->width);
    gig_image_clear(&grey);
    gig_image_clear(&fitted);
    return status;
}

static int draw_boxes(uint8_t *mask, const truth *self, const truth_frame *frame)
{
    if (!frame->picture) {
        int code = check_boxes(self, "map", frame->width, frame->height);
        if (code != EXIT_OK) return code;
        return report(gig_mask_from_boxes(mask, frame->height, frame->width, self->boxes, self->box_count));
    }
    gig_image whole = {0};
    gig_image_options wanted = {.no_orient = frame->no_orient};
    gig_placement placement;
    gig_status status = gig_image_read(&whole, frame->picture, &wanted);
    if (status == GIG_OK) status = place(&placement, frame, &whole);
    gig_image_clear(&whole);
    if (status != GIG_OK) return report(status);
    int code = check_boxes(self, "picture", placement.from_width, placement.from_height);
    if (code != EXIT_OK) return code;
    gig_box placed[TRUTH_MOST_BOXES];
    size_t left = 0; /* those that the model's crop does not cut away */
    for (size_t i = 0; i < self->box_count; i++)
        left += (size_t)gig_box_place(&placed[left], &self->boxes[i], &placement);
    return report(gig_mask_from_boxes(mask, frame->height, frame->width, placed, left));
}

int truth_draw(uint8_t *mask, truth *self, size_t i, const truth_frame *frame)
{
    if (!self->masks.count) return draw_boxes(mask, self, frame);
    return report(read_mask(mask, self, self->masks.names[i], frame));
}

int truth_read_geometry(truth *self, const char *model)
{
    gig_model *loaded = NULL;
    gig_status status = gig_model_load(&loaded, model, NULL);
    if (status == GIG_OK) status = gig_description_load(&self->about, model);
    if (status == GIG_OK) status = gig_description_complete(self->about, loaded);
    gig_model_free(loaded);
    return report(status);
}

void truth_clear(truth *self)
{
    points_clear(&self->masks);
    gig_description_free(self->about);
    *self = (truth){0};
}
