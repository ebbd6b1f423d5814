/* SPDX-License-Identifier: Apache-2.0 */
/* Power cuts. A study runs once under fault.c, which logs every change to its store; a cut at any point of the log
 * leaves what was synchronised before it, and of later changes whatever the disk had got to: each write's 512-byte
 * sectors or not, names in order up to some point. The study goes on from there: nothing that was committed is lost,
 * and it ends with the scores of an unbroken run. CUTS of them; long_power has a hundred. */
#include "fault/run_with_faults.h"

#include "base/rng.h"

#ifndef CUTS
#define CUTS 4
#endif

enum { MOST_NAMES = 64, SECTOR = 512, CELLS = 6, SCORES = 12 };

typedef struct disk_file {
    char name[256];
    unsigned char *bytes;
    size_t count, room;
    int there;
} disk_file;

typedef struct disk {
    disk_file files[MOST_NAMES];
    size_t count;
} disk;

typedef struct change {
    const fault_record *record;
    const char *path, *other;
    const unsigned char *bytes;
} change;

static change *changes;
static size_t change_count;

/* ---- the log ---- */

static int is_store(const char *path)
{
    return !strncmp(path, "out/study.db", 12) && !strstr(path, "-shm") && !strstr(path, ".lock");
}

/* Folders count by their fsync alone. Everything else that is no part of the store is left out. */
static void read_log(const char *path)
{
    size_t bytes, room = 0;
    char *text = read_whole(path, &bytes);
    for (size_t at = 0; at + sizeof(fault_record) <= bytes;) {
        const fault_record *record = (const fault_record *)(const void *)(text + at);
        change c = {.record = record, .path = text + at + sizeof *record};
        c.other = c.path + record->path;
        c.bytes = (const unsigned char *)c.other + record->other;
        at = (size_t)((const char *)c.bytes - text) + (record->change == FAULT_WRITTEN ? record->count : 0);
        at = (at + 7) / 8 * 8; /* records are padded to that */
        if (at > bytes || !(is_store(c.path) || (record->change == FAULT_SYNCED && !strcmp(c.path, "out")))) continue;
        if (change_count == room) changes = realloc(changes, (room = 2 * room + 256) * sizeof *changes);
        changes[change_count++] = c;
    }
}

/* ---- what is on the disk ---- */

static disk_file *file_of(disk *d, const char *name)
{
    for (size_t i = 0; i < d->count; i++)
        if (!strcmp(d->files[i].name, name)) return &d->files[i];
    assert_true(d->count < MOST_NAMES);
    snprintf(d->files[d->count].name, sizeof d->files[0].name, "%s", name);
    return &d->files[d->count++];
}

static void resize(disk_file *file, size_t count)
{
    if (count > file->room) file->bytes = realloc(file->bytes, file->room = 2 * count);
    if (count > file->count) memset(file->bytes + file->count, 0, count - file->count);
    file->count = count;
}

static int is_name(const change *c)
{
    return c->record->change == FAULT_MADE || c->record->change == FAULT_RENAMED || c->record->change == FAULT_REMOVED;
}

/* `sectors` draws which sectors of a write arrive; NULL: all. */
static void apply(disk *d, const change *c, const gig_rng *sectors)
{
    disk_file *file = file_of(d, c->path);
    size_t offset = (size_t)c->record->offset, count = (size_t)c->record->count;
    switch (c->record->change) {
    case FAULT_MADE: file->there = 1; break;
    case FAULT_REMOVED:
        file->there = 0;
        resize(file, 0);
        break;
    case FAULT_CUT: resize(file, offset); break;
    case FAULT_WRITTEN:
        if (file->count < offset + count) resize(file, offset + count);
        for (size_t i = 0; i < count; i += SECTOR) {
            size_t here = count - i < SECTOR ? count - i : SECTOR;
            if (!sectors || gig_rng_uniform(*sectors, i / SECTOR) < 0.5)
                memcpy(file->bytes + offset + i, c->bytes + i, here);
        }
        break;
    default: break;
    }
}

/* Whether change i is safe when the power goes after `end` changes: its file, or the folder of its name, was
 * synchronised in between. */
static int is_safe(size_t i, size_t end)
{
    for (size_t k = i + 1; k < end; k++)
        if (changes[k].record->change == FAULT_SYNCED &&
            !strcmp(changes[k].path, is_name(&changes[i]) ? "out" : changes[i].path))
            return 1;
    return 0;
}

