/* SPDX-License-Identifier: Apache-2.0 */
/* internal/confine.h -- privileges that a worker process gives up before it reads untrusted models and pictures. */
#ifndef GIG_INTERNAL_CONFINE_H
#define GIG_INTERNAL_CONFINE_H

/* Afterwards no thread of the process can gain privileges, start a program, open a network connection, or trace another
 * process: such calls fail with EPERM. Kernels without seccomp allow them. */
void gig_confine(void);

#endif
