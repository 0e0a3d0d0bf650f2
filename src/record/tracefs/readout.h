/* SPDX-License-Identifier: MIT
 *
 * Copies one CPU's ring-buffer pages from the kernel to a file, undecoded: full pages by splice(2), the page that is
 * still being filled by read(2). */
#ifndef RECORD_TRACEFS_READOUT_H
#define RECORD_TRACEFS_READOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct readout {
	int raw;     /* per_cpu/cpuN/trace_pipe_raw, non-blocking */
	int ends[2]; /* pipe for splice(2) */
	uint32_t page_size;
	size_t batch;   /* bytes per splice: capacity of the pipe */
	char *page;     /* NULL: it is not open */
	char path[512]; /* of trace_pipe_raw, for error messages */
};

/* Raises this process's limit of open files (ulimit -n, usually 1024) if required for readouts of so many CPUs, each
 * with a separate output file. Children inherit it. */
void readout_allow_files(unsigned int cpus);
/* directory is that of a session (capture_directory). */
enum status readout_open(struct readout *readout, const char *directory, unsigned int cpu, uint32_t page_size,
			 struct error *err);
/* Appends all full pages to fd and adds their bytes to *moved. May be called while tracing is on. */
enum status readout_full_pages(struct readout *readout, int fd, const char *path, uint64_t *moved, struct error *err);
/* Appends a page, full or not, if there are events. May be called while tracing is on. */
enum status readout_last_page(struct readout *readout, int fd, const char *path, uint64_t *moved, struct error *err);
/* Appends all remaining pages. Tracing must be off. */
enum status readout_rest(struct readout *readout, int fd, const char *path, uint64_t *moved, struct error *err);
/* Copies up to one page, full or not, to readout->page; *got is 0 if there are no events. May be called while tracing
 * is on. */
enum status readout_page(struct readout *readout, size_t *got, struct error *err);
void readout_close(struct readout *readout); /* ignores one that is zeroed or could not be opened */

#endif
