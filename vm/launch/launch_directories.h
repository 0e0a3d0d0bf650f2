/* SPDX-License-Identifier: MIT
 *
 * The output directory of a launch, DIR/SET, and its contents. */
#ifndef VM_LAUNCH_LAUNCH_DIRECTORIES_H
#define VM_LAUNCH_LAUNCH_DIRECTORIES_H

#include <stdint.h>

#include "base/error.h"

struct launch;

/* Names DIR/SET and its raw and cells. */
enum status launch_choose_directory(struct launch *launch, struct error *err);
/* Makes the directories, opens the claims, and removes what killed launchers left. STATUS_USAGE if a file would be
 * replaced that vm did not make. */
enum status launch_make_directories(struct launch *launch, struct error *err);
/* Removes the staging directory of a run whose process was killed. */
void launch_remove_staging(const struct launch *launch, uint32_t run);

/* For one boot, in its process: its staging directory, which other users cannot enter. */
enum status launch_make_staging(struct launch *launch, struct error *err);
void launch_end_staging(struct launch *launch); /* removes it, if there is one */
/* Opens console/runN.log and engine/runN.log, empty. */
enum status launch_open_logs(struct launch *launch, struct error *err);

#endif
