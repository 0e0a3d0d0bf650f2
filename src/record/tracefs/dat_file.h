/* SPDX-License-Identifier: MIT
 *
 * Writes a stopped session's ring buffer to a trace.dat. */
#ifndef RECORD_TRACEFS_DAT_FILE_H
#define RECORD_TRACEFS_DAT_FILE_H

#include "base/error.h"
#include "record/tracefs/session.h"
#include "record/tracefs/spool.h"

/* Writes PATH.partial: the header, then the pages of each CPU (first those of spool, which may be NULL, then those
 * still in the buffer). Renames it to path once it is complete and synced. If the disk fills up, PATH.partial keeps
 * the part that fitted, and the error names it; after any other failure it is removed. A PATH.partial of an
 * earlier recording becomes PATH.partial.old.
 *
 * The statistics of each CPU say "dropped at the end: 12" for events that were dropped after its last page. */
enum status dat_file_save(const struct capture_session *session, struct spool *spool, const char *path,
			  struct error *err);
/* After spool_drain() failed with a full disk: keeps the spooled pages in PATH.partial and reports it in failure. Does
 * nothing after other failures. */
void dat_file_keep(const struct capture_session *session, struct spool *spool, const char *path, struct error *failure);

#endif
