/* SPDX-License-Identifier: Apache-2.0 */
/* The demo's scenes: one of twelve kinds of thing on a cluttered background, with the exact mask of the thing.
 *
 *     generate train SEED FIRST COUNT FILE    COUNT records: one byte class, SIDE*SIDE*3 bytes RGB
 *     generate png SEED FIRST COUNT FOLDER    FOLDER/pictures/CLASS-NUMBER.png, FOLDER/masks/CLASS-NUMBER.png
 *     generate sheet SEED FIRST COUNT FILE    all of them on one PNG, twelve in a row
 *     generate labels                         the class names, one per line
 *
 * Scene i of a seed is a pure function of (seed, i); its class is i mod 12. Background, light and clutter are chosen
 * independently of the class. */
#include "objects.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene {
    int class;
    uint8_t rgb[SIDE * SIDE * 3];
    uint8_t mask[SIDE * SIDE]; /* 255 where the thing is at least half of the pixel */
} scene;

static light make_light(rng *random)
{
    light sun;
    double angle = between(random, -2.6, -0.5), lean = between(random, 0.5, 0.8), warm = between(random, -0.5, 1);
    sun.x = cos(angle) * lean;
    sun.y = sin(angle) * lean;
    sun.z = sqrt(1 - lean * lean);
    double strength = between(random, 0.85, 1.3), ambient = between(random, 0.3, 0.5);
    sun.sun = scaled((colour){1.0f, (float)(0.96 - 0.06 * warm), (float)(0.92 - 0.16 * warm)}, strength);
    sun.sky = scaled((colour){0.85f, 0.95f, (float)(1.0 + 0.15 * warm)}, ambient);
    sun.shadow = between(random, 0.35, 0.65);
    return sun;
}

static void lay_clutter(canvas *on, layer *sheet, const light *sun, rng *random, int count, int in_front)
{
    for (int i = 0; i < count; i++) {
        artist by = {sheet, sun, random};
        double size = FINE * (in_front ? between(random, 0.12, 0.26) : between(random, 0.14, 0.42));
        int mirrored = chance(random, 0.5);
        double turn = between(random, -3.14, 3.14), stretch = between(random, 0.85, 1.2);
        double y = between(random, 0, FINE), x = between(random, 0, FINE);
        layer_begin(sheet, x, y, size, stretch, turn, mirrored);
        draw_clutter(&by);
        if (in_front && layer_covers(sheet, on) > 0.10) continue;
        layer_lay(sheet, on, sun, size * 0.08, 0);
    }
}

static void lay_thing(canvas *on, layer *sheet, const light *sun, rng *random, int class)
{
    const object *thing = &objects[class];
    artist by = {sheet, sun, random};
    double size = FINE * between(random, thing->small, thing->large), room = (FINE - size) / 2 + 0.05 * size;
    double x = FINE / 2.0 + between(random, -room, room), y = FINE / 2.0 + between(random, -room, room);
    int mirrored = chance(random, 0.5);
    double turn = between(random, -thing->tilt, thing->tilt), stretch = between(random, 0.92, 1.09);
    layer_begin(sheet, x, y, size, stretch, turn, mirrored);
    thing->draw(&by);
    layer_lay(sheet, on, sun, size * 0.07, 1);
}

static float encode(float linear)
{
    float x = fminf(fmaxf(linear, 0), 1);
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
}

/* Exposure, vignette, a little grain, 2 x 2 fine pixels to one. */
static void develop(scene *out, const canvas *from, rng *random)
{
    double exposure = between(random, 0.85, 1.2), dark = between(random, 0, 0.25), grain = between(random, 0.004, 0.02);
    uint32_t seed = seed_of(random);
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            double away = hypot(x - SIDE / 2.0, y - SIDE / 2.0) / SIDE, fall = exposure * (1 - dark * 2 * away * away);
            int p = (y * FINE + x) * OVER;
            int corners[4] = {p, p + 1, p + FINE, p + FINE + 1};
            float covered = 0;
            for (int c = 0; c < 3; c++) {
                float sum = 0;
                for (int k = 0; k < 4; k++) sum += fminf(from->colour[corners[k] * 3 + c], 1.4f);
                double speck = grain * ((double)cell_noise(seed + (uint32_t)c, x, y) - 0.5) * 2;
                double value = (double)encode((float)(0.25 * (double)sum * fall)) + speck;
                out->rgb[(y * SIDE + x) * 3 + c] = (uint8_t)lrint(255 * fmin(fmax(value, 0), 1));
            }
            for (int k = 0; k < 4; k++) covered += from->mask[corners[k]];
            out->mask[y * SIDE + x] = covered >= 2 ? 255 : 0;
        }
    }
}

