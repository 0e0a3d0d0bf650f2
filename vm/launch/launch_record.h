/* SPDX-License-Identifier: MIT
 *
 * vm.json: how a kernel was run, and its boots. */
#ifndef VM_LAUNCH_LAUNCH_RECORD_H
#define VM_LAUNCH_LAUNCH_RECORD_H

#include "base/error.h"

struct launch;

/* Writes DIR/SET/vm.json, with the boots of launch->records. Only the process that started all boots does. */
enum status launch_record(struct launch *launch, struct error *err);

#endif