/* What is surely there and, by chance, a part of the rest. Names appear and go in order. */
static void cut(disk *d, size_t end, uint64_t number)
{
    gig_rng chance = {number, 5};
    int names_stop = 0;
    for (size_t i = 0; i < end; i++) {
        const gig_rng sectors = {number * 1000003 + i, 6};
        int safe = is_safe(i, end);
        if (safe) {
            apply(d, &changes[i], NULL);
        } else if (is_name(&changes[i])) {
            names_stop |= gig_rng_uniform(chance, i) < 0.3;
            if (!names_stop) apply(d, &changes[i], NULL);
        } else if (gig_rng_uniform(chance, i) < 0.7)
            apply(d, &changes[i], &sectors);
    }
}

static void write_disk(disk *d)
{
    shell("rm -rf out && mkdir out");
    for (size_t i = 0; i < d->count; i++) {
        char path[800];
        snprintf(path, sizeof path, "%s/%s", place, d->files[i].name);
        FILE *out = d->files[i].there ? fopen(path, "wb") : NULL;
        if (out && d->files[i].count)
            assert_int_equal(fwrite(d->files[i].bytes, 1, d->files[i].count, out), d->files[i].count);
        if (out) fclose(out);
        free(d->files[i].bytes);
    }
    *d = (disk){0};
}

/* ---- the study ---- */

static const char *const *study(void)
{
    static const char *arguments[9];
    const char *const wanted[9] = {
        program_path(), "study", "run", in_place("in/study.json"), "--store", in_place("out/study.db"),
        "-j",           "1",     NULL};
    memcpy(arguments, wanted, sizeof wanted);
    return arguments;
}

static scores scores_now(void)
{
    scores none = {0};
    return store_ask(in_place("out/study.db"), ALL_CELLS) >= 0 ? scores_export(in_place("out/study.db")) : none;
}

/* The last fsync of the log at or before `end`: what the store held then was committed. */
static size_t last_sync(size_t end)
{
    while (end && changes[end - 1].record->change != FAULT_SYNCED) end--;
    return end;
}

static void ends_as_if_the_power_had_never_gone(void **state)
{
    (void)state;
    need_preload();
    shell("printf '{\"models\": {\"demo\": \"model.onnx\"}, \"pictures\": {\"scenes\": \"pictures.csv\"}, \"methods\": "
          "[\"edge\", "
          "\"ig\", \"xrai+ig\"], \"options\": {\"steps\": 2}, \"metrics\": [\"auc\", \"gini\"]}' >in/study.json");
    char log[600];
    snprintf(log, sizeof log, "%s", temporary_path("log"));
    assert_int_equal(run_with_fault(study(), 0, 0, 0, log), 0);
    scores whole = scores_now();
    assert_int_equal(whole.count, SCORES);
    read_log(log);
    assert_true(change_count > 100);
    static disk d;
    for (size_t i = 0; i < change_count; i++) apply(&d, &changes[i], NULL); /* the log holds everything */
    write_disk(&d);
    assert_same_scores(in_place("out/study.db"), &whole);
    size_t recovered = 0;
    for (size_t i = 0; i < CUTS; i++) { /* spread over the whole run */
        size_t end = 1 + (size_t)(((double)i + gig_rng_uniform((gig_rng){17, 7}, i)) / CUTS * (double)change_count);
        if (end > change_count) end = change_count;
        for (size_t k = 0; k < last_sync(end); k++) apply(&d, &changes[k], NULL);
        write_disk(&d);
        scores committed = scores_now();
        cut(&d, end, i);
        write_disk(&d);
        scores left = scores_now();
        assert_scores_in(committed, left);
        assert_scores_in(left, whole);
        recovered += left.count;
        if (run_with_fault(study(), 0, 0, 0, NULL) != 0) fail_msg("cut after change %zu: it does not go on", end);
        assert_same_scores(in_place("out/study.db"), &whole);
        scores_clear(&committed);
        scores_clear(&left);
    }
    fprintf(stderr,
            "# %d power cuts over %zu changes: on average %.1f of %d scores were there, none lost, none different\n",
            CUTS, change_count, (double)recovered / CUTS, SCORES);
    assert_true(recovered > 0);
    scores_clear(&whole);
    free(changes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_as_if_the_power_had_never_gone)};
    return cmocka_run_group_tests(tests, make_place, NULL);
}
