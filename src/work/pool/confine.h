/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker process gives up before it reads models and pictures of others. */
#ifndef GIG_WORK_POOL_CONFINE_H
#define GIG_WORK_POOL_CONFINE_H

/* From here on all threads of the process gain no privileges, start no program, open no network connection,
 * and trace no other process: such calls fail with EPERM. Kernels without seccomp let them pass. */
void gig_confine(void);

#endif
