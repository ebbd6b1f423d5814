/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_list.h"
#include "base/memory.h"
#include <string.h>

void gig_texts_clear(gig_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) gig_free(texts->all[i]);
    gig_free(texts->all);
    *texts = (gig_texts){0};
}

int gig_texts_have(const gig_texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++)
        if (!strcmp(texts->all[i], text)) return 1;
    return 0;
}

gig_status gig_texts_add(gig_texts *texts, const char *text)
{
    void *all = texts->all;
    size_t capacity = texts->count;
    gig_status status = gig_grow(&all, &capacity, texts->count + 1, sizeof *texts->all);
    texts->all = all;
    if (status != GIG_OK) return status;
    texts->all[texts->count] = gig_strdup(text);
    return texts->all[texts->count] ? texts->count++, GIG_OK : gig_alloc_status();
}
