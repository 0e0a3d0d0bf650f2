/* SPDX-License-Identifier: MIT
 *
 * A stopped session's ring buffer into a trace.dat. */
#ifndef CAPTURE_DAT_FILE_H
#define CAPTURE_DAT_FILE_H

#include "base/error.h"
#include "capture/session.h"

/* Writes PATH.partial, header first, then each CPU's pages behind one another, and renames it to path once it is
 * complete and on the disk. Where the disk fills up, PATH.partial stays, holding what fitted, and the error says so;
 * after any other failure nothing stays. */
enum status dat_file_save(const struct capture_session *session, const char *path, struct error *err);

#endif
