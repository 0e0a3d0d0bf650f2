/* SPDX-License-Identifier: MIT
 *
 * How a guest ended, in words. */
#ifndef VM_LAUNCH_GUEST_END_H
#define VM_LAUNCH_GUEST_END_H

#include "vm/launch/guest_run_state.h"

/* One error for each way in which a guest can end badly, with its remedy. STATUS_GUEST: the guest's; else the host's,
 * after a good end too. Call it when all of its files were taken. */
enum status guest_end_explain(const struct guest_run *run, struct error *err);

#endif
