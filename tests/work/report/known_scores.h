/* SPDX-License-Identifier: Apache-2.0 */
/* Stores with known scores, and tables of them. */
#ifndef TESTS_KNOWN_SCORES_H
#define TESTS_KNOWN_SCORES_H

#include "support.h"

#include "internal/work.h"
#include "work/store/store.h"

enum { PICTURES = 6 };

typedef struct maker {
    gig_store *store;
    int64_t model, pictures[PICTURES];
    const char *set, *scalar, *precision;
    int without_curves; /* as scores from an export in CSV are */
    size_t first;       /* picture */
    double spread;      /* over five draws; 0: not said */
} maker;

SUPPORT_UNUSED static void open_maker(maker *m, gig_store *store, const char *model, const char *set)
{
    m->store = store;
    m->set = set;
    m->scalar = "softmax";
    m->precision = "f32";
    m->without_curves = 0;
    m->first = 0;
    m->spread = 0;
    assert_ok(gig_store_put_model(&m->model, store, model, model, "m.onnx"));
    for (int i = 0; i < PICTURES; i++) {
        char hash[64], name[64];
        snprintf(hash, sizeof hash, "%s %d", set, i);
        snprintf(name, sizeof name, "p%d.jpg", i);
        gig_study_picture subject = {.name = name, .file = name, .label = 1};
        assert_ok(gig_store_put_picture(&m->pictures[i], store, hash, set, &subject));
    }
}

/* A new store with one model and one set; close its store. */
SUPPORT_UNUSED static maker begin(const char *path, const char *model, const char *set)
{
    gig_store *store;
    maker m;
    assert_ok(gig_store_open(&store, path, GIG_STORE_RUN));
    open_maker(&m, store, model, set);
    return m;
}

/* Scores start + step * picture for `count` pictures from the first; a curve that steps to that height half way. */
SUPPORT_UNUSED static void add(const maker *m, const char *method, const char *baseline, const char *metric,
                               size_t count, double start, double step)
{
    for (size_t i = m->first; i < m->first + count; i++) {
        char model[64], picture[64];
        snprintf(model, sizeof model, "%lld", (long long)m->model);
        snprintf(picture, sizeof picture, "%s %zu", m->set, i);
        gig_study_cell cell = {model, picture, 1, m->scalar, m->precision, method, baseline, 0};
        int curved = !strncmp(metric, "sic", 3) || !strncmp(metric, "aic", 3) || !strcmp(metric, "insertion");
        double value = start + step * (double)i;
        curved = curved && !m->without_curves;
        const double curve[] = {0, 0.5, 0.5, 1, 0, 0, value, value};
        gig_cell_result result = {.evaluations = 200, .seconds = 1.5, .versions = "gig"};
        char note[64];
        snprintf(note, sizeof note, "spread %.4g over 5 draws", m->spread * (double)(i + 1));
        gig_cell_score score = {metric, value, m->spread > 0 ? note : NULL, curved ? curve : NULL, curved ? 8 : 0, 0};
        int64_t id;
        gig_cell_state cell_state;
        assert_ok(gig_store_plan_cell(&id, &cell_state, m->store, m->model, m->pictures[i], &cell));
        assert_ok(gig_store_finish_cell(m->store, id, &result, &score, 1));
    }
}

SUPPORT_UNUSED static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s", temporary_path(name));
    return path;
}

SUPPORT_UNUSED static char *table_of(const char *path, const gig_table_options *options)
{
    char *text;
    assert_ok(gig_study_table(&text, path, options));
    return text;
}

SUPPORT_UNUSED static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" is not in:\n%s", part, text);
}

/* The drawing has that text; a text file of at most this size. */
SUPPORT_UNUSED static void draws_with_words(const char *path, const char *words)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    has(text, words);
}

#endif
