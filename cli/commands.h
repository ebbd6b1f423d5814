/* SPDX-License-Identifier: Apache-2.0 */
/* What each command does: one file cmd_NAME.c each. Exit codes. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "frame/command.h"

int run_model(const options *given);
int run_gradient(const options *given);
int run_bench(const options *given);
int run_explain(const options *given);
int run_compare(const options *given);
int run_score(const options *given);
int run_path(const options *given);
int run_study(const options *given);
int run_serve(const options *given);

/* As the only argument: the program is a worker of a study and reads its jobs from standard input. */
#define STUDY_WORKER "--study-worker"
int run_study_worker(void);

/* The same for the page. */
#define PAGE_WORKER "--page-worker"
int run_page_worker(void);

#endif
