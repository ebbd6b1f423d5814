/* SPDX-License-Identifier: Apache-2.0 */
/* Finding tensors for a person: names that were nearly right. */
#include "base/memory.h"
#include "internal/guess.h"
#include "model/graph.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SUGGESTED = 3 };

/* Distance of a name from the requested one; names that contain it (or end with it) come first. */
static size_t apart(const char *wanted, const char *name)
{
    size_t a = strlen(wanted), b = strlen(name);
    if (!b) return SIZE_MAX;
    if (a > 2 && strstr(name, wanted)) return 0;
    size_t far = gig_letters_apart(wanted, a, name, b);
    return far <= (a + 2) / 3 ? far : SIZE_MAX; /* a third of the letters may be wrong */
}

/* The nearest ones, nearest first; of equals the later in the file, which is nearer to the classes. Returns how many.
 */
static size_t nearest(const char *out[SUGGESTED], const gig_model *model, const char *wanted)
{
    size_t best[SUGGESTED], count = 0;
    for (size_t v = 0; v < model->value_count; v++) {
        const gig_value *value = &model->values[v];
        size_t far = value->constant ? SIZE_MAX : apart(wanted, value->name);
        if (far == SIZE_MAX) continue;
        size_t at = count < SUGGESTED ? count++ : SUGGESTED;
        while (at > 0 && far <= best[at - 1]) {
            if (at < SUGGESTED) {
                best[at] = best[at - 1];
                out[at] = out[at - 1];
            }
            at--;
        }
        if (at >= SUGGESTED) continue;
        best[at] = far;
        out[at] = value->name;
    }
    return count;
}

gig_status gig_model_find_tensor(int *out, const gig_model *model, const char *value_name)
{
    const char *names[SUGGESTED] = {NULL};
    char text[320] = "";
    *out = gig_model_find(model, value_name);
    if (*out >= 0) return GIG_OK;
    size_t count = nearest(names, model, value_name), used = 0;
    for (size_t i = 0; i < count; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s\"%.80s\"", i ? ", " : "; similar names: ", names[i]);
    return gig_fail(GIG_EARG, "the model has no tensor \"%.80s\"%s", value_name, text);
}
