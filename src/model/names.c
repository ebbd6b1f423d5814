/* SPDX-License-Identifier: Apache-2.0 */
/* Names: checked to be text, copied; those of values are sorted once, then found by binary search. Sorting instead of
 * hashing, so that no choice of names can make it slow. */
#include "base/utf8.h"
#include "model/load.h"
#include <string.h>

gig_status gig_name_copy(char **out, const char *name)
{
    if (!name) name = "";
    if (strlen(name) > GIG_MAX_NAME)
        return gig_fail(GIG_ELIMIT, "the name \"%.40s...\" is longer than %d bytes", name, GIG_MAX_NAME);
    *out = gig_strdup(name);
    return *out ? GIG_OK : gig_alloc_status();
}

int gig_text_is_sound(const void *text, size_t bytes)
{
    const uint8_t *at = text, *end = at + bytes;
    while (at < end) {
        size_t length = *at ? gig_utf8_length(at, (size_t)(end - at)) : 0;
        if (!length) return 0;
        at += length;
    }
    return 1;
}

/* By name; equal ones by index, so that the order is unique. */
static int before(int a, int b, const gig_value *values)
{
    int order = strcmp(values[a].name, values[b].name);
    return order ? order < 0 : a < b;
}

static void sift_down(int *heap, size_t root, size_t count, const gig_value *values)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && before(heap[child], heap[child + 1], values)) child++;
        if (!before(heap[root], heap[child], values)) return;
        int swap = heap[root];
        heap[root] = heap[child];
        heap[child] = swap;
    }
}

void gig_names_sort(int *order, size_t count, const gig_value *values)
{
    for (size_t i = 0; i < count; i++) order[i] = (int)i;
    for (size_t i = count / 2; i-- > 0;) sift_down(order, i, count, values);
    for (size_t end = count; end-- > 1;) {
        int largest = order[0];
        order[0] = order[end];
        order[end] = largest;
        sift_down(order, 0, end, values);
    }
}

int gig_names_find(const int *order, size_t count, const gig_value *values, const char *name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int compared = strcmp(values[order[middle]].name, name);
        if (!compared) return order[middle];
        if (compared < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}
