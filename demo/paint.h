/* SPDX-License-Identifier: Apache-2.0 */
/* What the demo's scenes are painted with: a counter random generator, noise, and layers of shaded parts.
 *
 * A part is a cairo path filled into a coverage mask; the mask is inflated to a height (a dome over the distance to its
 * edge), the height gives normals, and the normals are lit. Parts pile up into a layer (one thing), a layer casts a
 * shadow on the canvas and is laid over it. Colours are linear light until the picture is finished. */
#ifndef DEMO_PAINT_H
#define DEMO_PAINT_H

#include <cairo/cairo.h>
#include <stdint.h>

enum { SIDE = 96, OVER = 2, FINE = SIDE * OVER, FINE_PIXELS = FINE * FINE };

/* Number `at` of the stream `key`: a pure function of both. */
typedef struct rng {
    uint64_t key, at;
} rng;

rng rng_start(uint64_t seed, uint64_t scene);
double uniform(rng *random);                          /* [0,1) */
double between(rng *random, double low, double high); /* uniform in [low, high) */
int below(rng *random, int count);                    /* 0 .. count-1 */
int chance(rng *random, double probability);          /* 1 with that probability */
uint32_t seed_of(rng *random);                        /* for noise */
double noise(uint32_t seed, double x, double y);      /* smooth, about [-1,1], features of size 1 */
double fractal(uint32_t seed, double x, double y, int octaves);
float cell_noise(uint32_t seed, double x, double y); /* one uniform value per unit cell */

typedef struct colour {
    float r, g, b; /* linear light */
} colour;

colour hsv(double hue, double saturation, double value); /* hue in turns */
colour blend(colour a, colour b, double t);
colour scaled(colour a, double factor);

typedef struct light {
    double x, y, z; /* towards the light, unit length; y points down the picture */
    colour sun, sky;
    double shadow; /* how dark a cast shadow is, 0..1 */
} light;

typedef enum pattern { PLAIN, MOTTLED, STRIPED, SPOTTED, GRAINED, SCALED } pattern;
typedef enum relief { DOME, PILLAR, DECAL } relief; /* DECAL keeps the normals of what lies below */

typedef struct material {
    colour base, other; /* the pattern runs from base to other */
    pattern pattern;
    double frequency; /* of the pattern, per object unit */
    relief relief;
    double round;  /* DOME: depth of the rounded rim; PILLAR: half width; object units */
    double centre; /* PILLAR: its axis, object units */
    double bulge;  /* height of the dome against its depth; 0 is flat, 1 a half circle */
    double gloss;  /* strength of the highlight */
    double bump;   /* roughness of the surface */
    double glow;   /* light of its own */
    double shade;  /* how much the part darkens what lies just beside it on the layer */
} material;

typedef struct box {
    int x0, y0, x1, y1; /* x1 and y1 excluded; empty when x0 >= x1 */
} box;

typedef struct layer {
    float colour[FINE_PIXELS * 3]; /* premultiplied by alpha */
    float alpha[FINE_PIXELS];
    float normal[FINE_PIXELS * 2]; /* slope of the topmost part, x and y */
    box used;
    cairo_surface_t *mask; /* A8: coverage of the part being drawn */
    cairo_t *brush;        /* draws into mask, in object units */
    cairo_matrix_t pose;   /* object units to fine pixels */
    float *scratch;        /* FINE_PIXELS * 4 */
} layer;

typedef struct canvas {
    float colour[FINE_PIXELS * 3];
    float mask[FINE_PIXELS]; /* visible coverage of what makes the class */
} canvas;

layer *layer_new(void);
void layer_free(layer *self);
/* Empties the layer; object units run from -1 to 1 over `size` fine pixels around (x, y), turned by `angle`. */
void layer_begin(layer *self, double x, double y, double size, double stretch, double angle, int mirrored);
/* Lights what was drawn with self->brush since the last call, adds it to the layer, and clears the brush. */
void layer_paint(layer *self, const light *sun, const material *look, uint32_t seed);
double layer_area(const layer *self);
double layer_covers(const layer *self, const canvas *scene); /* how much of the scene's mask it would hide */
/* Shadow and layer onto the canvas. `counts`: this is what makes the class; otherwise it hides it. `height`: how far
 * above the ground, fine pixels. */
void layer_lay(const layer *self, canvas *scene, const light *sun, double height, int counts);

/* A surface lit by the sun and the sky. */
colour lit(const light *sun, colour albedo, double slope_x, double slope_y, double gloss);

/* Paths, added to the brush's current path. */
void path_ellipse(cairo_t *brush, double x, double y, double rx, double ry);
void path_smooth(cairo_t *brush, double (*points)[2], int count, int closed); /* through all points */

#endif
