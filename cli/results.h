/* What explain writes: a picture per point, one array or archive for all, JSON or text. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "output.h"
#include "points.h"
#include "subject.h"

typedef struct results {
    const options *given;
    const points *in;
    const subject *of;
    const gig_method *method;
    int draws;      /* pictures are written */
    int to_folder;  /* -o is a folder */
    size_t common;  /* bytes of the names' common folder */
    gig_tensor all; /* --npy, --npz: [n, ...] */
    size_t done;
    json_t *rows;
} results;

/* Looks at the flags and refuses, before any work, to overwrite. */
int results_begin(results *out, const char *command, const options *given, const points *in);
int results_open(results *out, const subject *of, const gig_method *method);
int results_add(results *out, const char *name, const float *point, size_t target, const gig_explanation *found);
/* Where one point's picture goes. An exit code. */
int results_picture_path(char *path, size_t bytes, const results *out, const char *name);
/* Makes the folders of the path that are not there. An exit code. */
int results_make_folders(char *path);
json_t *results_json(const results *out, const char *name, const gig_method *method, size_t target,
                     const gig_explanation *found);
/* Writes arrays and JSON of what is done. Returns `code`, or what went wrong here. */
int results_end(results *out, int code);
void results_clear(results *out);

/* --baseline FILE.npy and --segments FILE.npy. */
typedef struct extras {
    gig_tensor baseline;
    gig_tensor labels;
    size_t mask_count;
    uint8_t **owned;
    const uint8_t *const *masks;
} extras;
int extras_read(extras *out, const options *given, const subject *of);
void extras_clear(extras *made);

#endif
