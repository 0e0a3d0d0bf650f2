/* SPDX-License-Identifier: MIT
 *
 * Writes the rows of each workload to a separate CSV. */
#ifndef DATA_WORKLOAD_FILES_H
#define DATA_WORKLOAD_FILES_H

#include <stddef.h>

#include "base/error.h"
#include "data/dataset.h"

struct workload_files_request {
	char **files; /* CSV files of datasets, or traces; "-" is standard input */
	size_t file_count;
	const char *output_directory; /* NULL: the current directory */
	struct columns columns;       /* for traces */
	/* Called for each written file, in the order of workloads, after all files are in place. */
	void (*made)(void *context, const char *name, uint64_t rows, uint64_t bytes);
	void *context;
};

/* Writes the rows of workload_type NAME to NAME.csv, in their order, after the header of the inputs. Bytes that are
 * invalid in a file name become %XX. STATUS_USAGE if the inputs have different columns, or if a file would replace an
 * input. After an error the previous files are unchanged. Needs interrupt_catch(). */
enum status workload_files_write(const struct workload_files_request *request, struct error *err);

#endif
