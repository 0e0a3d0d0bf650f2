/* SPDX-License-Identifier: MIT
 *
 * A kernel module, as --modules leads to it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/kernel/modinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *value;

	if (modinfo_value(data, size, "depends", &value, NULL) != STATUS_OK || !value)
		return 0;
	const uint8_t *at = (const uint8_t *)value;
	if (at < data || at >= data + size || !memchr(at, '\0', size - (size_t)(at - data)))
		abort();
	return 0;
}
