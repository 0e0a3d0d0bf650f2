/* SPDX-License-Identifier: MIT
 *
 * Renders an event as the kernel's text trace does: the event's own print fmt, compiled once (event_text_compile.h),
 * is filled in from each record. Pure. Source: the formats themselves; lib/vsprintf.c for the conversions. Input is
 * hostile. */
#ifndef TRACE_FORMAT_EVENT_TEXT_H
#define TRACE_FORMAT_EVENT_TEXT_H

#include <stdint.h>

#include "base/buffer.h"
#include "trace/format/event_text_compile.h"
#include "trace/format/ring_page.h"

/* Adds "NAME: TEXT" without a newline. Fields beyond the record's end are written as 0 or as an empty string. */
void event_text_add(struct event_text *text, const struct ring_record *record, struct buffer *out);

/* A number of 1, 2, 4 or 8 bytes within the record; 0 if it is beyond the record's end. */
uint64_t event_number(const struct ring_record *record, uint32_t offset, uint32_t size, bool is_signed);
/* The bytes of a string field up to its NUL. */
struct text_span event_string(const struct ring_record *record, const struct event_field *field);

#endif
