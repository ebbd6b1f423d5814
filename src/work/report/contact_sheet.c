/* SPDX-License-Identifier: Apache-2.0 */
/* A contact sheet of pictures where one method does better than others. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "gig/tensor.h"
#include "gig/view.h"
#include "internal/explainer.h"
#include "internal/view.h"
#include "internal/work.h"
#include "saliency/method.h"
#include "work/report/table_text.h"
#include "work/store/map_file.h"
#include "work/worker/worker.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Streams of random numbers of this file. */
static const uint64_t draw_stream = (uint64_t)0xb2 << 56;

enum { USUAL_COUNT = 6, MOST_METHODS = 16 };

/* The score of one method on one picture, and what its map is computed from. */
typedef struct shown_map {
    char *method, *baseline, *key, *model_file, *picture_file;
    gig_scalar scalar;
    char *part; /* of the output; NULL: one class of all of it */
    gig_precision precision;
    int64_t target, seed;
    double score;
} shown_map;

typedef struct sheet_request {
    const gig_show_options *options;
    const char *store;
    size_t method_count;
    const char *methods[MOST_METHODS]; /* as stored; the better one first */
    const gig_table *table;
    size_t column;
    size_t picture_count;
    gig_table_picture *pictures; /* chosen */
    shown_map *maps;             /* [pictures, methods] */
    int portable;                /* maps are recomputed with the settings of their scores */
} sheet_request;

static void clear_request(sheet_request *g)
{
    for (size_t i = 0; g->maps && i < g->picture_count * g->method_count; i++) {
        shown_map *e = &g->maps[i];
        gig_free(e->part);
        char *const parts[] = {e->method, e->baseline, e->key, e->model_file, e->picture_file};
        for (int k = 0; k < 5; k++) gig_free(parts[k]);
    }
    gig_free(g->maps);
    gig_free(g->pictures);
}

/* ---- choosing ---- */

/* The pictures where the method scores better. */
static const char *side_of(const sheet_request *g)
{
    return g->table->smaller_is_better ? "below" : "above";
}

static int is_better(const sheet_request *g, const size_t rows[], const gig_table_picture *picture)
{
    const gig_table_entry *best = gig_table_at(g->table, rows[0], g->column);
    double sign = g->table->smaller_is_better ? -1 : 1, value = sign * gig_table_value(best, picture);
    if (!(value > sign * best->mean.mean)) return 0;
    for (size_t m = 1; m < g->method_count; m++)
        if (!(value > sign * gig_table_value(gig_table_at(g->table, rows[m], g->column), picture))) return 0;
    return 1;
}

static gig_status find_methods(sheet_request *g, size_t rows[])
{
    const gig_show_options *options = g->options;
    g->method_count = 1 + options->than_count;
    if (!options->better || !options->than_count || g->method_count > MOST_METHODS)
        return gig_fail(GIG_EARG, "expected one method and 1 to %d others to compare it with", MOST_METHODS - 1);
    for (size_t m = 0; m < g->method_count; m++) {
        const char *name = m ? options->than[m - 1] : options->better;
        rows[m] = gig_table_find_row(g->table, name);
        if (rows[m] == g->table->row_count) return gig_table_fail_row(g->table, name);
        g->methods[m] = g->table->rows[rows[m]].method;
    }
    return GIG_OK;
}

static gig_status find_column(sheet_request *g)
{
    const gig_show_options *options = g->options;
    for (g->column = 0; g->column < g->table->column_count; g->column++) {
        const gig_table_column *column = &g->table->columns[g->column];
        if ((!options->model || !strcmp(options->model, column->model)) &&
            (!options->set || !strcmp(options->set, column->collection)))
            return GIG_OK;
    }
    return gig_fail(GIG_EARG, "the store has no scores of %s%s%s", options->model ? options->model : "any model",
                    options->set ? " on " : "", options->set ? options->set : "");
}

