/* Files that are going to be written: refused, in one line, before anything is computed where they could not be. Exit
 * codes. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

enum { PATH_BYTES = 4200 };

/* Both of the below; NULL, devices and pipes are fine. */
int file_refuse(const char *path, int force);

/* One that exists, unless forced to overwrite it, and a folder. */
int file_refuse_existing(const char *path, int force);

#endif
