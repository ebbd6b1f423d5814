/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what `gig study export` wrote: the scores of an export become a store in memory, from which they are imported
 * like those of any other store.
 *
 * An export names models and pictures; a cell's key is computed from their hashes. The column "cell" holds the first
 * digits of the key, so a score is imported only if this store's model and picture of these names give the same key. */
#include "base/csv.h"
#include "base/file.h"
#include "base/memory.h"
#include "internal/number.h"
#include "work/store/sql.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char gig_export_columns[] =
    "model,set,picture,method,baseline,of,precision,metric,reduction,class,seed,value,note,cell,versions,"
    "evaluations,seconds,value_input,value_baseline,sum,delta,step_error,stability";

enum { MAX_BYTES = 256 << 20 };

typedef enum column {
    MODEL,
    SET,
    PICTURE,
    METHOD,
    BASELINE,
    OF,
    PRECISION,
    METRIC,
    CLASS,
    SEED,
    VALUE,
    NOTE,
    EVALUATIONS,
    SECONDS,
    VALUE_INPUT,
    VALUE_BASELINE,
    SUM,
    DELTA,
    STEP_ERROR,
    STABILITY,
    CELL,
    VERSIONS,
    COLUMNS
} column;

static const char *const names[COLUMNS] = {
    "model", "set",   "picture",    "method",    "baseline",    "of",      "precision",   "metric",
    "class", "seed",  "value",      "note",      "evaluations", "seconds", "value_input", "value_baseline",
    "sum",   "delta", "step_error", "stability", "cell",        "versions"};

typedef struct export_reader {
    gig_csv csv;
    size_t at[COLUMNS]; /* column of the file */
    size_t row;
    gig_store *known, *out;
    char last[GIG_EXPORT_KEY + 1]; /* the cell of the previous row, and its id in `out`; 0: not imported */
    int64_t id;
} export_reader;

int gig_store_is_export(const char *path)
{
    static const char *const some[] = {"model", "set", "picture", "method"}; /* other programs add a mark, and quotes */
    char begin[1024] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t got = fread(begin, 1, sizeof begin - 1, file), found = 0;
    fclose(file);
    begin[got] = 0;
    begin[strcspn(begin, "\r\n")] = 0;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) found += strstr(begin, some[i]) != NULL;
    return found == sizeof some / sizeof *some;
}

static const char *text_of(const export_reader *r, column which)
{
    return gig_csv_field(&r->csv, r->row, r->at[which]);
}

/* An empty field is NaN. */
static gig_status number_of(double *out, const export_reader *r, column which)
{
    *out = NAN;
    if (!*text_of(r, which) || gig_parse_double(out, text_of(r, which)) == GIG_OK) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "%s: \"%s\" is not a number", names[which], text_of(r, which));
}

static gig_status integer_of(int64_t *out, const export_reader *r, column which)
{
    if (gig_parse_int(out, text_of(r, which), 0, INT64_MAX) == GIG_OK) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "%s: \"%s\" is not an integer", names[which], text_of(r, which));
}

/* Names leave defaults out, which may change with the release: only rows whose versions begin with "gig 0.2." are read.
 */
static int is_of_this_release(const char *versions)
{
    const char *minor = strchr(gig_version(), '.'), *end = minor ? strchr(minor + 1, '.') : NULL;
    size_t count = end ? (size_t)(end - gig_version()) + 1 : strlen(gig_version());
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): a prefix is compared, not a whole text */
    return !strncmp(versions, "gig ", 4) && !strncmp(versions + 4, gig_version(), count);
}

/* Plans the cell in the store in memory, if it is the row's. */
static gig_status try_cell(export_reader *r, gig_study_cell *cell, const char *model, const char *picture)
{
    char key[GIG_HASH_TEXT];
    int64_t model_id, picture_id;
    gig_cell_state state;
    char file[] = "", *name = r->csv.text + (text_of(r, PICTURE) - r->csv.text);
    const gig_study_picture subject = {.name = name, .file = file, .label = -1};
    cell->model = model;
    cell->picture = picture;
    GIG_TRY(gig_study_cell_key(key, cell));
    if (strncmp(key, text_of(r, CELL), GIG_EXPORT_KEY)) return GIG_OK;
    GIG_TRY(gig_store_put_model(&model_id, r->out, model, text_of(r, MODEL), ""));
    GIG_TRY(gig_store_put_picture(&picture_id, r->out, picture, text_of(r, SET), &subject));
    return gig_store_plan_cell(&r->id, &state, r->out, model_id, picture_id, cell);
}

