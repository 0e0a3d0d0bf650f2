/* SPDX-License-Identifier: MIT
 *
 * A kernel's BTF, as builtin schedulers read it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/btf.h"
#include "scheduler/bpf_resolve.h"
#include "scheduler/operations_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever is found lies where it may be written to, or fits into an instruction. */
static void check_builtin(const struct btf *btf)
{
	struct operations_layout layout;
	struct btf_member operation;
	struct bpf_symbols symbols;

	if (operations_layout_find(btf, &layout, NULL) == STATUS_OK) {
		if (layout.value_size > OPERATIONS_VALUE_MAX ||
		    layout.name_offset + OPERATIONS_NAME_SIZE > layout.value_size)
			abort();
		if (operations_layout_find_operation(&layout, btf, "enqueue", &operation) &&
		    operation.offset + sizeof(uint64_t) > layout.value_size)
			abort();
	}
	bpf_symbols_find(btf, &symbols);
	for (enum bpf_symbol symbol = BPF_FIXED + 1; symbol < BPF_SYMBOLS; symbol++)
		if (symbols.of[symbol].known && symbols.of[symbol].is_offset && symbols.of[symbol].value > INT16_MAX)
			abort();
}

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
	check_builtin(&btf);
	btf_close(&btf);
	return 0;
}
