/* SPDX-License-Identifier: MIT
 *
 * The types of the running kernel. */
#ifndef BASE_KERNEL_BTF_H
#define BASE_KERNEL_BTF_H

#include "base/btf.h"
#include "base/buffer.h"
#include "base/error.h"

/* btf points into bytes; free both, also after an error. STATUS_UNSUPPORTED if the kernel has no BTF; the remedy names
 * user, the option that needs it. */
enum status kernel_btf_open(const char *user, struct buffer *bytes, struct btf *btf, struct error *err);

#endif
