/* SPDX-License-Identifier: MIT
 *
 * The host's ends of the guest's virtio-serial ports and serial console, in the guest's private directory. They are
 * sockets: picknext listens, QEMU connects. Two can be files that picknext polls: the console, unless a shell runs on
 * it (machine_console_is_file()), and shared memory with the lines of progress (vm/protocol/shared_memory.h). */
#ifndef VM_ENGINE_CHANNELS_H
#define VM_ENGINE_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum channel {
	CHANNEL_CONSOLE,  /* serial port: kernel messages, the shell */
	CHANNEL_PROGRESS, /* port picknext.progress, or shared memory */
	CHANNEL_OUTPUT,   /* port virtme.stdout, if vng does not carry it */
	CHANNEL_ERRORS,   /* port virtme.stderr */
	CHANNEL_RESULT,   /* port virtme.ret */
	CHANNEL_ENGINE,   /* output of the engine itself: no socket, opened by supervise() */
	CHANNEL_COUNT,
};

/* Name of the socket or file; name of the port in the guest (NULL for the console). */
const char *channel_file(enum channel channel);
const char *channel_port(enum channel channel);

struct channels {
	int listening[CHANNEL_COUNT], connection[CHANNEL_COUNT]; /* -1: not open */
	bool is_file[CHANNEL_COUNT];                             /* poll() does not report its growth */
	uint64_t lines_read;                                     /* bytes of lines read from shared memory */
};

/* Listens on those whose bit (1 << channel) is in wanted. */
enum status channels_open(struct channels *channels, const char *directory, unsigned int wanted, struct error *err);
/* Creates the file that QEMU writes the console to. */
enum status channels_open_console_file(struct channels *channels, const char *directory, struct error *err);
/* Reads the lines of progress from the shared memory at path. */
enum status channels_open_shared_memory(struct channels *channels, const char *path, struct error *err);
/* Like read(); EAGAIN if a file has nothing new. */
ssize_t channels_read(struct channels *channels, enum channel channel, void *bytes, size_t size);
/* Accepts pending connections, one per channel. Does not block. */
void channels_accept(struct channels *channels);
/* Frees the disk space of the part of the console's file that was read: a guest could fill the disk with it. */
void channels_forget_console(const struct channels *channels);
void channels_end(struct channels *channels, enum channel channel); /* the other side closed it */
void channels_close(struct channels *channels);

#endif
