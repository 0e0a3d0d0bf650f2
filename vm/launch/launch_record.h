/* SPDX-License-Identifier: MIT
 *
 * vm.json: how a kernel was run. */
#ifndef VM_LAUNCH_LAUNCH_RECORD_H
#define VM_LAUNCH_LAUNCH_RECORD_H

#include "base/error.h"

struct launch;

/* Writes DIR/RELEASE/vm.json. outcome is NULL if the launch succeeded. */
enum status launch_record(const struct launch *launch, const struct error *outcome, struct error *err);

#endif
