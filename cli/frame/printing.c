/* SPDX-License-Identifier: Apache-2.0 */
#include "frame/printing.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

FILE *output_text(const options *given)
{
    const char *const paths[] = {given->out, given->npy, given->npz, given->csv};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (file_is_stdout(paths[i])) return stderr;
    return stdout;
}

const char *output_name(char *text, size_t bytes, const char *name)
{
    snprintf(text, bytes, "%s", name);
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f) *c = '?';
    return text;
}

const char *output_scaled(char *text, size_t bytes, double value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    int power = 0;
    for (; value >= 999.5 && power < 5; power++) value /= 1000;
    int decimals = power == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(text, bytes, "%.*f %s%s", decimals, value, prefixes[power], unit);
    return text;
}

const char *output_score(char text[32], double value)
{
    double size = fabs(value);
    snprintf(text, 32, size >= 1e9 ? "%.6g" : value != 0 && size < 1e-3 ? "%.3g" : "%.4f", value);
    return text;
}

const char *output_dims(char *text, size_t bytes, int rank, const int64_t *dims, const char *first)
{
    size_t used = (size_t)snprintf(text, bytes, "[%s", first);
    for (int i = 0; i < rank && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%lld", i || *first ? "," : "", (long long)dims[i]);
    if (used < bytes) snprintf(text + used, bytes - used, "]");
    return text;
}

json_t *json_name(const char *name)
{
    json_t *string = json_string(name);
    if (string) return string;
    char text[1024];
    output_name(text, sizeof text, name);
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c >= 0x80) *c = '?';
    return json_string(text);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

int json_print(json_t *root)
{
    errno = 0;
    int failed = !root || json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0; /* 0.1 is 0.1 */
    int gone = root && errno == EPIPE;                                                             /* which main says */
    json_decref(root);
    if (failed && !gone) {
        complain("cannot write JSON: out of memory, or standard output is full");
        return EXIT_IO;
    }
    putchar('\n');
    return EXIT_OK;
}
