/* SPDX-License-Identifier: MIT
 *
 * The guest's end of the memory of vm/protocol/shared_memory.h. */
#ifndef GUEST_SHARED_MEMORY_H
#define GUEST_SHARED_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct shared_memory {
	int device;    /* -1: none */
	uint8_t *head; /* mapped: all before the frames */
	uint64_t size, frames, lines;
	char path[64];
};

/* STATUS_SYSTEM if this machine has no such device, or denies access to it. */
enum status shared_memory_open(struct shared_memory *memory, struct error *err);
/* The same for an open device or file; memory->path names it in errors. */
enum status shared_memory_map(struct shared_memory *memory, struct error *err);
/* Appends length bytes of a frame. err->errnum is ENOSPC if the memory is full. */
enum status shared_memory_add_frame(struct shared_memory *memory, const void *bytes, size_t length, struct error *err);
/* Appends length bytes of lines, at most those of the ring. */
void shared_memory_add_line(struct shared_memory *memory, const char *bytes, size_t length);
void shared_memory_close(struct shared_memory *memory);

#endif
