/* SPDX-License-Identifier: Apache-2.0 */
/* A sheet as one HTML file: a JSON document and the viewer of web/, which reads it. */
#ifndef GIG_VIEW_HTML_H
#define GIG_VIEW_HTML_H

#include "view/array.h"
#include "view/json.h"
#include "view/panel.h"

/* The map and its numbers, which a drawing does not keep, as JSON for panel->html. */
gig_status gig_html_map(gig_panel *panel, const gig_caption *caption, const float *map, size_t pixels, size_t channels);
/* Panels that only HTML files show: see gig/view.h. */
gig_status gig_html_path(gig_panel *panel, const gig_caption *caption, const gig_path_frames *path);
gig_status gig_html_array(gig_panel *panel, const gig_caption *caption, const gig_array *array,
                          const gig_array_layout *layout);
gig_status gig_html_table(gig_panel *panel, const gig_caption *caption, size_t rows, size_t columns,
                          const char *const *names, const char *const *cells, const double *numbers);

gig_status gig_html_encode(uint8_t **out, size_t *bytes, const char *title, const char *footer, const gig_panel *panels,
                           size_t count);

/* Made from web/ when compiled: the viewer's style and script, NUL at their ends, and their SHA-256 in base64. */
extern const char gig_viewer_style[], gig_viewer_script[], gig_viewer_style_hash[], gig_viewer_script_hash[];

#endif
