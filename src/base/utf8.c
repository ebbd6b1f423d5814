/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"
#include <stdint.h>
#include <string.h>

size_t gig_utf8_length(const void *text, size_t left)
{
    const uint8_t *at = text;
    uint8_t first = at[0];
    size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : 4;
    if (length == 4 && (first < 0xf0 || first > 0xf4)) return 0;
    if (length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (first == 0xe0 && at[1] < 0xa0) return 0;
    if (first == 0xed && at[1] > 0x9f) return 0;
    if (first == 0xf0 && at[1] < 0x90) return 0;
    if (first == 0xf4 && at[1] > 0x8f) return 0;
    return length;
}

size_t gig_utf8_mark(const void *text, size_t bytes)
{
    return bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}