static gig_status choose(sheet_request *g)
{
    size_t rows[MOST_METHODS] = {0}, count = 0, wanted = g->options->count ? g->options->count : USUAL_COUNT;
    GIG_TRY(find_methods(g, rows));
    GIG_TRY(find_column(g));
    const gig_table_entry *entry = gig_table_at(g->table, rows[0], g->column);
    g->pictures = gig_alloc(entry->count, sizeof *g->pictures);
    if (!g->pictures) return gig_alloc_status();
    for (size_t i = 0; i < entry->count; i++)
        if (is_better(g, rows, &entry->subjects[i])) g->pictures[count++] = entry->subjects[i];
    const char *side = side_of(g);
    if (!count)
        return gig_fail(GIG_EARG, "%s is %s its mean and %s the others on no picture", g->methods[0], side, side);
    for (size_t i = 0; i < count && i < wanted; i++) {
        gig_rng rng = {g->options->seed, draw_stream};
        size_t at = i + (size_t)(gig_rng_uniform(rng, i) * (double)(count - i));
        const gig_table_picture drawn = g->pictures[at];
        g->pictures[at] = g->pictures[i];
        g->pictures[i] = drawn;
    }
    g->picture_count = count < wanted ? count : wanted;
    g->maps = gig_alloc_zero(g->picture_count * g->method_count, sizeof *g->maps);
    return g->maps ? GIG_OK : gig_alloc_status();
}

/* ---- what the maps are computed from ---- */

static int choice_of(const char *text, const char *(*name)(int), int count)
{
    int i = 0;
    while (i + 1 < count && strcmp(name(i), text)) i++;
    return i;
}

/* "softmax", "softmax of region predicted": what was explained, as in the store. */
static gig_status read_explained(shown_map *out, const char *text)
{
    const char *of = strstr(text, " of ");
    char name[16];
    snprintf(name, sizeof name, "%.*s", of ? (int)(of - text) : (int)strlen(text), text);
    out->part = of ? gig_strdup(of + strlen(" of ")) : NULL;
    if (of && !out->part) return gig_alloc_status();
    return gig_scalar_find(&out->scalar, name);
}

static const char *precision_name(int i)
{
    return gig_precision_name((gig_precision)i);
}

static gig_status note_row(void *payload, const gig_score_row *row)
{
    sheet_request *g = payload;
    const gig_table_column *column = &g->table->columns[g->column];
    const gig_table_picture subject = {row->picture_id, row->target};
    if (!gig_table_is_in(column, row)) return GIG_OK;
    if (strcmp(row->baseline, "none") && strcmp(row->baseline, g->table->baseline)) return GIG_OK;
    for (size_t p = 0; p < g->picture_count; p++)
        for (size_t m = 0; m < g->method_count; m++) {
            shown_map *e = &g->maps[p * g->method_count + m];
            if (e->method || !gig_table_same(&g->pictures[p], &subject) || strcmp(g->methods[m], row->method)) continue;
            g->portable |= strstr(row->versions, gig_versions_portable) != NULL;
            *e = (shown_map){.method = gig_strdup(row->method),
                             .baseline = gig_strdup(row->baseline),
                             .key = gig_strdup(row->key),
                             .model_file = gig_strdup(row->model_file),
                             .picture_file = gig_strdup(row->picture_file),
                             .precision = (gig_precision)choice_of(row->precision, precision_name, 4),
                             .target = row->target,
                             .seed = row->seed,
                             .score = row->value};
            if (!e->method || !e->baseline || !e->key || !e->model_file || !e->picture_file) return gig_alloc_status();
            GIG_TRY(read_explained(e, row->scalar));
        }
    return GIG_OK;
}

static gig_status read_map(gig_tensor *map, gig_cached_picture *picture, gig_model_cache *cache, const shown_map *e,
                           const char *file)
{
    const gig_study_picture subject = {.file = e->picture_file, .label = -1};
    gig_cached_model model;
    GIG_TRY(gig_model_cache_get_model(&model, cache, &(gig_model_request){e->model_file, e->part, e->precision, 0}));
    GIG_TRY(gig_model_cache_get_picture(picture, cache, &subject, &model));
    return gig_map_file_read(map, file, picture->height, picture->width);
}

/* The kept map, or a new one if there is none or it is damaged; the picture in both cases. */
static gig_status get_map(gig_tensor *map, gig_cached_picture *picture, gig_model_cache *cache, const sheet_request *g,
                          const shown_map *e)
{
    gig_study_job job = {.kind = GIG_JOB_MAP,
                         .model = e->model_file,
                         .precision = e->precision,
                         .scalar = e->scalar,
                         .part = e->part,
                         .subject = {.file = e->picture_file, .label = -1},
                         .target = e->target,
                         .seed = e->seed,
                         .method = e->method,
                         .baseline = e->baseline};
    char name[80];
    snprintf(name, sizeof name, ".maps/%.64s.npz", e->key);
    char *file = gig_store_beside(g->store, name);
    if (!file) return gig_alloc_status();
    gig_status status = access(file, R_OK) == 0 ? read_map(map, picture, cache, e, file) : GIG_EFORMAT;
    if (status == GIG_EFORMAT) status = gig_worker_make_map(map, picture, cache, &job);
    gig_free(file);
    return status;
}

