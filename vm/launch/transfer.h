/* SPDX-License-Identifier: MIT
 *
 * How finished traces leave the guest, and how the host makes sure of them.
 *
 * Transport share: each file is copied into the shared directory in blocks of 1 MiB, then a line
 * "SIZE CRC32C NAME" is appended to DELIVERY_MANIFEST there. After the guest is gone (so that nothing changes any more)
 * the host checks every file and moves it to its place.
 *
 * Transport port: a stream of frames on a virtio-serial port: 8 bytes "pnfile1\n", name length (u32), name, size (u64),
 * the bytes, CRC-32C (u32), 4 bytes "end\n"; little-endian. The host writes each file as it comes.
 *
 * Transport window: the same frames in memory that host and guest share (vm/launch/shared_memory.h), taken when the
 * guest is gone.
 *
 * Nothing that a guest does can write outside the directory that the receiver is given: names are [A-Za-z0-9_.+-]+ of
 * at most DELIVERY_NAME_MOST bytes, without leading dot, and end in .dat, .json or .log; links are not followed; only
 * regular files with one link are taken from a share. A file that did not arrive whole is kept as NAME.incomplete. */
#ifndef VM_LAUNCH_TRANSFER_H
#define VM_LAUNCH_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define DELIVERY_MANIFEST  "manifest"
#define DELIVERY_NAME_MOST 200
#define DELIVERY_BLOCK     (1024 * 1024)

bool delivery_name_is_safe(const char *name, size_t length);

/* --- The guest's side --- */

struct window;

struct delivery_sender {
	int directory;         /* transport share, or -1 */
	int port;              /* transport port, or -1 */
	struct window *window; /* transport window, or NULL */
	char where[256];
	char *block; /* DELIVERY_BLOCK bytes */
};

enum status delivery_open_share(struct delivery_sender *sender, const char *directory, struct error *err);
enum status delivery_open_port(struct delivery_sender *sender, const char *device, struct error *err);
enum status delivery_open_window(struct delivery_sender *sender, struct error *err);
/* Sends the file under the last part of its path. errnum ENOSPC: the share is full. */
enum status delivery_send(struct delivery_sender *sender, const char *path, uint64_t *size, uint32_t *checksum,
			  struct error *err);
void delivery_close(struct delivery_sender *sender);

/* --- The host's side --- */

struct delivery_limits {
	uint64_t file_bytes;  /* of one file, at most */
	uint64_t total_bytes; /* of all files */
	unsigned int files;
};
#define DELIVERY_LIMITS ((struct delivery_limits){16ull << 30, 256ull << 30, 4000})

struct delivery_report {
	unsigned int whole;      /* files that arrived, length and checksum checked */
	unsigned int traces;     /* the .dat files among them */
	unsigned int incomplete; /* kept as NAME.incomplete */
	unsigned int refused;    /* neither: a bad name, a link, a device ... */
	uint64_t bytes;          /* of the whole ones */
	char problem[512];       /* the first thing that was wrong, in words, or "" */
};

/* Copies what lies in share to directory (which exists) and removes it from share. What the
 * manifest does not list, or lists otherwise than it is, becomes NAME.incomplete. Call it when the guest is gone.
 * Errors are the host's own alone (the disk is full); what the guest did wrong is in the report. */
enum status delivery_take_share(const char *share, const char *directory, const struct delivery_limits *limits,
				struct delivery_report *report, struct error *err);

/* A stream, fed with what comes from the port, in pieces of any size. */
struct delivery_receiver;
enum status delivery_receiver_open(struct delivery_receiver **receiver, const char *directory,
				   const struct delivery_limits *limits, struct error *err);
/* After the first malformed frame everything else is ignored (the report tells). Errors are the host's own. */
enum status delivery_receive(struct delivery_receiver *receiver, const void *bytes, size_t length, struct error *err);
/* Ends the stream: a file that is not complete becomes NAME.incomplete. Frees receiver (may be NULL). */
enum status delivery_receiver_close(struct delivery_receiver *receiver, struct delivery_report *report,
				    struct error *err);

#endif
