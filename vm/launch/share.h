/* SPDX-License-Identifier: MIT
 *
 * Receives files of a guest from a shared directory. */
#ifndef VM_LAUNCH_SHARE_H
#define VM_LAUNCH_SHARE_H

#include "base/error.h"
#include "vm/launch/place.h"

/* Copies the files in share to directory (which exists) and removes them from share; call it after the guest's end. A
 * file that the manifest does not list, or lists with another size or checksum, becomes NAME.incomplete. Errors are the
 * host's own (for example a full disk); the guest's faults are in the report. */
enum status transfer_receive_share(const char *share, const char *directory, const struct transfer_limits *limits,
				   struct transfer_report *report, struct error *err);

#endif
