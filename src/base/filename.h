/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that are relative to a file or a folder. */
#ifndef GIG_BASE_FILENAME_H
#define GIG_BASE_FILENAME_H

/* New strings, freed with gig_free; NULL when memory runs out. A name that begins with '/' is taken as it is. */
char *gig_filename_beside(const char *file, const char *name); /* name in the folder that holds the file */
char *gig_filename_inside(const char *folder, const char *name);

/* The file behind all symbolic links, whether it is there already or not: two names of one file give one path. A path
 * that leads nowhere is given back as it is. */
char *gig_filename_resolve(const char *path);

#endif
