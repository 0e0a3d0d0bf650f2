/* SPDX-License-Identifier: MIT */
#include "trace/key_fields.h"

#define ROW(name, type, value, use, help) {#name, type, value, use, HELP(help)},
#define FIELD_TABLE(list, FIELDS)         static const struct key_field_row list##_rows[] = {FIELDS(ROW)};
KEY_FIELD_LISTS(FIELD_TABLE)

#define EVENT(NAME, kind, name, list, functions, tracepoint, need, use, help)                                          \
	[KEY_ROW_##NAME] = {name,       kind,        functions,                                                        \
			    tracepoint, list##_rows, sizeof(list##_rows) / sizeof(list##_rows[0]),                     \
			    need,       use,         HELP(help)},
const struct key_event_row key_event_rows[KEY_ROWS] = {KEY_EVENT_ROWS(EVENT)};
