/* SPDX-License-Identifier: MIT
 *
 * A stopped session's ring buffer into a trace.dat. */
#ifndef CAPTURE_DAT_FILE_H
#define CAPTURE_DAT_FILE_H

#include "base/error.h"
#include "capture/session.h"
#include "capture/spool.h"

/* With migration_stacks the header has room for so many bytes of kernel symbols, empty lines at first: which occur is
 * known only once the file is read again (record/stack_symbols.h). */
#define DAT_FILE_SYMBOL_ROOM 65536

/* What a buffer refused is told by the page behind it (spool.h); behind a CPU's last page there is none, and an empty
 * one with such a mark would be shown by no reader: the CPU's statistics say "dropped at the end: 12" instead.
 *
 * Writes PATH.partial, header first, then each CPU's pages behind one another (what was spooled, where spool is not
 * NULL, then what the buffer still holds), and renames it to path once it is complete and on the disk. Where the disk
 * fills up, PATH.partial stays, holding what fitted, and the error says so; after any other failure nothing stays. */
enum status dat_file_save(const struct capture_session *session, struct spool *spool, const char *path,
			  struct error *err);
/* Appends the header of such a file, as it is without pages: with it the pages of a session that still records can be
 * understood. */
enum status dat_file_header(const struct capture_session *session, struct buffer *out, struct error *err);
/* Where spool_drain() failed because the disk is full: keeps what was spooled in PATH.partial and says so in
 * failure. Does nothing after other failures. */
void dat_file_keep(const struct capture_session *session, struct spool *spool, const char *path, struct error *failure);

#endif
