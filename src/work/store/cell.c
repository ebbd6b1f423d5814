/* SPDX-License-Identifier: Apache-2.0 */
#include "work/store/cell.h"
#include "model/graph.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Comes first in every hash; raise it when the hashed contents change. */
enum { KIND_CELL = 0x6331, KIND_MODEL = 0x6d31, KIND_PICTURE = 0x7031 };

static gig_status finish(gig_status status, char text[GIG_HASH_TEXT], gig_hash *hash)
{
    if (status == GIG_OK) status = gig_hash_end(text, hash);
    gig_hash_free(hash);
    return status;
}

static gig_status add_cell(gig_hash *hash, const gig_study_cell *cell)
{
    GIG_TRY(gig_hash_add_number(hash, KIND_CELL));
    GIG_TRY(gig_hash_add_text(hash, cell->model));
    GIG_TRY(gig_hash_add_text(hash, cell->picture));
    GIG_TRY(gig_hash_add_number(hash, cell->target));
    GIG_TRY(gig_hash_add_text(hash, cell->scalar));
    GIG_TRY(gig_hash_add_text(hash, cell->precision));
    GIG_TRY(gig_hash_add_text(hash, cell->method));
    GIG_TRY(gig_hash_add_text(hash, cell->baseline));
    return gig_hash_add_number(hash, cell->seed);
}

gig_status gig_study_cell_key(char key[GIG_HASH_TEXT], const gig_study_cell *cell)
{
    gig_hash *hash;
    GIG_TRY(gig_hash_begin(&hash, NULL));
    return finish(add_cell(hash, cell), key, hash);
}

/* Weights in other files: they may change while the model's file does not. The model is read for their hash, not to be
 * run: no explainer. */
static gig_status add_external(gig_hash *hash, const char *path)
{
    gig_model *model;
    gig_status status = GIG_OK;
    GIG_TRY(gig_model_load(&model, path, NULL));
    for (int i = 0; i < 32 && model->has_external && status == GIG_OK; i++)
        status = gig_hash_add_number(hash, model->external[i]);
    gig_model_free(model);
    return status;
}

static gig_status add_model(gig_hash *hash, const char *model, const char *description)
{
    GIG_TRY(gig_hash_add_number(hash, KIND_MODEL));
    GIG_TRY(gig_hash_add_file(hash, model));
    if (description) GIG_TRY(gig_hash_add_file(hash, description));
    return add_external(hash, model);
}

gig_status gig_model_hash(char text[GIG_HASH_TEXT], const char *model, const char *description,
                          const gig_hash_watch *watch)
{
    gig_hash *hash;
    GIG_TRY(gig_hash_begin(&hash, watch));
    return finish(add_model(hash, model, description), text, hash);
}

static gig_status add_identity(gig_hash *hash, const char *collection, const gig_study_picture *subject)
{
    GIG_TRY(gig_hash_add_number(hash, KIND_PICTURE));
    GIG_TRY(gig_hash_add_text(hash, collection));
    GIG_TRY(gig_hash_add_text(hash, subject->name));
    GIG_TRY(gig_hash_add_number(hash, subject->label));
    GIG_TRY(gig_hash_add_number(hash, (int64_t)subject->box_count));
    for (size_t i = 0; i < subject->box_count; i++) {
        const gig_box *box = &subject->boxes[i];
        GIG_TRY(gig_hash_add_number(hash, box->xmin));
        GIG_TRY(gig_hash_add_number(hash, box->ymin));
        GIG_TRY(gig_hash_add_number(hash, box->xmax));
        GIG_TRY(gig_hash_add_number(hash, box->ymax));
    }
    return GIG_OK;
}

/* 0: it does not exist, or cannot be read. A failing disk is an error when it is read. */
static int can_be_read(const char *path)
{
    struct stat about;
    if (!path) return 1;
    if (stat(path, &about) == 0) return S_ISREG(about.st_mode) && access(path, R_OK) == 0;
    return errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP && errno != ENAMETOOLONG;
}

gig_status gig_study_picture_hash(char text[GIG_HASH_TEXT], const char *collection, const gig_study_picture *subject,
                                  const gig_hash_watch *watch)
{
    gig_hash *hash;
    int with_files = can_be_read(subject->file) && can_be_read(subject->mask);
    GIG_TRY(gig_hash_begin(&hash, watch));
    gig_status status = add_identity(hash, collection, subject);
    if (status == GIG_OK && with_files) status = gig_hash_add_file(hash, subject->file);
    if (status == GIG_OK && with_files && subject->mask) status = gig_hash_add_file(hash, subject->mask);
    return finish(status, text, hash);
}
