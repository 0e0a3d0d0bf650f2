/* SPDX-License-Identifier: MIT
 *
 * The .modinfo section of a kernel module. */
#ifndef VM_KERNEL_MODINFO_H
#define VM_KERNEL_MODINFO_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Finds KEY= in the .modinfo section of an ELF-64 module. value points to the NUL-terminated value within bytes, or is
 * NULL if the key is missing. STATUS_CORRUPT if bytes is not an ELF-64 object or has sections outside of it. */
enum status modinfo_value(const uint8_t *bytes, size_t length, const char *key, const char **value, struct error *err);

#endif
