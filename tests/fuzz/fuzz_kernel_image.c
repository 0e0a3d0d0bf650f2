/* SPDX-License-Identifier: MIT
 *
 * A file that somebody gives to --kernel. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/kernel/kernel_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_image image;
	struct error err = {0};

	if (kernel_image_parse(data, size, "fuzz", &image, &err) != STATUS_OK)
		return 0;
	if (image.payload_offset > size || image.payload_length > size - image.payload_offset)
		abort();
	if (image.release[0] && !kernel_release_is_safe(image.release))
		abort();
	if (memchr(image.version, '\0', sizeof(image.version)) == NULL)
		abort();
	return 0;
}
