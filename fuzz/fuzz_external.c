/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: arbitrary strings as location, offset and length of a tensor's external data, in a folder with
 * files, links, a pipe and a folder. Only files below the folder may be read: they contain one byte value, all files
 * outside it another. */
#include "demand.h"
#include "model/load.h"
#include "starve.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INSIDE = 0x5a, OUTSIDE = 0x21, FILE_BYTES = 4096, MAX_READ = 512, TEXTS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(int folder, const char *name, int byte)
{
    char bytes[FILE_BYTES];
    memset(bytes, byte, sizeof bytes);
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    demand(file >= 0 && write(file, bytes, sizeof bytes) == FILE_BYTES && close(file) == 0, "a file is written");
}

/* parent/outside, parent/model/{w, sub/w, links ...}; the folder of the model, open. */
static int make_folders(void)
{
    char path[] = "/tmp/fuzz-external-XXXXXX";
    demand(mkdtemp(path) != NULL, "a temporary folder");
    int parent = open(path, O_PATH | O_DIRECTORY);
    demand(mkdirat(parent, "model", 0700) == 0 && mkdirat(parent, "model/sub", 0700) == 0, "folders are made");
    put(parent, "outside", OUTSIDE);
    put(parent, "model/w", INSIDE);
    put(parent, "model/sub/w", INSIDE);
    int folder = openat(parent, "model", O_PATH | O_DIRECTORY);
    int made = symlinkat("../outside", folder, "link") | symlinkat("..", folder, "up") | symlinkat("w", folder, "own") |
               linkat(parent, "outside", folder, "hard", 0) | mkfifoat(folder, "pipe", 0600) |
               symlinkat("/proc/self/environ", folder, "environ");
    demand(made == 0 && folder >= 0, "links are made");
    close(parent);
    return folder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int folder = -1;
    static char location[] = "location", offset[] = "offset", length[] = "length";
    char texts[TEXTS][128] = {"", "", ""}, *names[TEXTS] = {location, offset, length};
    if (folder < 0) folder = make_folders();
    if (!size) return 0;
    size_t wanted = 4 * (size_t)(data[0] % 64), part = 0, used = 0, before = gig_memory_used();
    for (size_t i = 1; i < size && part < TEXTS; i++) {
        if (data[i] == 0 || used == sizeof texts[0] - 1) {
            part++;
            used = 0;
        } else
            texts[part][used++] = (char)data[i];
    }
    Onnx__StringStringEntryProto entries[TEXTS], *list[TEXTS];
    Onnx__TensorProto tensor;
    onnx__tensor_proto__init(&tensor);
    for (size_t i = 0; i < TEXTS; i++) {
        onnx__string_string_entry_proto__init(&entries[i]);
        entries[i].key = names[i];
        entries[i].value = texts[i];
        list[i] = &entries[i];
    }
    tensor.external_data = list;
    tensor.n_external_data = texts[2][0] ? 3 : texts[1][0] ? 2 : 1;
    uint8_t *out = malloc(wanted + 1);
    demand(out != NULL, "memory for the check");
    int starved = starve(data, size);
    gig_status status = gig_external_read(out, wanted, folder, &tensor);
    starve_end();
    demand(status == GIG_OK || status == GIG_EFORMAT || status == GIG_EIO || status == GIG_ELIMIT ||
               status == GIG_EUNSUPPORTED || (status == GIG_ENOMEM && starved),
           "a legal status");
    for (size_t i = 0; status == GIG_OK && i < wanted; i++) demand(out[i] == INSIDE, "bytes from beneath the folder");
    free(out);
    demand(gig_memory_used() == before, "nothing stays allocated");
    return 0;
}
