/* SPDX-License-Identifier: Apache-2.0 */
/* gig_model_load: file -> bytes -> scan -> protobuf-c under a budget -> checked graph. The file's bytes are freed
 * before the graph is built, and the message right after it, so weights are in memory twice only while unpacking. */
#include "model/load.h"
#include "base/file.h"
#include <fcntl.h>
#include <libgen.h>
#include <openssl/evp.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_IR = 3, LAST_IR = 13, LAST_OPSET = 26 };

static gig_model_options with_defaults(const gig_model_options *options)
{
    gig_model_options limits = options ? *options : (gig_model_options)GIG_MODEL_OPTIONS_INIT;
    if (!limits.max_file) limits.max_file = (size_t)2 << 30;
    if (!limits.max_weights) limits.max_weights = (size_t)4 << 30;
    if (!limits.max_nodes) limits.max_nodes = 65536;
    return limits;
}

/* ---- unpacking ---- */

typedef struct allowance {
    size_t left;
    gig_status status; /* why an allocation failed */
} allowance;

static void *budget_alloc(void *payload, size_t bytes)
{
    allowance *budget = payload;
    if (bytes > budget->left) {
        budget->status = gig_fail(GIG_ELIMIT, "unpacking takes more memory than the limits allow");
        return NULL;
    }
    void *block = gig_alloc(bytes, 1);
    if (block)
        budget->left -= bytes; /* never returned: the total is bounded, not the peak */
    else
        budget->status = gig_alloc_status();
    return block;
}

static void budget_free(void *payload, void *block)
{
    (void)payload;
    gig_free(block);
}

static ProtobufCAllocator message_allocator = {budget_alloc, budget_free, NULL};

/* Files that users give instead of a model, by their first bytes; NULL: unknown. No ONNX file begins like this. */
static const char *foreign_file(const uint8_t *bytes, size_t count)
{
    static const struct {
        size_t at;
        const char *start, *name;
    } known[] = {{0, "\x89PNG", "a PNG picture"},
                 {0, "\xff\xd8\xff", "a JPEG picture"},
                 {8, "WEBP", "a WebP picture"},
                 {0, "PK\x03\x04", "a ZIP archive, as PyTorch saves; export the model to ONNX first"},
                 {0, "\x89HDF", "an HDF5 file, as Keras saves; convert the model to ONNX first"},
                 {4, "TFL3", "a TensorFlow Lite file; convert the model to ONNX first"},
                 {1, "NUMPY", "a NumPy array"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].start);
        if (count >= known[i].at + length && memcmp(bytes + known[i].at, known[i].start, length) == 0)
            return known[i].name;
    }
    return NULL;
}

static gig_status unpack(Onnx__ModelProto **out, const uint8_t *bytes, size_t count, const gig_model_options *limits)
{
    gig_scan scan;
    const char *foreign = foreign_file(bytes, count);
    if (foreign) return gig_fail(GIG_EFORMAT, "expected an ONNX file, found %s", foreign);
    GIG_TRY(gig_scan_model(&scan, bytes, count, limits->max_nodes, limits->max_weights));
    allowance budget = {.left = scan.structure + scan.payload, .status = GIG_OK};
    ProtobufCAllocator allocator = {budget_alloc, budget_free, &budget};
    *out = onnx__model_proto__unpack(&allocator, count, bytes);
    if (*out) return GIG_OK;
    return budget.status != GIG_OK ? budget.status : gig_fail(GIG_EFORMAT, "not an ONNX file, or a broken one");
}

static void free_message(Onnx__ModelProto *message)
{
    if (message) onnx__model_proto__free_unpacked(message, &message_allocator);
}

/* ---- checking ---- */

gig_status gig_check_opset(int opset)
{
    if (opset <= LAST_OPSET) return GIG_OK;
    return gig_fail(GIG_EUNSUPPORTED, "opset %d is not supported (up to %d are)", opset, LAST_OPSET);
}

