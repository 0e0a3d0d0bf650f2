/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/inflate.h"
#include "base/texts.h"

/* From the linker script, and from what is packed between the two links. Builds for tests have neither. */
#pragma weak texts_begin
#pragma weak texts_end
#pragma weak texts_packed
#pragma weak texts_packed_end
extern uint8_t texts_begin[], texts_end[];
extern const uint8_t texts_packed[], texts_packed_end[];

bool texts_unpack(void)
{
	size_t length = (size_t)(texts_end - texts_begin);

	if (length == 0)
		return true;
	if (!inflate(texts_packed, (size_t)(texts_packed_end - texts_packed), texts_begin, length))
		return false;
	/* They are constants again. Where the kernel refuses, they are still right. */
	(void)mprotect(texts_begin, length, PROT_READ);
	return true;
}
