/* SPDX-License-Identifier: MIT
 *
 * Writes a stopped session's ring buffer to a trace.dat. */
#ifndef CAPTURE_DAT_FILE_H
#define CAPTURE_DAT_FILE_H

#include "base/error.h"
#include "capture/session.h"
#include "capture/spool.h"

/* Writes PATH.partial, header first, then the pages of each CPU (first those of spool, which may be NULL, then what the
 * buffer still holds), and renames it to path once it is complete and on the disk. If the disk fills up, PATH.partial
 * stays with what fitted, and the error says so; after any other failure nothing stays.
 *
 * The statistics of each CPU say "dropped at the end: 12" for events that were dropped after its last page. */
enum status dat_file_save(const struct capture_session *session, struct spool *spool, const char *path,
			  struct error *err);
/* After spool_drain() failed with a full disk: keeps the spooled pages in PATH.partial and reports it in failure. Does
 * nothing after other failures. */
void dat_file_keep(const struct capture_session *session, struct spool *spool, const char *path, struct error *failure);

#endif
