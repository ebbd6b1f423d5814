/* SPDX-License-Identifier: Apache-2.0 */
/* Colours, and the lighting and laying of parts. */
#include "paint.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

colour hsv(double hue, double saturation, double value)
{
    double channel[3];
    for (int i = 0; i < 3; i++) {
        double k = fmod(5 - 2 * i + (hue - floor(hue)) * 6, 6);
        double dip = fmax(0, fmin(fmin(k, 4 - k), 1));
        channel[i] = pow(value - value * saturation * dip, 2.2);
    }
    return (colour){(float)channel[0], (float)channel[1], (float)channel[2]};
}

colour blend(colour a, colour b, double t)
{
    float f = (float)fmin(fmax(t, 0), 1);
    return (colour){a.r + f * (b.r - a.r), a.g + f * (b.g - a.g), a.b + f * (b.b - a.b)};
}

colour scaled(colour a, double factor)
{
    float f = (float)factor;
    return (colour){a.r * f, a.g * f, a.b * f};
}

colour lit(const light *sun, colour albedo, double slope_x, double slope_y, double gloss)
{
    double length = sqrt(1 + slope_x * slope_x + slope_y * slope_y);
    double nx = -slope_x / length, ny = -slope_y / length, nz = 1 / length;
    double facing = nx * sun->x + ny * sun->y + nz * sun->z;
    double direct = fmax(0, (facing + 0.15) / 1.15), above = 0.65 - 0.35 * ny;
    double hx = sun->x, hy = sun->y, hz = sun->z + 1, half = sqrt(hx * hx + hy * hy + hz * hz);
    double shine = gloss > 0 ? gloss * pow(fmax(0, (nx * hx + ny * hy + nz * hz) / half), 40) : 0;
    colour out;
    out.r = (float)(albedo.r * (direct * sun->sun.r + above * sun->sky.r) + shine * sun->sun.r);
    out.g = (float)(albedo.g * (direct * sun->sun.g + above * sun->sky.g) + shine * sun->sun.g);
    out.b = (float)(albedo.b * (direct * sun->sun.b + above * sun->sky.b) + shine * sun->sun.b);
    return out;
}

layer *layer_new(void)
{
    layer *self = calloc(1, sizeof *self);
    if (!self) abort();
    self->scratch = malloc(sizeof(float) * FINE_PIXELS * 4);
    if (!self->scratch) abort();
    self->mask = cairo_image_surface_create(CAIRO_FORMAT_A8, FINE, FINE);
    self->brush = cairo_create(self->mask);
    return self;
}

void layer_free(layer *self)
{
    cairo_destroy(self->brush);
    cairo_surface_destroy(self->mask);
    free(self->scratch);
    free(self);
}

