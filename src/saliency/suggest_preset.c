/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses which preset a model was trained with from its confidence: for a warning only, never applied. A preset's
 * score is the smallest probability that one class has for the picture, its mirror image and a darker copy. Values up
 * to 255 make a network that does not expect them confident about anything, so those presets count only if all others
 * leave it in doubt. */
#include "base/memory.h"
#include "base/status.h"
#include "internal/explainer.h"
#include "saliency/explainer.h"
#include <string.h>
#include <unistd.h>

enum { VIEWS = 3, SMALL = 3 }; /* SMALL: how many presets give small numbers */

static void change_view(float *out, const float *pixels, size_t height, size_t width, int view)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < 3; c++) {
                size_t from = view == 1 ? width - 1 - x : x;
                out[(y * width + x) * 3 + c] = (view == 2 ? 0.7f : 1.0f) * pixels[(y * width + from) * 3 + c];
            }
}

/* Pixels as another preset would give them to a model that takes values from 0 to 1 in this channel order. */
static void prepare(float *out, const gig_pixels *way, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        float pixel[3];
        memcpy(pixel, out + 3 * p, sizeof pixel);
        for (size_t c = 0; c < 3; c++) {
            float value = pixel[way->bgr ? 2 - c : c];
            out[3 * p + c] = (way->scale * value - way->mean[c]) / way->std[c];
        }
    }
}

/* The picture that is tried, [height, width, 3] in [0,1], and room for another of its size. */
typedef struct trial {
    gig_session *session;
    const float *pixels;
    size_t height, width;
    float *changed;
} trial;

/* seen: class and probability of the picture itself. */
static gig_status sureness(double *out, gig_preset_view *seen, const trial *on, const gig_pixels *way)
{
    size_t first = 0;
    *out = 1;
    for (int view = 0; view < VIEWS; view++) {
        size_t class = 0;
        double probability;
        change_view(on->changed, on->pixels, on->height, on->width, view);
        prepare(on->changed, way, on->height * on->width);
        GIG_TRY(gig_session_top(on->session, on->changed, 1, &class, &probability));
        if (!view) {
            seen->class_index = class;
            seen->probability = probability;
        }
        if (view && class != first) probability = 0;
        first = class;
        if (probability < *out) *out = probability;
    }
    return GIG_OK;
}

static gig_status suggest(gig_preset_view *seen, const char **out, gig_session *session, const float *pixels,
                          const size_t size[2])
{
    static const char *const names[GIG_PRESET_VIEWS] = {"zero-one", "imagenet", "minus-one", "caffe", "raw"};
    const double doubt = 0.3, clearly = 0.05;
    double best = -1, assumed = 0;
    GIG_NEED(session);
    trial on = {.session = session, .pixels = pixels, .height = size[0], .width = size[1]};
    on.changed = gig_alloc(3 * on.height * on.width, sizeof *on.changed);
    if (!on.changed) return gig_alloc_status();
    gig_status status = GIG_OK;
    for (size_t i = 0; i < GIG_PRESET_VIEWS && status == GIG_OK; i++) {
        gig_description way = {0};
        double sure = 0;
        int counts = i < SMALL || best < doubt;
        status = gig_description_preset(&way, names[i]);
        if (status == GIG_OK) status = sureness(&sure, &seen[i], &on, &way.pixels);
        seen[i].preset = names[i];
        if (i == 0) assumed = sure;
        if (!counts || sure <= best) continue;
        best = sure;
        *out = i ? names[i] : NULL;
    }
    gig_free(on.changed);
    int confident = gig_network_classes(gig_session_network(session)) < 3; /* whatever it sees */
    if (status != GIG_OK || confident || best < assumed + clearly) *out = NULL;
    if (status != GIG_OK) seen[0].preset = NULL;
    return status;
}

/* The assumption alone, where other presets cannot be tried. */
static gig_status view_assumed(gig_preset_view *seen, gig_session *session, const float *point)
{
    GIG_TRY(gig_session_top(session, point, 1, &seen[0].class_index, &seen[0].probability));
    seen[0].preset = "zero-one";
    return GIG_OK;
}

gig_status gig_explainer_try_presets(gig_preset_view seen[GIG_PRESET_VIEWS], const char **out, gig_explainer *explainer,
                                     const gig_input *input)
{
    gig_question question;
    *out = NULL;
    memset(seen, 0, GIG_PRESET_VIEWS * sizeof *seen);
    GIG_NEED(explainer);
    if (explainer->functions || gig_input_is_tensor(input) || explainer->options.preset) return GIG_OK;
    const gig_description *about = explainer->description;
    const gig_pixels *pixels = &about->pixels;
    if (explainer->options.description || access(about->path, F_OK) == 0) return GIG_OK;
    if (explainer->aim.kind != GIG_TARGET_CLASS) return GIG_OK;
    GIG_TRY(gig_explainer_ask(&question, explainer, input, 1, NULL));
    if (pixels->scale != 1 || pixels->bgr) return GIG_OK; /* the model's own metadata say how */
    const size_t size[2] = {(size_t)pixels->height, (size_t)pixels->width};
    size_t features = gig_network_features(gig_session_network(question.sessions[0]));
    if (pixels->grey || features != 3 * size[0] * size[1]) /* several inputs are explained together */
        return view_assumed(seen, question.sessions[0], question.point);
    return suggest(seen, out, question.sessions[0], question.point, size);
}
