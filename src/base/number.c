/* SPDX-License-Identifier: Apache-2.0 */
#include "internal/number.h"
#include "base/status.h"
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc gives its one static "C" locale here: nothing is allocated, nothing need be freed. */
static locale_t point_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits(const char *text)
{
    size_t count = 0;
    while (is_digit(text[count])) count++;
    return count;
}

/* sign? (digits [. digits?] | . digits) (e sign? digits)? */
static int is_decimal(const char *at)
{
    if (*at == '+' || *at == '-') at++;
    size_t whole = digits(at), fraction = 0;
    at += whole;
    if (*at == '.') {
        fraction = digits(++at);
        at += fraction;
    }
    if (whole + fraction == 0) return 0;
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '+' || *at == '-') at++;
        size_t exponent = digits(at);
        if (exponent == 0) return 0;
        at += exponent;
    }
    return *at == 0;
}

gig_status gig_parse_double(double *out, const char *text)
{
    *out = 0;
    if (!is_decimal(text)) return gig_fail(GIG_EARG, "expected a number, found \"%s\"", text);
    double value = strtod_l(text, NULL, point_locale());
    if (!isfinite(value)) return gig_fail(GIG_EARG, "\"%s\" is too large a number", text);
    *out = value;
    return GIG_OK;
}

/* Digits of `text` as a value of at most `most`; returns 0 if they do not fit. */
static int magnitude(uint64_t *out, const char *text, size_t count, uint64_t most)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (most - digit) / 10) return 0;
        value = value * 10 + digit;
    }
    *out = value;
    return 1;
}

gig_status gig_parse_int(int64_t *out, const char *text, int64_t least, int64_t most)
{
    *out = 0;
    int negative = *text == '-';
    const char *at = text + (*text == '-' || *text == '+');
    size_t count = digits(at);
    uint64_t value = 0, bound = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (count == 0 || at[count] != 0) return gig_fail(GIG_EARG, "expected an integer, found \"%s\"", text);
    int fits = magnitude(&value, at, count, bound);
    int64_t number = !negative ? (int64_t)value : value > INT64_MAX ? INT64_MIN : -(int64_t)value;
    if (!fits || number < least || number > most)
        return gig_fail(GIG_EARG, "expected an integer from %" PRId64 " to %" PRId64 ", found \"%s\"", least, most,
                        text);
    *out = number;
    return GIG_OK;
}

gig_status gig_parse_size(size_t *out, const char *text)
{
    static const char letters[] = "KMGT";
    *out = 0;
    size_t count = digits(text);
    uint64_t value = 0, unit = 1;
    const char *at = text + count;
    const char *letter = *at ? strchr(letters, *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at) : NULL;
    if (letter) {
        unit <<= 10 * (letter - letters + 1);
        at++;
        if (*at == 'i') at++;
        if (*at == 'B') at++;
    }
    if (count == 0 || *at != 0)
        return gig_fail(GIG_EARG, "expected a size such as 500M, found \"%s\" (digits, then nothing, K, M, G or T)",
                        text);
    if (!magnitude(&value, text, count, SIZE_MAX / unit)) return gig_fail(GIG_EARG, "\"%s\" is too large a size", text);
    *out = value * unit;
    return GIG_OK;
}

gig_status gig_parse_choice(int *out, const char *text, const char *choices)
{
    size_t length = strlen(text);
    const char *at = choices;
    for (int place = 0;; place++) {
        size_t bytes = strcspn(at, "|");
        if (bytes == length && memcmp(at, text, bytes) == 0) {
            *out = place;
            return GIG_OK;
        }
        if (!at[bytes]) return gig_fail(GIG_EARG, "unknown value \"%s\"; expected one of %s", text, choices);
        at += bytes + 1;
    }
}

int gig_next_name(char *text, size_t bytes, const char **list)
{
    if (!**list) return 0;
    size_t length = strcspn(*list, ","), blanks = strspn(*list, " ");
    const char *name = *list + blanks;
    *list += length + ((*list)[length] == ',');
    if (blanks >= length) return -1;
    length -= blanks;
    while (name[length - 1] == ' ') length--;
    if (length >= bytes) return -1;
    memcpy(text, name, length);
    text[length] = 0;
    return 1;
}

const char *gig_format_double(char *text, size_t bytes, int digits_wanted, double value)
{
    locale_t before = uselocale(point_locale()); /* this thread's only */
    snprintf(text, bytes, "%.*g", digits_wanted, value);
    uselocale(before);
    return text;
}

const char *gig_format_shortest(char *text, size_t bytes, double value)
{
    int whole = value == floor(value) && fabs(value) < 1e15;
    for (int wanted = whole ? 15 : 1; wanted <= 17; wanted++) {
        gig_format_double(text, bytes, wanted, value);
        if (strtod_l(text, NULL, point_locale()) == value) break;
    }
    return text;
}
