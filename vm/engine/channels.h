/* SPDX-License-Identifier: MIT
 *
 * The host's ends of the guest's virtio-serial ports and serial console, in the guest's private directory. They are
 * sockets: picknext listens, QEMU connects. The console is a file unless a shell runs on it
 * (machine_console_is_file()). */
#ifndef VM_ENGINE_CHANNELS_H
#define VM_ENGINE_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum channel {
	CHANNEL_CONSOLE,  /* serial port: kernel messages, the shell */
	CHANNEL_PROGRESS, /* port picknext.progress */
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
	bool console_is_file; /* QEMU appends to it and picknext polls: poll() does not report growth of a file */
};

/* Listens on those whose bit (1 << channel) is in wanted. */
enum status channels_open(struct channels *channels, const char *directory, unsigned int wanted, struct error *err);
/* Creates the file that QEMU writes the console to. */
enum status channels_open_console_file(struct channels *channels, const char *directory, struct error *err);
/* Accepts pending connections, one per channel. Does not block. */
void channels_accept(struct channels *channels);
/* Frees the disk space of the part of the console's file that was read: a guest could fill the disk with it. */
void channels_forget_console(const struct channels *channels);
void channels_end(struct channels *channels, enum channel channel); /* the other side closed it */
void channels_close(struct channels *channels);

#endif
