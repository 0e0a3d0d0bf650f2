/* SPDX-License-Identifier: MIT
 *
 * The host's end of the memory of vm/protocol/shared_memory.h: a file. Files of the guest can be taken while it runs:
 * it says of each when it is whole. */
#ifndef VM_LAUNCH_SHARED_MEMORY_RECEIVE_H
#define VM_LAUNCH_SHARED_MEMORY_RECEIVE_H

#include <stdint.h>

#include "base/error.h"
#include "vm/launch/place.h"

/* Zeroed: closed. */
struct shared_memory_receiver {
	struct transfer_place place;
	bool is_open;
	bool is_over;  /* nothing can follow: the end of the guest's data, or what is no file */
	int file;      /* at the next byte */
	uint64_t next; /* its place in the guest's data */
	uint64_t left; /* bytes that the guest says it has written; the file may end before */
};

/* Makes files in directory (which exists) of the frames that a guest wrote. Errors are the host's own; the guest's
 * faults are in the report. */
enum status shared_memory_open_receiver(struct shared_memory_receiver *receiver, const char *path,
					const char *directory, const struct transfer_limits *limits, struct error *err);
/* Takes the next file. The guest may still run, and has said that this one is whole. */
enum status shared_memory_take(struct shared_memory_receiver *receiver, struct error *err);
/* After the guest's end: takes all that is left. */
enum status shared_memory_take_all(struct shared_memory_receiver *receiver, struct error *err);
/* Reports what became of all files. May be closed already. */
struct transfer_report shared_memory_close_receiver(struct shared_memory_receiver *receiver);

#endif
