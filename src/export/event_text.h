/* SPDX-License-Identifier: MIT
 *
 * An event as a line of the kernel's text trace. In the texts of the scheduler's events that picknext knows
 * (trace/event_rows.h), each conversion shows the field whose name is in front of it: "comm=%s pid=%d". Their format
 * string is compiled once into pieces and filled in from each record. All other events are written as "field=value".
 * Pure. Source: the formats themselves. Input is hostile. */
#ifndef EXPORT_EVENT_TEXT_H
#define EXPORT_EVENT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/format/event_format.h"
#include "trace/format/ring_page.h"

struct event_text;

/* format must outlive the text; event_text_free() it. */
struct event_text *event_text_compile(const struct event_format *format);
void event_text_free(struct event_text *text);

/* Adds "NAME: TEXT" without a newline. Fields beyond the record's end are written as 0 or as an empty string. */
void event_text_add(const struct event_text *text, const struct ring_record *record, struct buffer *out);

/* A number of 1, 2, 4 or 8 bytes within the record; 0 if it is beyond the record's end. */
uint64_t event_number(const struct ring_record *record, uint32_t offset, uint32_t size, bool is_signed);
/* The bytes of a string field up to its NUL. */
struct text_span event_string(const struct ring_record *record, const struct event_field *field);

#endif
