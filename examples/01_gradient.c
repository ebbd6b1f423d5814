/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 1: from an ONNX file and a picture to a class, its probability, and the gradient of that probability.
 *
 *     01_gradient [MODEL PICTURE]
 *
 * A model is read once; a network is the model made ready for one purpose; a session is the memory of one thread that
 * runs it. What comes out is a gig_function: value and gradient at a point. Everything else in the library knows a
 * model only as that function. */
#include <gig/gig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call returns a status; the message says in one line what went wrong. */
static void check(gig_status status)
{
    if (status == GIG_OK) return;
    fprintf(stderr, "%s: %s\n", gig_status_name(status), gig_message());
    exit(1);
}

int main(int argc, char **argv)
{
    const char *model_path = argc > 1 ? argv[1] : "demo/model.onnx";
    const char *picture_path = argc > 2 ? argv[2] : "demo/pictures/boat-2.png";

    /* The file, and the description beside it (model.json): how pictures become the model's input. */
    gig_model *model;
    gig_description *about;
    check(gig_model_load(&model, model_path, NULL));
    check(gig_description_load(&about, model_path));
    check(gig_description_complete(about, model));

    /* Points of this network are pictures: [height, width, 3], RGB in [0,1]. The model's own scale and mean are part
     * of the function and are differentiated through. */
    gig_network *network;
    gig_session *session;
    gig_function function;
    const gig_network_options options = {
        .input = about->input, .output = about->output_name, .output_kind = about->output, .pixels = about->pixels};
    check(gig_network_create(&network, model, &options));
    check(gig_session_create(&session, network));
    check(gig_session_function(&function, session, GIG_SOFTMAX));

    /* The picture, brought to the model's size the way the description says. */
    gig_image picture, placed;
    gig_placement placement;
    size_t width = (size_t)about->pixels.width, height = (size_t)about->pixels.height;
    check(gig_image_read(&picture, picture_path, NULL));
    check(gig_placement_find(&placement, picture.width, picture.height, width, height, about->fit, about->shorter));
    check(gig_image_place(&placed, &picture, &placement, about->filter));
    float *pixels = malloc(function.features * sizeof *pixels),
          *gradient = malloc(function.features * sizeof *gradient);
    if (!pixels || !gradient) return 1;
    gig_image_to_pixels(pixels, &placed);

    /* What the model sees, and which way each pixel would have to move to raise that probability. */
    size_t best;
    double probability, value;
    const float *point = pixels;
    check(gig_session_top(session, pixels, 1, &best, &probability));
    check(function.evaluate(function.payload, 1, &point, &best, &value, &gradient));
    size_t steepest = 0;
    for (size_t i = 1; i < function.features; i++)
        if (fabsf(gradient[i]) > fabsf(gradient[steepest])) steepest = i;
    const char *label = gig_description_label(about, best);
    printf("class %zu (%s) with probability %.4f\n", best, label ? label : "no label", probability);
    printf("steepest at row %zu, column %zu, channel %zu: %+.4g\n", steepest / 3 / width, steepest / 3 % width,
           steepest % 3, (double)gradient[steepest]);

    free(gradient);
    free(pixels);
    gig_image_clear(&placed);
    gig_image_clear(&picture);
    gig_session_free(session);
    gig_network_free(network);
    gig_description_free(about);
    gig_model_free(model);
    return 0;
}
