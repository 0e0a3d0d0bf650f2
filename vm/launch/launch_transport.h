/* SPDX-License-Identifier: MIT
 *
 * How the traces leave the guest. */
#ifndef VM_LAUNCH_LAUNCH_TRANSPORT_H
#define VM_LAUNCH_LAUNCH_TRANSPORT_H

#include "base/error.h"

struct launch;

/* Fills transport, machine.share and modules. STATUS_UNSUPPORTED if the kernel lacks what the request needs. */
enum status launch_choose_transport(struct launch *launch, struct error *err);

#endif
