/* SPDX-License-Identifier: MIT
 *
 * Takes one CPU's ring-buffer pages out of the kernel into a file, undecoded: whole pages by
 * splice(2), the page that is still being filled by read(2). */
#ifndef CAPTURE_READOUT_H
#define CAPTURE_READOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct readout {
	int raw;     /* per_cpu/cpuN/trace_pipe_raw, non-blocking */
	int ends[2]; /* the pipe that pages go through */
	uint32_t page_size;
	size_t batch; /* bytes at a time: what the pipe holds */
	char *page;
	char path[512]; /* of trace_pipe_raw, for messages */
};

/* Raises this process's limit of open files (ulimit -n, mostly 1024) as far as readouts of so many CPUs need it, each
 * with a file of its own to write to. Children inherit it. */
void readout_allow_files(unsigned int cpus);
/* directory is that of a session (capture_directory). */
enum status readout_open(struct readout *readout, const char *directory, unsigned int cpu, uint32_t page_size,
			 struct error *err);
/* Appends every page that is full to fd, and adds their bytes to *moved. May be called while tracing is on. */
enum status readout_full_pages(struct readout *readout, int fd, const char *path, uint64_t *moved, struct error *err);
/* Appends all that is left. Tracing must be off. */
enum status readout_rest(struct readout *readout, int fd, const char *path, uint64_t *moved, struct error *err);
/* Copies what is there into readout->page, a page at most, full or not; *got is 0 if there is nothing. May be called
 * while tracing is on. */
enum status readout_page(struct readout *readout, size_t *got, struct error *err);
void readout_close(struct readout *readout);

#endif