/* Over all models and pictures of these names. */
static gig_status find_cell(export_reader *r)
{
    sqlite3_stmt *row;
    gig_status status = GIG_OK;
    gig_study_cell cell = {.scalar = text_of(r, OF),
                           .precision = text_of(r, PRECISION),
                           .method = text_of(r, METHOD),
                           .baseline = text_of(r, BASELINE)};
    r->id = 0;
    snprintf(r->last, sizeof r->last, "%s", text_of(r, CELL));
    GIG_TRY(integer_of(&cell.target, r, CLASS));
    GIG_TRY(integer_of(&cell.seed, r, SEED));
    if (!is_of_this_release(text_of(r, VERSIONS))) return GIG_OK;
    GIG_TRY(gig_sql_prepare(&row, r->known,
                            "SELECT model.hash, picture.hash FROM model, picture WHERE model.name = ? AND"
                            " picture.collection = ? AND picture.name = ?"));
    GIG_TRY(gig_sql_bind(r->known, row, "ttt", text_of(r, MODEL), text_of(r, SET), text_of(r, PICTURE)));
    for (int more = 1; status == GIG_OK && !r->id;) {
        status = gig_sql_step(r->known, row, &more);
        if (status != GIG_OK || !more) break;
        status = try_cell(r, &cell, gig_sql_text(row, 0), gig_sql_text(row, 1));
    }
    gig_sql_reset(row);
    return status;
}

static gig_status read_result(gig_cell_result *out, const export_reader *r)
{
    *out = (gig_cell_result){.versions = text_of(r, VERSIONS)};
    GIG_TRY(integer_of(&out->evaluations, r, EVALUATIONS));
    GIG_TRY(number_of(&out->seconds, r, SECONDS));
    GIG_TRY(number_of(&out->value_input, r, VALUE_INPUT));
    GIG_TRY(number_of(&out->value_baseline, r, VALUE_BASELINE));
    GIG_TRY(number_of(&out->sum, r, SUM));
    GIG_TRY(number_of(&out->delta, r, DELTA));
    GIG_TRY(number_of(&out->step_error, r, STEP_ERROR));
    return number_of(&out->stability, r, STABILITY);
}

/* Rows of one cell stand together. */
static gig_status read_row(export_reader *r)
{
    gig_cell_result result;
    gig_cell_score score = {.metric = text_of(r, METRIC)};
    if (strlen(text_of(r, CELL)) != GIG_EXPORT_KEY)
        return gig_fail(GIG_EFORMAT, "cell: expected %d digits", GIG_EXPORT_KEY);
    if (strcmp(r->last, text_of(r, CELL))) GIG_TRY(find_cell(r));
    GIG_TRY(number_of(&score.value, r, VALUE));
    GIG_TRY(read_result(&result, r));
    if (*text_of(r, NOTE)) score.note = text_of(r, NOTE);
    return r->id ? gig_store_finish_cell(r->out, r->id, &result, &score, 1) : GIG_OK;
}

static gig_status read_rows(export_reader *r)
{
    for (int c = 0; c < COLUMNS; c++) {
        r->at[c] = gig_csv_column(&r->csv, names[c]);
        if (r->at[c] == r->csv.columns)
            return gig_fail(GIG_EUNSUPPORTED, "an export of an older version: it has no column \"%s\"", names[c]);
    }
    for (r->row = 0; r->row < r->csv.rows; r->row++) {
        gig_status status = read_row(r);
        if (status != GIG_OK) return gig_fail_in(status, "line %zu", r->csv.lines[1 + r->row]);
    }
    return GIG_OK;
}

gig_status gig_store_open_export(gig_store **out, const char *path, gig_store *known)
{
    uint8_t *bytes;
    size_t count;
    export_reader r = {.known = known};
    *out = NULL;
    GIG_TRY(gig_file_read(&bytes, &count, path, MAX_BYTES));
    gig_status status = gig_csv_parse(&r.csv, (const char *)bytes, count);
    gig_free(bytes);
    if (status == GIG_OK) status = gig_store_open_empty(&r.out);
    if (status == GIG_OK) status = read_rows(&r);
    gig_csv_clear(&r.csv);
    if (status == GIG_OK) {
        *out = r.out;
        return GIG_OK;
    }
    gig_store_close(r.out);
    return gig_fail_in(status, "%s", path);
}
