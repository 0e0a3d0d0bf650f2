/* SPDX-License-Identifier: MIT
 *
 * The file of a mix. What is read is written in words that read as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/mix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mix mix, again;
	struct buffer text = {0};
	struct error err = {0};

	if (mix_parse_file((const char *)data, size, "f.mix", &mix, &err) != STATUS_OK) {
		if (!err.what[0])
			abort();
		return 0;
	}
	if (mix.tasks == 0 || mix.tasks > MIX_TASKS_MAX)
		abort();
	mix_write(&mix, &text);
	if (mix_parse(text.data, "again", &again, &err) != STATUS_OK || memcmp(&mix, &again, sizeof(mix)) != 0)
		abort();
	buffer_free(&text);
	return 0;
}
