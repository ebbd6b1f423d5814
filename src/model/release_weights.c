/* SPDX-License-Identifier: Apache-2.0 */
/* Frees weights that were packed and are not read any more, and reads the file again if they are needed later. */
#include "base/file.h"
#include "base/memory.h"
#include "model/graph.h"
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void gig_model_hold_file(gig_model *model)
{
    struct stat about;
    model->file = open(model->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (model->file < 0 || (fstat(model->file, &about) == 0 && S_ISREG(about.st_mode))) return;
    close(model->file); /* a pipe can be read only once */
    model->file = -1;
}

int gig_model_can_release(const gig_model *model)
{
    return model->file >= 0 && !model->has_external;
}

void gig_model_release(gig_model *model, int value)
{
    gig_tensor *constant = model->values[value].constant;
    gig_free(constant->data);
    constant->data = NULL;
    model->released = 1;
}

/* Held open since it was first read, so that removing or replacing the file changes nothing. */
gig_status gig_model_read_again(gig_model **out, const gig_model *model)
{
    char name[32];
    uint8_t *bytes = NULL, sha256[32];
    size_t count;
    *out = NULL;
    snprintf(name, sizeof name, "/proc/self/fd/%d", model->file);
    GIG_TRY(gig_file_read(&bytes, &count, name, model->limits.max_file));
    gig_status status = GIG_OK;
    if (EVP_Digest(bytes, count, sha256, NULL, EVP_sha256(), NULL) != 1)
        status = gig_fail(GIG_EINTERNAL, "SHA-256 failed");
    else if (memcmp(sha256, model->sha256, sizeof sha256) != 0)
        status = gig_fail(GIG_EFORMAT, "the file has changed since it was opened");
    else
        status = gig_model_load_memory(out, bytes, count, &model->limits);
    gig_free(bytes);
    return status;
}
