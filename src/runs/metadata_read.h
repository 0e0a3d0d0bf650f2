/* SPDX-License-Identifier: MIT
 *
 * The JSON beside a raw trace, as picknext collect and the original tool write it. */
#ifndef RUNS_METADATA_READ_H
#define RUNS_METADATA_READ_H

#include "base/error.h"
#include "runs/traces.h"

/* Reads raw_directory/ID.json, where it is there, into trace: has_metadata, workload_type and category
 * where it names them (else they stay NULL), and what its statistics say was lost. STATUS_CORRUPT names file and line,
 * or the key whose value is of the wrong kind. */
enum status metadata_read(const char *raw_directory, struct trace *trace, struct error *err);

/* The same for what the file at path (for errors) holds. */
enum status metadata_parse(const char *text, size_t length, const char *path, struct trace *trace, struct error *err);

#endif
