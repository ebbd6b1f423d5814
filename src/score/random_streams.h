/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of random numbers that scores draw from: the purpose in the top byte, what it is for (a picture, a path, a
 * sample) below. A number of more than 56 bits overlaps with that byte; two purposes then share a stream only if two
 * such numbers happen to agree, which is very unlikely. */
#ifndef GIG_SCORE_RANDOM_STREAMS_H
#define GIG_SCORE_RANDOM_STREAMS_H

#include <stdint.h>

enum gig_score_purpose {
    GIG_DRAW_PIC_MASK = 0xa1,
    GIG_DRAW_CLOSED_PATH = 0xa2,
    GIG_DRAW_INFIDELITY = 0xa3,
    GIG_DRAW_SENSITIVITY = 0xa4,
    GIG_DRAW_BOOTSTRAP = 0xa5,
    GIG_DRAW_ROAD = 0xa6,
    GIG_DRAW_MUFIDELITY = 0xa7,
    GIG_DRAW_STABILITY = 0xa8,
    GIG_DRAW_OTHER_CLASS = 0xa9
};

static inline uint64_t gig_score_stream(enum gig_score_purpose purpose, uint64_t number)
{
    return (uint64_t)purpose << 56 ^ number;
}

#endif
