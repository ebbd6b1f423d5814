/* SPDX-License-Identifier: Apache-2.0 */
/* A study's table as an HTML file that sorts. */
#ifndef CLI_STUDY_HTML_H
#define CLI_STUDY_HTML_H

/* Does -o name such a file? NULL does not. */
int study_page_is_meant(const char *path);
/* json: the table as gig_study_table gives it. An exit code. */
int study_page_write(const char *path, const char *json, const char *title, int force);

#endif