static gig_status check_versions(gig_model *model, const Onnx__ModelProto *message)
{
    if (!message->has_ir_version || message->ir_version < 1)
        return gig_fail(GIG_EFORMAT, "not an ONNX file, or a broken one: no IR version");
    model->ir_version = message->ir_version;
    if (model->ir_version < FIRST_IR || model->ir_version > LAST_IR)
        return gig_fail(GIG_EUNSUPPORTED, "IR version %lld is not supported (%d to %d are)",
                        (long long)model->ir_version, FIRST_IR, LAST_IR);
    if (message->n_opset_import > GIG_MAX_IMPORTS) return gig_fail(GIG_ELIMIT, "more than %d opsets", GIG_MAX_IMPORTS);
    if (message->n_functions > GIG_MAX_FUNCTIONS)
        return gig_fail(GIG_ELIMIT, "more than %d functions", GIG_MAX_FUNCTIONS);
    GIG_TRY(gig_build_opset(&model->opset, message->n_opset_import, message->opset_import));
    return gig_check_opset(model->opset);
}

static gig_status fill(gig_model *model, Onnx__ModelProto *message, int folder, const gig_model_options *limits)
{
    gig_weights weights = {.folder = folder, .most = limits->max_weights};
    GIG_TRY(check_versions(model, message));
    GIG_TRY(gig_name_copy(&model->producer, message->producer_name));
    GIG_TRY(gig_build_graph(model, message, &weights, limits->max_nodes));
    model->has_external = weights.is_external;
    memcpy(model->external, weights.external, sizeof model->external);
    return GIG_OK;
}

static gig_status start(gig_model **out, const char *path)
{
    gig_model *model = gig_alloc_zero(1, sizeof *model);
    if (!model) return gig_alloc_status();
    model->file = -1;
    model->path = gig_strdup(path);
    *out = model;
    return model->path ? GIG_OK : gig_alloc_status();
}

static gig_status digest(gig_model *model, const uint8_t *bytes, size_t count)
{
    if (EVP_Digest(bytes, count, model->sha256, NULL, EVP_sha256(), NULL) == 1) return GIG_OK;
    return gig_fail(GIG_EINTERNAL, "SHA-256 failed");
}

/* Descriptor of the folder of `path`, -1 if it cannot be opened (then external data is rejected). */
static gig_status open_folder(int *out, const char *path)
{
    char *copy = gig_strdup(path);
    if (!copy) return gig_alloc_status();
    *out = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
    gig_free(copy);
    return GIG_OK;
}

gig_status gig_model_load_memory(gig_model **out, const void *bytes, size_t count, const gig_model_options *options)
{
    GIG_NEED(out);
    gig_model_options limits = with_defaults(options);
    Onnx__ModelProto *message = NULL;
    gig_model *model = NULL;
    gig_status status = GIG_OK;
    *out = NULL;
    if (count > limits.max_file)
        return gig_fail(GIG_ELIMIT, "the file has %zu bytes, expected at most %zu", count, limits.max_file);
    GIG_TRY_DONE(start(&model, ""));
    GIG_TRY_DONE(unpack(&message, bytes, count, &limits));
    GIG_TRY_DONE(digest(model, bytes, count));
    GIG_TRY_DONE(fill(model, message, -1, &limits));
    *out = model;
    model = NULL;
done:
    free_message(message);
    gig_model_free(model);
    return status;
}

gig_status gig_model_load(gig_model **out, const char *path, const gig_model_options *options)
{
    GIG_NEED(out);
    gig_model_options limits = with_defaults(options);
    Onnx__ModelProto *message = NULL;
    gig_model *model = NULL;
    uint8_t *bytes = NULL;
    size_t count;
    int folder = -1;
    gig_status status = GIG_OK;
    *out = NULL;
    GIG_TRY(gig_file_read(&bytes, &count, path, limits.max_file));
    GIG_TRY_DONE(start(&model, path));
    GIG_TRY_DONE(unpack(&message, bytes, count, &limits));
    GIG_TRY_DONE(digest(model, bytes, count));
    gig_free(bytes);
    bytes = NULL;
    GIG_TRY_DONE(open_folder(&folder, path));
    GIG_TRY_DONE(fill(model, message, folder, &limits));
    gig_model_hold_file(model);
    model->limits = limits;
    *out = model;
    model = NULL;
done:
    if (status != GIG_OK) gig_fail_in(status, "%s", path);
    if (folder >= 0) close(folder);
    gig_free(bytes);
    free_message(message);
    gig_model_free(model);
    return status;
}
