/* SPDX-License-Identifier: MIT
 *
 * Marks: a user's texts in traces that are being recorded. */
#ifndef RECORD_TRACEFS_MARKS_H
#define RECORD_TRACEFS_MARKS_H

#include "base/error.h"

/* Writes text to the trace of every picknext that is recording. STATUS_SYSTEM if there is none, or if one refuses it.
 */
enum status marks_write(const char *text, struct error *err);

#endif
