/* SPDX-License-Identifier: MIT
 *
 * The JSON beside a raw trace: labels, and what was lost. */
#include <stdlib.h>
#include <string.h>

#include "runs/metadata_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace trace = {0};
	struct buffer told = {0};
	struct error err = {0};

	enum status status = metadata_parse((const char *)data, size, "fuzz.json", &trace, &err);
	if (status != STATUS_OK && (strncmp(err.where, "fuzz.json", 9) != 0 || err.what[0] == '\0'))
		abort();
	if (trace.loss.cpu_count > LOSS_MOST_CPUS + 1)
		abort();
	if (loss_any(&trace.loss)) {
		loss_describe(&trace.loss, &told);
		if (told.length == 0 || strlen(told.data) != told.length)
			abort();
	}
	/* Nothing is kept from a file that is refused that would be taken for a label. */
	if (status == STATUS_OK && trace.workload_type && memchr(data, '\0', size))
		abort();
	free(trace.workload_type);
	free(trace.category);
	loss_free(&trace.loss);
	buffer_free(&told);
	return 0;
}
