/* SPDX-License-Identifier: MIT
 *
 * Receives frames of vm/protocol/transfer.h from a guest: each becomes a file as it arrives. */
#ifndef VM_LAUNCH_RECEIVE_H
#define VM_LAUNCH_RECEIVE_H

#include <stddef.h>

#include "base/error.h"
#include "vm/launch/place.h"

struct transfer_receiver;
enum status transfer_receiver_open(struct transfer_receiver **receiver, const char *directory,
				   const struct transfer_limits *limits, struct error *err);
/* Receives the stream in pieces of any size. After the first malformed frame the rest is ignored, and the report says
 * so. Errors are the host's own. */
enum status transfer_receive(struct transfer_receiver *receiver, const void *bytes, size_t length, struct error *err);
/* Ends the stream: an incomplete file becomes NAME.incomplete. Frees receiver (may be NULL). */
enum status transfer_receiver_close(struct transfer_receiver *receiver, struct transfer_report *report,
				    struct error *err);

#endif
