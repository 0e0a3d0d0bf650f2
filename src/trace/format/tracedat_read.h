/* SPDX-License-Identifier: MIT
 *
 * The reader of trace-cmd's trace.dat, version 6, and version 7 without compression. Source:
 * Documentation/trace-cmd/trace-cmd.dat.v6.5.txt of trace-cmd. Of several buffers in a file it reads the top-level one,
 * or the only instance if there is no top-level one. Pure: works on bytes that the caller holds (base/file.h
 * file_map). All input is hostile. */
#ifndef TRACE_FORMAT_TRACEDAT_READ_H
#define TRACE_FORMAT_TRACEDAT_READ_H

#include "base/error.h"
#include "trace/format/tracedat.h"
#include "trace/format/tracedat_write.h"

/* Parses the headers; pages are checked when they are read. name is for error messages. STATUS_CORRUPT,
 * STATUS_UNSUPPORTED (compressed v7, big-endian, or not a trace.dat; the message says which). A file that ends early
 * is accepted if its headers are complete; trace->truncated is then set. The bytes must outlive *trace, which needs no
 * tracedat_free() after a failure. */
enum status tracedat_parse(const uint8_t *bytes, size_t length, const char *name, struct tracedat *trace,
			   struct error *err);

/* A trace that is being recorded, of version 6: what the texts of a header say, with CPUs that have no pages yet. The
 * texts must outlive *trace. */
enum status tracedat_of_header(const struct tracedat_header *header, const char *name, struct tracedat *trace,
			       struct error *err);

#endif
