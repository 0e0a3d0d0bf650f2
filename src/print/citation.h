/* SPDX-License-Identifier: MIT
 *
 * CITATION.cff: who made a dataset, and where it is. Citation File Format 1.2.0, a YAML file. */
#ifndef PRINT_CITATION_H
#define PRINT_CITATION_H

#include "base/arguments.h"
#include "base/error.h"

/* What a dataset does not know of itself. NULL: unknown. */
struct citation {
	struct arguments creators; /* names */
	char *license;             /* an SPDX identifier, or a URL */
	char *url, *doi;           /* its page; "10.5281/zenodo.1" */
};

/* Adds the names of a list with commas. */
void citation_add_creators(struct citation *citation, const char *names);
/* Reads authors, url and doi, and of a dataset (type: dataset) the license. Reads values of one line each, plain or in
 * quotes, as other programs write them. STATUS_CORRUPT for a file without authors, STATUS_UNSUPPORTED for a value in
 * another form. Free it with citation_free(), after errors too. */
enum status citation_parse(const char *text, size_t length, const char *path, struct citation *citation,
			   struct error *err);
enum status citation_read(const char *path, struct citation *citation, struct error *err);
void citation_free(struct citation *citation);

/* A scalar of YAML, in quotes, as a line of key. */
void yaml_add_text(const char *key, const char *text, struct buffer *out);
/* Adds the file. date: its first ten bytes are that of the release. */
void citation_add(const struct citation *citation, const char *title, const char *date, struct buffer *out);

#endif
