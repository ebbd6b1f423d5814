/* SPDX-License-Identifier: Apache-2.0 */
/* The twelve classes, each a function that draws one random specimen into a layer, and things that belong to no class.
 */
#ifndef DEMO_OBJECTS_H
#define DEMO_OBJECTS_H

#include "paint.h"

typedef struct artist {
    layer *on;
    const light *sun;
    rng *random;
} artist;

typedef struct object {
    const char *name;
    void (*draw)(artist *by);
    double tilt;         /* largest turn to either side, radians */
    double small, large; /* range of the size, as a fraction of the picture's side */
} object;

enum { CLASSES = 12 };
extern const object objects[CLASSES]; /* in alphabetical order: the index is the class */

void draw_apple(artist *by);
void draw_bird(artist *by);
void draw_boat(artist *by);
void draw_butterfly(artist *by);
void draw_cactus(artist *by);
void draw_candle(artist *by);
void draw_fish(artist *by);
void draw_key(artist *by);
void draw_mug(artist *by);
void draw_mushroom(artist *by);
void draw_snail(artist *by);
void draw_umbrella(artist *by);

/* Fills or strokes the brush's path as one part. */
void fill_part(artist *by, material look);
void stroke_part(artist *by, double width, material look);
colour any_colour(artist *by); /* of a painted or living thing */
double vary(artist *by, double value, double share);
double jitter(artist *by, double low, double high);
/* A colour drawn from these ranges of hue, saturation and value. C leaves open in which order arguments of a call are
   evaluated, so no call here may draw two of its arguments: another compiler would paint other scenes. */
colour colour_within(artist *by, const double hue[2], const double saturation[2], const double value[2]);

/* Ground of a random kind, lit. */
void paint_ground(canvas *scene, const light *sun, rng *random);
/* One random thing that belongs to no class: stone, leaf, twig, marble, block, ring, paper, pot shard. */
void draw_clutter(artist *by);

#endif
