/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the contents of cells: small studies on the demo's model, run by the test program as its own worker. */
#ifndef TESTS_CELLS_H
#define TESTS_CELLS_H

#include "support.h"

#include "gig/work.h"
#include "work/store/store.h"

static const char *const worker[] = {"/proc/self/exe", "worker", NULL};
static char root[4096]; /* the demo's folder */

/* A manifest over pictures.csv, which lists these lines; `rest` follows models and pictures. */
static const char *write_cells(const char *name, const char *lines, const char *rest)
{
    static char manifest[512];
    char text[65536], file[64];
    int used = snprintf(text, sizeof text, "file,label,mask\n%s", lines);
    temporary_file("pictures.csv", text, (size_t)used);
    used = snprintf(text, sizeof text,
                    "{\"models\": {\"demo\": \"%s/model.onnx\"}, \"pictures\": {\"set\": \"pictures.csv\"}, %s}", root,
                    rest);
    snprintf(file, sizeof file, "%s.json", name);
    snprintf(manifest, sizeof manifest, "%s", temporary_file(file, text, (size_t)used));
    return manifest;
}

/* Its store is `name`.db. */
SUPPORT_UNUSED static gig_study_counts run(const char *name, const char *lines, const char *rest)
{
    gig_study_options options = {.worker = worker, .workers = 1};
    gig_study_counts counts;
    assert_ok(gig_study_run(&counts, write_cells(name, lines, rest), &options));
    return counts;
}

/* A line of the list, for one of the demo's pictures. */
static const char *line_of(const char *name, int label)
{
    static char lines[4][9000];
    static int next;
    char *line = lines[next++ % 4];
    snprintf(line, sizeof lines[0], "%s/pictures/%s.png,%d,%s/masks/%s.png\n", root, name, label, root, name);
    return line;
}

enum { MOST_ROWS = 16 };
typedef struct found {
    size_t count;
    char pictures[MOST_ROWS][64], keys[MOST_ROWS][65]; /* without folders; of the cell */
    char versions[MOST_ROWS][160];
    double values[MOST_ROWS], sum[MOST_ROWS], stability[MOST_ROWS];
    int64_t evaluations[MOST_ROWS], targets[MOST_ROWS];
} found;

static gig_status take_row(void *payload, const gig_score_row *row)
{
    found *f = payload;
    assert_true(f->count < MOST_ROWS);
    const char *slash = strrchr(row->picture, '/');
    snprintf(f->pictures[f->count], sizeof f->pictures[0], "%s", slash ? slash + 1 : row->picture);
    snprintf(f->keys[f->count], sizeof f->keys[0], "%s", row->key);
    snprintf(f->versions[f->count], sizeof f->versions[0], "%s", row->versions);
    f->targets[f->count] = row->target;
    f->values[f->count] = row->value;
    f->sum[f->count] = row->sum;
    f->stability[f->count] = row->stability;
    f->evaluations[f->count++] = row->evaluations;
    return GIG_OK;
}

SUPPORT_UNUSED static found scores_of(const char *name)
{
    char file[64];
    gig_store *store;
    found f = {0};
    snprintf(file, sizeof file, "%s.db", name);
    assert_ok(gig_store_open(&store, temporary_path(file), GIG_STORE_READ));
    assert_ok(gig_store_each_score(store, NULL, take_row, &f));
    gig_store_close(store);
    return f;
}

#endif
