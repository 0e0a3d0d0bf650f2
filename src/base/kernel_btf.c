/* SPDX-License-Identifier: MIT */
#include "base/kernel_btf.h"

#include <errno.h>

#include "base/file.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

enum { BTF_LENGTH_MAX = 64 << 20 }; /* Debian's 7.3 has 5.5 MB */

enum status kernel_btf_open(const char *user, struct buffer *bytes, struct btf *btf, struct error *err)
{
	struct error refusal;
	enum status status = file_read(KERNEL_BTF, BTF_LENGTH_MAX, bytes, &refusal);

	if (status == STATUS_SYSTEM && refusal.errnum == ENOENT) {
		error_set(&refusal, STATUS_UNSUPPORTED, KERNEL_BTF, "this kernel has no BTF");
		status = error_remedy(&refusal, "%s needs DEBUG_INFO_BTF", user);
	}
	if (status == STATUS_OK)
		return btf_open(bytes->data, bytes->length, btf, err);
	if (err)
		*err = refusal;
	return status;
}