static void make_scene(scene *out, canvas *on, layer *sheet, uint64_t seed, uint64_t index)
{
    rng random = rng_start(seed, index);
    out->class = (int)(index % CLASSES);
    light sun = make_light(&random);
    paint_ground(on, &sun, &random);
    lay_clutter(on, sheet, &sun, &random, 2 + below(&random, 6), 0);
    lay_thing(on, sheet, &sun, &random, out->class);
    lay_clutter(on, sheet, &sun, &random, below(&random, 4), 1);
    develop(out, on, &random);
}

static int write_png(const char *path, const uint8_t *bytes, int width, int height, int channels)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    uint8_t *to = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (int y = 0; y < height; y++) {
        uint32_t *row = (uint32_t *)(void *)(to + y * stride);
        for (int x = 0; x < width; x++) {
            const uint8_t *p = bytes + (y * width + x) * channels;
            row[x] = channels == 3 ? (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2] : p[0] * 0x10101u;
        }
    }
    cairo_surface_mark_dirty(image);
    int ok = cairo_surface_write_to_png(image, path) == CAIRO_STATUS_SUCCESS;
    if (!ok) fprintf(stderr, "generate: cannot write %s\n", path);
    cairo_surface_destroy(image);
    return ok;
}

static int write_pair(const char *folder, const scene *made, uint64_t index)
{
    char path[4096];
    const char *name = objects[made->class].name;
    snprintf(path, sizeof path, "%s/pictures/%s-%llu.png", folder, name, (unsigned long long)index);
    if (!write_png(path, made->rgb, SIDE, SIDE, 3)) return 0;
    snprintf(path, sizeof path, "%s/masks/%s-%llu.png", folder, name, (unsigned long long)index);
    return write_png(path, made->mask, SIDE, SIDE, 1);
}

static int make_all(const char *mode, uint64_t seed, uint64_t first, uint64_t count, const char *where)
{
    canvas *on = calloc(1, sizeof *on);
    layer *sheet = layer_new();
    scene made;
    FILE *file = strcmp(mode, "train") == 0 ? fopen(where, "wb") : NULL;
    int columns = CLASSES, rows = (int)((count + CLASSES - 1) / CLASSES), ok = on != NULL;
    uint8_t *all = strcmp(mode, "sheet") == 0 ? calloc((size_t)columns * (size_t)rows, SIDE * SIDE * 3) : NULL;
    for (uint64_t i = 0; ok && i < count; i++) {
        make_scene(&made, on, sheet, seed, first + i);
        if (file) {
            ok = putc(made.class, file) != EOF && fwrite(made.rgb, 1, sizeof made.rgb, file) == sizeof made.rgb;
        } else if (all) {
            size_t row = (size_t)i / CLASSES, column = (size_t)i % CLASSES;
            for (size_t y = 0; y < SIDE; y++)
                memcpy(all + ((row * SIDE + y) * CLASSES + column) * SIDE * 3, made.rgb + y * SIDE * 3, SIDE * 3);
        } else {
            ok = write_pair(where, &made, first + i);
        }
    }
    if (all && ok) ok = write_png(where, all, columns * SIDE, rows * SIDE, 3);
    if (file && fclose(file)) ok = 0;
    free(all);
    layer_free(sheet);
    free(on);
    return ok;
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "labels") == 0) {
        for (int i = 0; i < CLASSES; i++) puts(objects[i].name);
        return 0;
    }
    int known = count == 6 && (!strcmp(words[1], "train") || !strcmp(words[1], "png") || !strcmp(words[1], "sheet"));
    if (!known) {
        fprintf(stderr, "usage: generate train|png|sheet SEED FIRST COUNT WHERE, or generate labels\n");
        return 1;
    }
    return make_all(words[1], strtoull(words[2], NULL, 10), strtoull(words[3], NULL, 10), strtoull(words[4], NULL, 10),
                    words[5])
               ? 0
               : 5;
}
