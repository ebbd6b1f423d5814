/* SPDX-License-Identifier: Apache-2.0 */
/* The method that a command line describes: a name, and flags that are a method's options. */
#ifndef CLI_METHOD_FLAGS_H
#define CLI_METHOD_FLAGS_H

#include "frame/options.h"
#include "gig/saliency.h"

/* Does --baseline name a file, an array or a picture, rather than a kind? */
int baseline_is_file(const char *baseline);
/* "pictures:DIR:N": N pictures of a folder, drawn by the seed. */
int baseline_is_pictures(const char *baseline);
int baseline_is_picture(const char *baseline);
/* The method that `text` (NULL: the default's name) and the flags describe. An exit code. */
int method_read(gig_method *out, const options *given, const char *text);

/* The i-th flag that was given but does not apply to the method; NULL after the last. Scripts pass the same
 * flags to many methods, so it is worth a word, not an error. */
const char *method_unused_flag(const options *given, const gig_method *method, size_t i);

#endif
