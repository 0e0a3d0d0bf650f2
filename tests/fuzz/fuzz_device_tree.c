/* SPDX-License-Identifier: MIT
 *
 * A device tree, as QEMU dumps it: what is written from it is a device tree again. */
#include <stdint.h>
#include <stdlib.h>

#include "vm/engine/cpu_kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cpu_kinds kinds = {.little = 1, .big = 1, .has_tracer = true};
	struct buffer once = {0}, twice = {0};

	if (cpu_kinds_add(data, size, &kinds, "tree", &once, NULL) == STATUS_OK &&
	    cpu_kinds_add(once.data, once.length, &kinds, "tree", &twice, NULL) != STATUS_OK)
		abort();
	buffer_free(&once);
	buffer_free(&twice);
	return 0;
}