void layer_begin(layer *self, double x, double y, double size, double stretch, double angle, int mirrored)
{
    memset(self->colour, 0, sizeof self->colour);
    memset(self->alpha, 0, sizeof self->alpha);
    memset(self->normal, 0, sizeof self->normal);
    self->used = (box){FINE, FINE, 0, 0};
    cairo_matrix_init_translate(&self->pose, x, y);
    cairo_matrix_rotate(&self->pose, angle);
    cairo_matrix_scale(&self->pose, (mirrored ? -0.5 : 0.5) * size * stretch, 0.5 * size / stretch);
    cairo_set_matrix(self->brush, &self->pose);
    cairo_set_line_cap(self->brush, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(self->brush, CAIRO_LINE_JOIN_ROUND);
}

/* Reads the coverage into `cover` and clears it; gives the box of what was drawn, one pixel of margin. */
static box take_mask(layer *self, float *cover)
{
    box used = {FINE, FINE, 0, 0};
    cairo_surface_flush(self->mask);
    unsigned char *bytes = cairo_image_surface_get_data(self->mask);
    int stride = cairo_image_surface_get_stride(self->mask);
    for (int y = 0; y < FINE; y++) {
        for (int x = 0; x < FINE; x++) {
            unsigned char a = bytes[y * stride + x];
            cover[y * FINE + x] = (float)a / 255.0f;
            if (!a) continue;
            if (x < used.x0) used.x0 = x;
            if (x >= used.x1) used.x1 = x + 1;
            if (y < used.y0) used.y0 = y;
            used.y1 = y + 1;
        }
    }
    memset(bytes, 0, (size_t)stride * FINE);
    cairo_surface_mark_dirty(self->mask);
    if (used.x0 >= used.x1) return used;
    return (box){used.x0 > 0 ? used.x0 - 1 : 0, used.y0 > 0 ? used.y0 - 1 : 0, used.x1 < FINE ? used.x1 + 1 : FINE,
                 used.y1 < FINE ? used.y1 + 1 : FINE};
}

/* Squared distance along one line: d[i] = min_j f[j] + (i-j)^2, by the lower envelope of parabolas. */
static void distance_line(float *f, int count, int step)
{
    float value[FINE], start[FINE + 1];
    int at[FINE], top = -1;
    for (int i = 0; i < count; i++) {
        float fi = f[i * step], cross = -1e9f;
        while (top >= 0) {
            int j = at[top];
            cross = ((fi + (float)(i * i)) - (value[top] + (float)(j * j))) / (float)(2 * (i - j));
            if (cross > start[top]) break;
            top--;
        }
        top++;
        at[top] = i;
        value[top] = fi;
        start[top] = top ? cross : -1e9f;
    }
    start[top + 1] = 1e9f;
    for (int i = 0, k = 0; i < count; i++) {
        while (start[k + 1] < (float)i) k++;
        float d = (float)(i - at[k]);
        f[i * step] = d * d + value[k];
    }
}

static void smooth_line(float *f, int count, int step, int radius)
{
    float in[FINE], sum = 0;
    for (int i = 0; i < count; i++) in[i] = f[i * step];
    for (int i = -radius; i < count; i++) {
        if (i + radius < count) sum += in[i + radius];
        if (i - radius - 1 >= 0) sum -= in[i - radius - 1];
        if (i >= 0) f[i * step] = sum / (float)(2 * radius + 1);
    }
}

/* Box means, `passes` times in both directions: near a Gaussian. Outside the box counts as zero. */
static void smooth(float *f, box b, int radius, int passes)
{
    if (radius < 1) return;
    for (int pass = 0; pass < passes; pass++) {
        for (int y = b.y0; y < b.y1; y++) smooth_line(f + y * FINE + b.x0, b.x1 - b.x0, 1, radius);
        for (int x = b.x0; x < b.x1; x++) smooth_line(f + b.y0 * FINE + x, b.y1 - b.y0, FINE, radius);
    }
}

/* Height of a dome whose rim is `depth` fine pixels deep. */
static void inflate(float *height, const float *cover, box b, double depth, double bulge)
{
    float deep = (float)fmax(depth, 1);
    for (int y = b.y0; y < b.y1; y++)
        for (int x = b.x0; x < b.x1; x++) height[y * FINE + x] = cover[y * FINE + x] >= 0.5f ? 1e6f : 0;
    for (int y = b.y0; y < b.y1; y++) distance_line(height + y * FINE + b.x0, b.x1 - b.x0, 1);
    for (int x = b.x0; x < b.x1; x++) distance_line(height + b.y0 * FINE + x, b.y1 - b.y0, FINE);
    for (int y = b.y0; y < b.y1; y++) {
        for (int x = b.x0; x < b.x1; x++) {
            float t = fminf(sqrtf(height[y * FINE + x]) / deep, 1);
            height[y * FINE + x] = (float)bulge * deep * sqrtf(t * (2 - t));
        }
    }
    smooth(height, b, 1 + (int)(deep / 10), 2);
}

static box widened(box b, int by)
{
    return (box){b.x0 > by ? b.x0 - by : 0, b.y0 > by ? b.y0 - by : 0, b.x1 + by < FINE ? b.x1 + by : FINE,
                 b.y1 + by < FINE ? b.y1 + by : FINE};
}

static double texture(const material *look, uint32_t seed, double u, double v)
{
    double f = look->frequency;
    switch (look->pattern) {
    case MOTTLED: return 0.5 + 0.9 * fractal(seed, u * f, v * f, 4);
    case STRIPED: return 0.5 + 0.5 * tanh(3 * sin(6.2832 * (u * f + 0.3 * noise(seed, u * 2, v * 2))));
    case SPOTTED: return 0.5 + 0.5 * tanh(6 * (noise(seed, u * f, v * f) - 0.35));
    case GRAINED: return 0.5 + 0.9 * fractal(seed, u * f * 4, v * f * 0.5, 3);
    case SCALED: return 0.5 + 0.5 * sin(6.2832 * f * (u + v)) * sin(6.2832 * f * (u - v));
    case PLAIN: break;
    }
    return 0;
}

/* Darkens what the layer already holds beside the new part, as its own small shadow would. */
static void shade_beneath(layer *self, const float *cover, box b, const light *sun, double amount, double depth)
{
    int radius = 2 + (int)(depth / 8), dx = (int)lrint(-sun->x * radius), dy = (int)lrint(-sun->y * radius);
    box wide = widened(b, 3 * radius);
    float *soft = self->scratch + FINE_PIXELS * 3;
    for (int y = wide.y0; y < wide.y1; y++) {
        for (int x = wide.x0; x < wide.x1; x++) {
            int inside = x - dx >= b.x0 && x - dx < b.x1 && y - dy >= b.y0 && y - dy < b.y1;
            soft[y * FINE + x] = inside ? cover[(y - dy) * FINE + x - dx] : 0;
        }
    }
    smooth(soft, wide, radius, 2);
    for (int y = wide.y0; y < wide.y1; y++) {
        for (int x = wide.x0; x < wide.x1; x++) {
            float keep = 1 - (float)amount * soft[y * FINE + x];
            for (int c = 0; c < 3; c++) self->colour[(y * FINE + x) * 3 + c] *= keep;
        }
    }
}

/* What is painted: heights within a box, and the direction across a pillar. */
typedef struct part {
    const material *look;
    const float *height;
    box b;
    double axis_x, axis_y;
} part;

/* u: the pixel's place across the part, in the part's own measure. */
static void slope_at(double slope[2], const layer *self, const part *of, int x, int y, double u)
{
    const material *look = of->look;
    const float *height = of->height;
    const box b = of->b;
    int p = y * FINE + x;
    if (look->relief == DECAL) {
        slope[0] = self->normal[p * 2];
        slope[1] = self->normal[p * 2 + 1];
    } else if (look->relief == PILLAR) {
        double t = fmin(fmax((u - look->centre) / look->round, -0.96), 0.96), steep = look->bulge * t / sqrt(1 - t * t);
        slope[0] = -steep * of->axis_x; /* the surface falls away to both sides */
        slope[1] = -steep * of->axis_y;
    } else {
        int left = x > b.x0 ? p - 1 : p, right = x + 1 < b.x1 ? p + 1 : p;
        int up = y > b.y0 ? p - FINE : p, down = y + 1 < b.y1 ? p + FINE : p;
        slope[0] = 0.5 * (height[right] - height[left]);
        slope[1] = 0.5 * (height[down] - height[up]);
    }
}

void layer_paint(layer *self, const light *sun, const material *look, uint32_t seed)
{
    float *cover = self->scratch, *height = self->scratch + FINE_PIXELS;
    cairo_new_path(self->brush);
    cairo_reset_clip(self->brush);
    box b = take_mask(self, cover);
    if (b.x0 >= b.x1) return;
    double unit = sqrt(fabs(self->pose.xx * self->pose.yy - self->pose.xy * self->pose.yx));
    double depth = look->round * unit;
    if (look->relief == DOME) inflate(height, cover, b, depth, look->bulge);
    if (look->shade > 0) shade_beneath(self, cover, b, sun, look->shade, depth);
    cairo_matrix_t back = self->pose;
    cairo_matrix_invert(&back);
    const double length = hypot(self->pose.xx, self->pose.yx);
    const part of = {look, height, b, self->pose.xx / length, self->pose.yx / length};
    for (int y = b.y0; y < b.y1; y++) {
        for (int x = b.x0; x < b.x1; x++) {
            int p = y * FINE + x;
            if (cover[p] <= 0) continue;
            double u = x + 0.5, v = y + 0.5, slope[2];
            cairo_matrix_transform_point(&back, &u, &v);
            slope_at(slope, self, &of, x, y, u);
            self->normal[p * 2] = (float)slope[0];
            self->normal[p * 2 + 1] = (float)slope[1];
            if (look->bump > 0) {
                slope[0] += look->bump * noise(seed + 71, x * 0.4, y * 0.4);
                slope[1] += look->bump * noise(seed + 72, x * 0.4, y * 0.4);
            }
            colour albedo = blend(look->base, look->other, texture(look, seed, u, v));
            colour seen = lit(sun, albedo, slope[0], slope[1], look->gloss);
            float add[3] = {seen.r + (float)look->glow * albedo.r, seen.g + (float)look->glow * albedo.g,
                            seen.b + (float)look->glow * albedo.b};
            float a = cover[p];
            for (int c = 0; c < 3; c++) self->colour[p * 3 + c] = self->colour[p * 3 + c] * (1 - a) + a * add[c];
            self->alpha[p] = self->alpha[p] * (1 - a) + a;
        }
    }
    if (b.x0 < self->used.x0) self->used.x0 = b.x0;
    if (b.y0 < self->used.y0) self->used.y0 = b.y0;
    if (b.x1 > self->used.x1) self->used.x1 = b.x1;
    if (b.y1 > self->used.y1) self->used.y1 = b.y1;
}

double layer_area(const layer *self)
{
    double sum = 0;
    for (int i = 0; i < FINE_PIXELS; i++) sum += self->alpha[i];
    return sum;
}

double layer_covers(const layer *self, const canvas *scene)
{
    double hidden = 0, whole = 1e-9;
    for (int i = 0; i < FINE_PIXELS; i++) {
        hidden += self->alpha[i] * scene->mask[i];
        whole += scene->mask[i];
    }
    return hidden / whole;
}

void layer_lay(const layer *self, canvas *scene, const light *sun, double height, int counts)
{
    if (self->used.x0 >= self->used.x1) return;
    int radius = 1 + (int)(height / 3), dx = (int)lrint(-sun->x * height), dy = (int)lrint(-sun->y * height);
    box wide = widened(self->used, 3 * radius + abs(dx) + abs(dy));
    float *soft = self->scratch;
    for (int y = wide.y0; y < wide.y1; y++) {
        for (int x = wide.x0; x < wide.x1; x++) {
            int inside = x - dx >= 0 && x - dx < FINE && y - dy >= 0 && y - dy < FINE;
            soft[y * FINE + x] = inside ? self->alpha[(y - dy) * FINE + x - dx] : 0;
        }
    }
    smooth(soft, wide, radius, 2);
    for (int y = wide.y0; y < wide.y1; y++) {
        for (int x = wide.x0; x < wide.x1; x++) {
            int p = y * FINE + x;
            float a = self->alpha[p], keep = (1 - (float)sun->shadow * soft[p]) * (1 - a);
            for (int c = 0; c < 3; c++)
                scene->colour[p * 3 + c] = scene->colour[p * 3 + c] * keep + self->colour[p * 3 + c];
            scene->mask[p] = scene->mask[p] * (1 - a) + (counts ? a : 0);
        }
    }
}

void path_ellipse(cairo_t *brush, double x, double y, double rx, double ry)
{
    cairo_matrix_t kept;
    cairo_get_matrix(brush, &kept);
    cairo_translate(brush, x, y);
    cairo_scale(brush, rx, ry);
    cairo_new_sub_path(brush);
    cairo_arc(brush, 0, 0, 1, 0, 6.283185307179586);
    cairo_close_path(brush);
    cairo_set_matrix(brush, &kept);
}

void path_smooth(cairo_t *brush, double (*points)[2], int count, int closed)
{
    cairo_move_to(brush, points[0][0], points[0][1]);
    for (int i = 0; i < (closed ? count : count - 1); i++) {
        const double *b = points[i], *c = points[(i + 1) % count];
        const double *a = i > 0 ? points[i - 1] : closed ? points[count - 1] : b;
        const double *d = i + 2 < count ? points[i + 2] : closed ? points[(i + 2) % count] : c;
        cairo_curve_to(brush, b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6, c[0] - (d[0] - b[0]) / 6,
                       c[1] - (d[1] - b[1]) / 6, c[0], c[1]);
    }
    if (closed) cairo_close_path(brush);
}
