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

/* Open the transport to the host. STATUS_SYSTEM if the directory does not exist, or the memory cannot be mapped. Close
 * the sender after an error, too. */
enum status transfer_sender_open_share(struct transfer_sender *sender, const char *directory, struct error *err);
enum status transfer_sender_open_shared_memory(struct transfer_sender *sender, struct error *err);
/* Sends the file under the last part of its path. err->errnum is ENOSPC if the host's side is full. */
enum status transfer_send(struct transfer_sender *sender, const char *path, uint64_t *size, uint32_t *checksum,
			  struct error *err);
void transfer_sender_close(struct transfer_sender *sender);

struct shared_memory {
	int device; /* -1: none */
	uint64_t size, used;
	char path[64];
};

/* STATUS_SYSTEM if this machine has no such device, or denies access to it. */
enum status shared_memory_open(struct shared_memory *memory, struct error *err);
/* Appends length bytes. err->errnum is ENOSPC if the memory is full. */
enum status shared_memory_write(struct shared_memory *memory, const void *bytes, size_t length, struct error *err);
void shared_memory_close(struct shared_memory *memory);

#endif
