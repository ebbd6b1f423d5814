/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest of a study: which maps are computed from which pictures and models, and how they are scored.
 *
 *   {"title": "text", "seed": 0, "keep": "nothing|maps", "portable": false,
 *    "models": {"NAME": "file.onnx", ...}, "pictures": {"NAME": "list.csv, or a folder", ...},
 *    "methods": ["ig", "gig:20", ...], "baselines": ["black", ...], "metrics": ["auc", "sic", ...],
 *    "options": {"steps": 200, ...}, "of": "softmax", "precision": "f32",
 *    "region": "predicted|x0,y0,x1,y1" or "index": "3,:" (docs/targets.md),
 *    "filter": {"top": 5, "correct": true, "confidence": 0.8, "box-area": [0.05, 0.66]}, "limit": 100, "order":
 * "first|random", "runs": [{"models": ["NAME", ...], "pictures": ["NAME", ...], and any of the keys from "methods" on},
 * ...]}
 *
 * Each run computes every map of its models x pictures x methods x baselines; missing keys are taken from the top
 * level. No "runs": one run of everything. Files are relative to the manifest. */
#ifndef GIG_WORK_MANIFEST_MANIFEST_H
#define GIG_WORK_MANIFEST_MANIFEST_H

#include "base/text_list.h"
#include "gig/explainer.h"
#include "gig/metric.h"
#include "internal/network.h"
#include "work/manifest/baseline_pictures.h"

/* A model or a set of pictures. */
typedef struct gig_named_file {
    char *name, *file;
} gig_named_file;

typedef struct gig_named_files {
    size_t count;
    gig_named_file *all;
} gig_named_files;

typedef struct gig_indices {
    size_t count;
    size_t *all;
} gig_indices;

typedef struct gig_run {
    gig_indices models, sets; /* of the manifest's */
    gig_texts methods, baselines;
    size_t metric_count;
    gig_metric *metrics;
    gig_texts option_names, option_values; /* defaults of the methods' options */
    gig_scalar scalar;
    int scalar_said; /* by "of" */
    char *part; /* of the output that is explained: "region predicted", "index 3,:"; NULL: one class of all of it */
    gig_precision precision;
    size_t top;                   /* the label is among this many best classes; 0: any */
    double confidence;            /* least softmax probability of the label; 0: any */
    double least_area, most_area; /* area of the boxes, as a fraction of the picture; 0 and 1: any */
    size_t limit;                 /* pictures per model and set; 0: all */
    int random_order;             /* pictures are taken in an order drawn from the seed */
} gig_run;

typedef struct gig_manifest {
    char *path, *title;
    char *text; /* as in the file */
    int64_t seed;
    int keep_maps;
    int portable; /* as in gig_network_options: of every worker */
    gig_named_files models, sets;
    size_t baseline_count;
    gig_baseline_pictures *baselines; /* baselines made of pictures; runs use the same names */
    size_t run_count;
    gig_run *runs;
} gig_manifest;

/* GIG_EFORMAT in one line that names the file and the place: "study.json: runs[1]: methods[0]: ...". */
gig_status gig_manifest_read(gig_manifest **out, const char *path);
void gig_manifest_free(gig_manifest *manifest); /* NULL is allowed */

/* Whether the part has no classes, being one number. NULL is allowed. */
int gig_part_is_number(const char *part);
/* What is explained, as in stores and tables: "softmax", "softmax of region predicted". Returns text. */
const char *gig_part_name(char *text, size_t bytes, gig_scalar scalar, const char *part);
/* The words after "region " or "index "; NULL if the part is not of that kind. */
const char *gig_part_text(const char *part, const char *kind);

/* "f32", "mixed", "split", "bf16". */
const char *gig_precision_name(gig_precision precision);

#endif