/* ---- drawing ---- */

/* "auc 0.883 (abs-sum)" */
static gig_status write_score(char **out, const gig_table *table, double score)
{
    gig_text text = {0};
    gig_text_add(&text, "%s ", table->metric);
    gig_table_add_value(&text, table, score, "undefined");
    if (*table->reduction) gig_text_add(&text, " (%s)", table->reduction);
    return gig_text_take(out, &text);
}

static gig_status add_map(gig_sheet *sheet, gig_model_cache *cache, const sheet_request *g, const shown_map *e,
                          int with_picture)
{
    gig_tensor map = {0};
    gig_cached_picture picture;
    gig_cached_model model;
    char note[96];
    if (!e->method) return gig_fail(GIG_EINTERNAL, "a score is gone");
    GIG_TRY(gig_model_cache_get_model(&model, cache, &(gig_model_request){e->model_file, e->part, e->precision, 0}));
    GIG_TRY(get_map(&map, &picture, cache, g, e));
    gig_status status = GIG_OK;
    if (with_picture) {
        const char *slash = strrchr(e->picture_file, '/');
        snprintf(note, sizeof note, "class %lld", (long long)e->target);
        const gig_caption caption = {.title = slash ? slash + 1 : e->picture_file,
                                     .class_name = gig_description_label(model.description, (size_t)e->target),
                                     .note = note};
        status = gig_sheet_add_picture(sheet, &caption, picture.pixels, picture.height, picture.width);
    }
    char *score_text = NULL;
    gig_map_options look = {.look = GIG_LOOK_HEAT};
    if (status == GIG_OK) status = write_score(&score_text, g->table, e->score);
    const gig_caption caption = {.title = e->method, .note = score_text};
    gig_method method;
    if (status == GIG_OK) status = gig_method_parse(&method, e->method, NULL);
    if (status == GIG_OK) look = gig_map_look_of(&look, gig_method_traits(&method), picture.pixels);
    if (status == GIG_OK)
        status =
            gig_sheet_add_map(sheet, &caption, map.real, picture.height, picture.width, (size_t)map.dims[2], &look);
    gig_text_free(score_text);
    gig_tensor_clear(&map);
    return status;
}

static gig_status draw(const sheet_request *g, const char *path, int force)
{
    gig_model_cache *cache;
    gig_sheet *sheet = NULL;
    char title[256], footer[640];
    const gig_table_column *column = &g->table->columns[g->column];
    GIG_TRY(gig_model_cache_create(&cache));
    gig_model_cache_set_portable(cache, g->portable);
    snprintf(footer, sizeof footer, "%.80s on %.80s; scalar %s, precision %s, baseline %s. %s", column->model,
             column->collection, column->scalar, column->precision, g->table->baseline, gig_table_defaults);
    snprintf(title, sizeof title, "%.100s %s its mean and %s %.100s%s", g->methods[0], side_of(g), side_of(g),
             g->methods[1], g->method_count > 2 ? " and others" : "");
    gig_status status = gig_sheet_create(
        &sheet, &(gig_sheet_options){.title = title, .footer = footer, .columns = 1 + g->method_count});
    for (size_t p = 0; p < g->picture_count && status == GIG_OK; p++)
        for (size_t m = 0; m < g->method_count && status == GIG_OK; m++)
            status = add_map(sheet, cache, g, &g->maps[p * g->method_count + m], m == 0);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, force);
    gig_sheet_free(sheet);
    gig_model_cache_free(cache);
    return status;
}

gig_status gig_study_show(const char *store_path, const char *path, const gig_show_options *options, int force)
{
    gig_store *store;
    gig_table *table = NULL;
    if (!options) return gig_fail(GIG_EARG, "give --better METHOD and --than METHOD,...");
    sheet_request g = {.options = options, .store = store_path};
    GIG_TRY(gig_store_open(&store, store_path, GIG_STORE_READ));
    gig_status status = gig_table_create(
        &table, store, &(gig_table_options){.metric = options->metric, .baseline = options->baseline}, 0);
    g.table = table;
    if (status == GIG_OK) status = choose(&g);
    if (status == GIG_OK) status = gig_store_each_score(store, table->metric, note_row, &g);
    gig_store_close(store);
    if (status == GIG_OK) status = draw(&g, path, force);
    clear_request(&g);
    gig_table_free(table);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", store_path);
}
