/* SPDX-License-Identifier: Apache-2.0 */
#include "work/store/map_file.h"
#include "base/status.h"
#include "internal/tensor.h"

gig_status gig_map_file_read(gig_tensor *out, const char *path, size_t height, size_t width)
{
    GIG_TRY(gig_npz_read(out, path, "attributions"));
    if (out->type == GIG_FLOAT32 && out->rank == 3 && out->dims[0] == (int64_t)height &&
        out->dims[1] == (int64_t)width && (out->dims[2] == 1 || out->dims[2] == 3))
        return GIG_OK;
    gig_tensor_clear(out);
    return gig_fail(GIG_EFORMAT, "%s: holds no map of this picture", path);
}
