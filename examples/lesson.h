/* SPDX-License-Identifier: Apache-2.0 */
/* What lesson 1 spells out, for the later lessons: a model, and a picture at the model's size. */
#ifndef GIG_EXAMPLES_LESSON_H
#define GIG_EXAMPLES_LESSON_H

#include <gig/gig.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call returns a status; the message says in one line what went wrong. */
static inline void check(gig_status status)
{
    if (status == GIG_OK) return;
    fprintf(stderr, "%s: %s\n", gig_status_name(status), gig_message());
    exit(1);
}

typedef struct lesson {
    gig_model *model;
    gig_description *description;
    gig_network *network;
    gig_session *session;
    gig_function function;   /* the softmax probability of a class, as a function of the pixels */
    gig_picture_shape shape; /* of a point */
    float *pixels;           /* [height, width, 3] in [0,1] */
    size_t best;             /* the class that the model sees */
} lesson;

/* The picture as the model takes it. */
static inline float *read_pixels(const char *path, const gig_description *about, size_t channels)
{
    gig_image picture, placed;
    gig_placement placement;
    size_t width = (size_t)about->pixels.width, height = (size_t)about->pixels.height;
    check(gig_image_read(&picture, path, &(gig_image_options){.channels = channels}));
    check(gig_placement_find(&placement, picture.width, picture.height, width, height, about->fit, about->shorter));
    check(gig_image_place(&placed, &picture, &placement, channels == 1 ? GIG_NEAREST : about->filter));
    float *pixels = malloc(width * height * channels * sizeof *pixels);
    if (!pixels) exit(1);
    gig_image_to_pixels(pixels, &placed);
    gig_image_clear(&placed);
    gig_image_clear(&picture);
    return pixels;
}

static inline void lesson_begin(lesson *out, const char *model, const char *picture)
{
    check(gig_model_load(&out->model, model, NULL));
    check(gig_description_load(&out->description, model));
    check(gig_description_complete(out->description, out->model));
    const gig_description *about = out->description;
    const gig_network_options options = {
        .input = about->input, .output = about->output_name, .output_kind = about->output, .pixels = about->pixels};
    check(gig_network_create(&out->network, out->model, &options));
    check(gig_session_create(&out->session, out->network));
    check(gig_session_function(&out->function, out->session, GIG_SOFTMAX));
    out->shape = (gig_picture_shape){(size_t)about->pixels.height, (size_t)about->pixels.width, 3, 0};
    out->pixels = read_pixels(picture, about, 3);
    check(gig_session_top(out->session, out->pixels, 1, &out->best, NULL));
}

static inline void lesson_end(lesson *held)
{
    free(held->pixels);
    gig_session_free(held->session);
    gig_network_free(held->network);
    gig_description_free(held->description);
    gig_model_free(held->model);
}

/* Explains the class that the model sees, by the method of that name. */
static inline void explain(gig_explanation *out, const lesson *held, const char *name)
{
    gig_method method;
    const float *input = held->pixels;
    const gig_explain_options options = {.shape = held->shape};
    check(gig_method_parse(&method, name, NULL));
    check(gig_explain(out, 1, &input, &held->best, 1, &held->function, &method, &options));
}

#endif
