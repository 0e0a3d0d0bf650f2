/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "format/ring_page.h"

static const char page_place[] = "header_page";
static const char event_place[] = "header_event";

/* The largest type that five bits can say. */
#define TYPE_MOST 31

static enum status missing(const char *name, struct error *err)
{
	return error_set(err, STATUS_CORRUPT, page_place, "no usable field %s", name);
}

static enum status parse_header_page(struct text_span text, struct ring_page_layout *layout, struct error *err)
{
	struct text_span lines = text;
	struct event_field field;
	enum status status;

	while ((status = event_field_next(&lines, page_place, &field, err)) == STATUS_OK) {
		if (text_span_is(field.name, "timestamp") && field.size == 8) {
			layout->timestamp_offset = field.offset;
		} else if (text_span_is(field.name, "commit") && (field.size == 4 || field.size == 8)) {
			layout->commit_offset = field.offset;
			layout->commit_size = field.size;
		} else if (text_span_is(field.name, "data")) {
			layout->data_offset = field.offset;
			layout->data_size = field.size;
		}
	}
	if (status != STATUS_END)
		return status;
	if (layout->timestamp_offset == UINT32_MAX)
		return missing("timestamp", err);
	if (layout->commit_size == 0)
		return missing("commit", err);
	/* The cursor looks at time and commit only where the bytes before the data are there. */
	if (layout->data_size == 0 || layout->data_offset < (uint64_t)layout->timestamp_offset + 8 ||
	    layout->data_offset < (uint64_t)layout->commit_offset + layout->commit_size)
		return missing("data", err);
	return STATUS_OK;
}

/* The number in "KEY : 27 bits", "KEY : type == 29" or "KEY == 28"; -1 where no line starts with key. */
static int header_event_number(struct text_span text, const char *key)
{
	struct text_span line;
	size_t key_length = strlen(key);

	while (text_span_line(&text, &line)) {
		size_t at = 0;
		while (at < line.length && (line.text[at] == ' ' || line.text[at] == '\t'))
			at++;
		if (line.length - at < key_length || memcmp(line.text + at, key, key_length) != 0)
			continue;
		for (at += key_length; at < line.length; at++) {
			int value = 0;
			size_t digits = 0;
			while (at < line.length && line.text[at] >= '0' && line.text[at] <= '9' && digits < 3) {
				value = value * 10 + (line.text[at++] - '0');
				digits++;
			}
			if (digits)
				return value;
		}
	}
	return -1;
}

static bool header_event_type(struct text_span text, const char *key, uint8_t *type)
{
	int number = header_event_number(text, key);

	if (number <= 0 || number > TYPE_MOST)
		return false;
	*type = (uint8_t)number;
	return true;
}

static enum status parse_header_event(struct text_span text, struct ring_page_layout *layout, struct error *err)
{
	int type_bits = header_event_number(text, "type_len");
	int delta_bits = header_event_number(text, "time_delta");

	if (type_bits < 0 || delta_bits < 0)
		return error_set(err, STATUS_CORRUPT, event_place, "no widths of type_len and time_delta");
	if (type_bits != 5 || delta_bits != 27)
		return error_set(err, STATUS_UNSUPPORTED, event_place, "records with %d and %d bits of type and time",
				 type_bits, delta_bits);
	if (!header_event_type(text, "data max type_len", &layout->data_type_most) ||
	    !header_event_type(text, "padding", &layout->padding_type) ||
	    !header_event_type(text, "time_extend", &layout->time_extend_type))
		return error_set(err, STATUS_CORRUPT, event_place, "not all record types are given");
	header_event_type(text, "time_stamp", &layout->time_stamp_type);
	if (layout->padding_type <= layout->data_type_most || layout->time_extend_type <= layout->data_type_most ||
	    layout->padding_type == layout->time_extend_type)
		return error_set(err, STATUS_CORRUPT, event_place, "two record types have the same number");
	return STATUS_OK;
}

enum status ring_page_layout_parse(struct text_span header_page, struct text_span header_event,
				   struct ring_page_layout *layout, struct error *err)
{
	*layout = (struct ring_page_layout){.timestamp_offset = UINT32_MAX};
	enum status status = parse_header_page(header_page, layout, err);

	if (status == STATUS_OK)
		status = parse_header_event(header_event, layout, err);
	return status;
}
