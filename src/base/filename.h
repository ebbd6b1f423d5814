/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that are relative to a file or a folder. */
#ifndef GIG_BASE_FILENAME_H
#define GIG_BASE_FILENAME_H

/* New strings, freed with gig_free; NULL if memory runs out. A name that begins with '/' is not changed. */
char *gig_filename_beside(const char *file, const char *name); /* name in the folder that holds the file */
char *gig_filename_inside(const char *folder, const char *name);

/* The path with all symbolic links resolved, whether the file exists or not: two names of one file give one path. A
 * path that cannot be resolved is returned unchanged. */
char *gig_filename_resolve(const char *path);

#endif
