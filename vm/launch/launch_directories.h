/* SPDX-License-Identifier: MIT
 *
 * The output directory of a launch, DIR/RELEASE, and its contents. */
#ifndef VM_LAUNCH_LAUNCH_DIRECTORIES_H
#define VM_LAUNCH_LAUNCH_DIRECTORIES_H

#include "base/error.h"

struct launch;

/* Names DIR/RELEASE, or DIR/RELEASE-2 and so on if another kernel of this run uses that name. */
enum status launch_choose_directory(struct launch *launch, struct error *err);
/* Makes the directories, and removes files of killed launchers. */
enum status launch_make_directories(struct launch *launch, struct error *err);
/* Opens console.log and engine.log, empty. */
enum status launch_open_logs(struct launch *launch, struct error *err);

#endif
