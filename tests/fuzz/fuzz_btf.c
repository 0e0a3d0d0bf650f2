/* SPDX-License-Identifier: MIT
 *
 * A kernel's BTF, as builtin schedulers and --keys read it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/btf.h"
#include "record/tracefs/key_events.h"
#include "scheduler/bpf_resolve.h"

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

/* Every definition fits into a line that the kernel takes. */
static void check_keys(const struct btf *btf)
{
	for (int has_pick = 0; has_pick < 2; has_pick++) {
		struct key_definitions events;
		key_events_make(btf, has_pick, KEY_LEVELS_MAX, &events);
		for (size_t i = 0; i < events.count; i++)
			for (const struct key_probe *probe = events.events[i].probes; probe->text; probe++)
				if (strlen(probe->text) > KEY_PROBE_TEXT_MAX)
					abort();
		key_events_free(&events);
	}
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
	check_keys(&btf);
	btf_close(&btf);
	return 0;
}
