/* SPDX-License-Identifier: Apache-2.0 */
/* What the library needs to know about a method besides its public interface. */
#ifndef GIG_SALIENCY_METHOD_H
#define GIG_SALIENCY_METHOD_H

#include "gig/saliency.h"

/* Rows that were added to an explainer, besides the library's own. */
typedef struct gig_added_rows {
    size_t count;
    const gig_method_row *const *rows;
} gig_added_rows;

/* gig_method_parse, with rows of the caller's own (NULL: none). */
gig_status gig_method_parse_with(gig_method *out, const char *text, const gig_method *defaults,
                                 const gig_added_rows *added);

/* Is this row valid, and its name unique? */
gig_status gig_method_row_check(const gig_method_row *row, const gig_added_rows *added);

/* Traits besides those of rows: a path known in advance, and the traits of prefixes. */
enum { GIG_METHOD_CURVE = 1 << 28, GIG_METHOD_SMOOTH = 1 << 29, GIG_METHOD_XRAI = 1 << 30 };
/* The row's traits, with those of the prefixes. */
unsigned gig_method_traits(const gig_method *method);

/* Are the fields that the method uses in their ranges, and does its row allow its rule? */
gig_status gig_method_check(const gig_method *method);

/* Chains (or maps, if there are no walks) of one input: samples times baselines. Samples are noisy ones, or the
 * draws of repeat. */
size_t gig_method_samples(const gig_method *method);
size_t gig_method_draws(const gig_method *method);
size_t gig_method_baselines(const gig_method *method);
/* Of the whole path, and of how many segments. */
size_t gig_method_steps(const gig_method *method);
size_t gig_method_segments(const gig_method *method);

/* ---- method_options.c ---- */

enum { GIG_OPTION_BYTES = 64 };

/* An option that comes with a trait: it has a field of its own. */
typedef struct gig_shared_option {
    gig_method_option about;
    unsigned trait;
    gig_status (*read)(gig_method *method, const char *text);
    void (*print)(char text[GIG_OPTION_BYTES], const gig_method *method);
} gig_shared_option;

/* Any option of a method: shared, or the row's own. */
typedef struct gig_any_option {
    const gig_method_option *about;
    const gig_shared_option *shared; /* NULL: the row's own */
} gig_any_option;

/* The option that follows `after` ("" for the first) alphabetically, among the options of the method; 0 if there is
 * none. method NULL: among all options. */
int gig_option_next(gig_any_option *out, const gig_method *method, const char *after);
/* The method's option of that name; 0 if it has none. method NULL: of any method. */
int gig_option_find(gig_any_option *out, const gig_method *method, const char *name);
gig_status gig_option_read(gig_method *method, const gig_any_option *option, const char *text);
/* Remembers that the option was given, and asks whether it was, or is not the default (defaults NULL: 0). */
void gig_option_mark(gig_method *method, const gig_any_option *option);
int gig_option_is_given(const gig_method *defaults, const gig_any_option *option);
void gig_option_print(char text[GIG_OPTION_BYTES], const gig_method *method, const gig_any_option *option);
/* Are the row's own options in their ranges? */
gig_status gig_own_options_check(const gig_method *method);
/* Rows and columns of a size. */
void gig_method_size(size_t out[2], const gig_method *method, const char *option);
gig_status gig_check_number(const char *option, double value, double least, int above, double most);

/* Reads one value of the option's kind. */
gig_status gig_kind_read(double out[2], const gig_method_option *option, const char *text);
void gig_kind_print(char text[GIG_OPTION_BYTES], const gig_method_option *option, const double value[2]);

/* Upper limit of counts of samples, anchors, baselines and pixels. */
enum { GIG_MOST_COPIES = 1000000 };

#endif
