/* SPDX-License-Identifier: MIT
 *
 * The kinds of texts with scheduler events: those that are read, and those that are refused with a reason and a remedy.
 * picknext help formats and all refusals are made from the table. Pure. */
#ifndef TRACE_FORMAT_TEXT_KIND_H
#define TRACE_FORMAT_TEXT_KIND_H

#include "trace/format/ftrace_text.h"

struct text_kind {
	const char *name; /* "trace-cmd report" */
	const char *help; /* one sentence, no full stop */
	/* NULL: the text is read. */
	const char *refusal, *remedy;
	/* Lines of a text that is read. For the kernel's text, the first row that matches. */
	enum ftrace_layout layout;
	enum ftrace_form_name form;
	/* Text that marks the beginning of a refused kind; NULL: decided by text_kind_find() itself. */
	const char *mark;
};

/* The last row has no name. */
extern const struct text_kind text_kinds[];

/* The row of the kernel's own text. */
const struct text_kind *text_kind_usual(void);

/* Bytes that suffice to recognise a kind. */
#define TEXT_KIND_SAMPLE ((size_t)1 << 16)
/* Recognises the kind of a text by the beginning of the file; NULL: not a known text. */
const struct text_kind *text_kind_find(const char *bytes, size_t length);

#endif
