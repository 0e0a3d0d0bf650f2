/* SPDX-License-Identifier: MIT
 *
 * One event as the kernel's text trace writes it behind its name: the event's own print fmt, compiled once and then
 * filled in from each record. What is more than it knows is written as "field=value" instead. Pure.
 * Source: the formats themselves; lib/vsprintf.c for the conversions. Input is hostile. */
#ifndef EXPORT_EVENT_TEXT_H
#define EXPORT_EVENT_TEXT_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "format/event_format.h"
#include "format/ring_page.h"

struct event_text;

/* Never fails because of what a print fmt says; STATUS_SYSTEM where memory runs out, STATUS_CORRUPT where the fields
 * are none. format must outlive *text. */
enum status event_text_compile(const struct event_format *format, struct event_text **text, struct error *err);
void event_text_free(struct event_text *text);

/* Adds "NAME: TEXT" without a newline. Fields that lie behind the record's end are written as 0 or nothing. */
void event_text_add(struct event_text *text, const struct ring_record *record, struct buffer *out);

/* A number of 1, 2, 4 or 8 bytes within the record; 0 where it lies behind its end. */
uint64_t event_number(const struct ring_record *record, uint32_t offset, uint32_t size, bool is_signed);
/* The bytes of a string field up to its NUL. */
struct text_span event_string(const struct ring_record *record, const struct event_field *field);

#endif
