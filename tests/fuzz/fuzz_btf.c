/* SPDX-License-Identifier: MIT
 *
 * A kernel's BTF, as builtin schedulers read it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "scheduler/btf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"ops", "sched_ext_ops", "call", "first", ""};
	struct btf btf;
	struct btf_member member;

	if (btf_open(data, size, &btf, NULL) != STATUS_OK)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t id = btf_find(&btf, BTF_STRUCT, names[i]);
		if (id >= btf.count || btf_find(&btf, BTF_FUNC, names[i]) >= btf.count)
			abort();
		for (size_t other = 0; other < sizeof(names) / sizeof(names[0]); other++)
			if (btf_find_member(&btf, id, names[other], &member) && member.index >= btf.count + size)
				abort();
		btf_size(&btf, id + 1);
	}
	btf_close(&btf);
	return 0;
}
