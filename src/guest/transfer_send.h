/* SPDX-License-Identifier: MIT
 *
 * Sends finished traces to the host, by any transport of vm/protocol/transfer.h. */
#ifndef GUEST_TRANSFER_SEND_H
#define GUEST_TRANSFER_SEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct shared_memory;

struct transfer_sender {
	int directory;                       /* transport share, or -1 */
	struct shared_memory *shared_memory; /* transport shared memory, or NULL */
	char where[256];
	char *block; /* TRANSFER_BLOCK bytes */
};

/* Prepare a sender for one transport. STATUS_SYSTEM if the directory does not exist; close the sender then, too. */
enum status transfer_sender_open_share(struct transfer_sender *sender, const char *directory, struct error *err);
void transfer_sender_use_memory(struct transfer_sender *sender, struct shared_memory *memory);
/* Sends the file under the last part of its path. err->errnum is ENOSPC if the host's side is full. */
enum status transfer_send(struct transfer_sender *sender, const char *path, uint64_t *size, uint32_t *checksum,
			  struct error *err);
void transfer_sender_close(struct transfer_sender *sender);

#endif
