/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes as an array (npy, npz), a list (CSV), a description or manifest (JSON), or the name of a
 * method or metric. The first byte chooses; the rest is the file or the name. */
#include "base/csv.h"
#include "base/npy.h"
#include "demand.h"
#include "gig/metric.h"
#include "gig/saliency.h"
#include "gig/tensor.h"
#include "internal/description.h"
#include "starve.h"
#include "work/manifest/manifest.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static gig_status read_array(const uint8_t *data, size_t size, int archive)
{
    gig_tensor tensor;
    gig_status status = archive ? gig_npz_parse(&tensor, data, size, NULL) : gig_npy_parse(&tensor, data, size);
    demand((status == GIG_OK) == (tensor.data != NULL), "an array exactly on success");
    unsigned sum = 0;
    size_t count = status == GIG_OK ? gig_tensor_count(&tensor) : 0;
    for (size_t i = 0; i < count; i++)
        sum += tensor.type == GIG_FLOAT32 ? tensor.real[i] != 0 : tensor.whole[i] != 0; /* every element can be read */
    volatile unsigned seen = sum;
    (void)seen;
    gig_tensor_clear(&tensor);
    return status;
}

static gig_status read_list(const uint8_t *data, size_t size)
{
    gig_csv csv;
    gig_status status = gig_csv_parse(&csv, (const char *)data, size);
    if (status != GIG_OK) return status;
    size_t bytes = 0;
    for (size_t row = 0; row < csv.rows; row++)
        for (size_t column = 0; column < csv.columns; column++) bytes += strlen(gig_csv_field(&csv, row, column));
    demand(bytes <= size, "fields are parts of the file");
    gig_csv_clear(&csv);
    return GIG_OK;
}

static gig_status read_description(const uint8_t *data, size_t size)
{
    gig_description *about;
    gig_status status = gig_description_load_memory(&about, data, size, "/nowhere");
    if (status != GIG_OK) return status == GIG_EIO ? GIG_OK : status; /* a label file that does not exist */
    for (size_t i = 0; i < about->label_count; i++) demand(gig_description_label(about, i) != NULL, "a label");
    gig_description_free(about);
    return GIG_OK;
}

static gig_status read_manifest(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];
    gig_manifest *manifest;
    if (file < 0) {
        file = memfd_create("manifest.json", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    demand(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, "a file in memory");
    gig_status status = gig_manifest_read(&manifest, path);
    demand((status == GIG_OK) == (manifest != NULL), "a manifest exactly on success");
    gig_manifest_free(manifest);
    return status == GIG_EARG ? GIG_OK : status;
}

/* The canonical name of a parsed method means the same method. */
static gig_status read_method(const char *text)
{
    gig_method method, again;
    char name[GIG_METHOD_NAME_BYTES], second[GIG_METHOD_NAME_BYTES];
    gig_status status = gig_method_parse(&method, text, NULL);
    if (status != GIG_OK) return status == GIG_EARG ? GIG_OK : status;
    gig_method_name(name, sizeof name, &method);
    status = gig_method_parse(&again, name, NULL);
    if (status != GIG_OK) return status;
    demand(!strcmp(name, gig_method_name(second, sizeof second, &again)), "a canonical name stays what it is");
    return GIG_OK;
}

static gig_status read_metric(const char *text)
{
    gig_metric metric, again;
    char name[512], second[512];
    gig_status status = gig_metric_parse(&metric, text);
    if (status != GIG_OK) return status == GIG_EARG ? GIG_OK : status;
    gig_metric_name(name, sizeof name, &metric);
    status = gig_metric_parse(&again, name);
    if (status != GIG_OK) return status;
    demand(!strcmp(name, gig_metric_name(second, sizeof second, &again)), "a canonical name stays what it is");
    return GIG_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    size_t before = gig_memory_used();
    char text[1024];
    size_t length = size - 1 < sizeof text - 1 ? size - 1 : sizeof text - 1;
    memcpy(text, data + 1, length);
    text[length] = 0;
    gig_status status = GIG_OK;
    int starved = starve(data, size);
    switch (data[0] % 7) {
    case 0: status = read_array(data + 1, size - 1, 0); break;
    case 1: status = read_array(data + 1, size - 1, 1); break;
    case 2: status = read_list(data + 1, size - 1); break;
    case 3: status = read_description(data + 1, size - 1); break;
    case 4: status = read_manifest(data + 1, size - 1); break;
    case 5: status = read_method(text); break;
    default: status = read_metric(text); break;
    }
    starve_end();
    demand(status == GIG_OK || status == GIG_EFORMAT || status == GIG_EUNSUPPORTED || status == GIG_ELIMIT ||
               status == GIG_EARG || (status == GIG_ENOMEM && starved),
           "a legal status");
    demand(gig_memory_used() == before, "nothing stays allocated");
    return 0;
}
