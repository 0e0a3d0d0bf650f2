/* SPDX-License-Identifier: MIT */
#include "scheduler/bpf_resolve.h"

#include <string.h>

/* The source of a symbol: a member of a struct within struct task_struct; or a function, its newest name first; or
 * both, if a kernel without the function is given a store to the member. */
static const struct {
	const char *outer, *outer_type, *inner;
	const char *functions[2];
	const char *other_half; /* a function that the kernel has if the others can be called */
} sources[BPF_SYMBOLS] = {
    [TASK_SLICE] = {.outer = "scx", .outer_type = "sched_ext_entity", .inner = "slice"},
    [TASK_VTIME] = {.outer = "scx", .outer_type = "sched_ext_entity", .inner = "dsq_vtime"},
    [TASK_WEIGHT] = {.outer = "scx", .outer_type = "sched_ext_entity", .inner = "weight"},
    [TASK_FLAGS] = {.outer = "scx", .outer_type = "sched_ext_entity", .inner = "flags"},
    [TASK_RUNTIME] = {.outer = "se", .outer_type = "sched_entity", .inner = "sum_exec_runtime"},
    [SELECT_CPU_DEFAULT] = {.functions = {"scx_bpf_select_cpu_dfl"}},
    [TASK_CPU] = {.functions = {"scx_bpf_task_cpu"}},
    [CREATE_QUEUE] = {.functions = {"scx_bpf_create_dsq"}},
    /* The second names are those of 6.12. */
    [INSERT] = {.functions = {"scx_bpf_dsq_insert", "scx_bpf_dispatch"}},
    [INSERT_VTIME] = {.functions = {"scx_bpf_dsq_insert_vtime", "scx_bpf_dispatch_vtime"}},
    [INSERT_VTIME_STRUCT] = {.functions = {"__scx_bpf_dsq_insert_vtime"}},
    [MOVE_TO_LOCAL] = {.functions = {"scx_bpf_dsq_move_to_local", "scx_bpf_consume"}},
    [ITERATOR_NEW] = {.functions = {"bpf_iter_scx_dsq_new"}},
    [ITERATOR_NEXT] = {.functions = {"bpf_iter_scx_dsq_next"}},
    [ITERATOR_DESTROY] = {.functions = {"bpf_iter_scx_dsq_destroy"}},
    /* 7.2 has these two functions, but not their other half: its BPF verifier refuses them. */
    [SET_SLICE] = {.outer = "scx",
		   .outer_type = "sched_ext_entity",
		   .inner = "slice",
		   .functions = {"scx_bpf_task_set_slice"},
		   .other_half = "scx_bpf_task_set_slice_impl"},
    [SET_VTIME] = {.outer = "scx",
		   .outer_type = "sched_ext_entity",
		   .inner = "dsq_vtime",
		   .functions = {"scx_bpf_task_set_dsq_vtime"},
		   .other_half = "scx_bpf_task_set_dsq_vtime_impl"},
};

static bool find_function(const struct btf *btf, enum bpf_symbol symbol, struct bpf_symbol_value *value)
{
	if (sources[symbol].other_half && !btf_find(btf, BTF_FUNC, sources[symbol].other_half))
		return false;
	for (size_t i = 0; i < 2 && sources[symbol].functions[i]; i++) {
		uint32_t id = btf_find(btf, BTF_FUNC, sources[symbol].functions[i]);
		if (id > 0 && id <= INT32_MAX) {
			*value = (struct bpf_symbol_value){.known = true, .value = (int32_t)id};
			return true;
		}
	}
	return false;
}

static void find_offset(const struct btf *btf, uint32_t task, enum bpf_symbol symbol, struct bpf_symbol_value *value)
{
	struct btf_member outer, inner;
	uint32_t type;

	if (!sources[symbol].outer || !btf_find_member(btf, task, sources[symbol].outer, &outer))
		return;
	type = btf_find(btf, BTF_STRUCT, sources[symbol].outer_type);
	if (outer.type != type || !btf_find_member(btf, type, sources[symbol].inner, &inner))
		return;
	uint64_t offset = (uint64_t)outer.offset + inner.offset;
	if (offset <= INT16_MAX) /* an instruction has no more */
		*value = (struct bpf_symbol_value){.known = true, .is_offset = true, .value = (int32_t)offset};
}

void bpf_symbols_find(const struct btf *btf, struct bpf_symbols *symbols)
{
	uint32_t task = btf_find(btf, BTF_STRUCT, "task_struct");

	*symbols = (struct bpf_symbols){0};
	for (enum bpf_symbol symbol = BPF_FIXED + 1; symbol < BPF_SYMBOLS; symbol++)
		if (!find_function(btf, symbol, &symbols->of[symbol]))
			find_offset(btf, task, symbol, &symbols->of[symbol]);
}

const char *bpf_symbol_name(enum bpf_symbol symbol)
{
	if (sources[symbol].functions[0])
		return sources[symbol].functions[0];
	return sources[symbol].inner ? sources[symbol].inner : "";
}

enum bpf_symbol bpf_find_unknown(const struct bpf_row *rows, size_t count, const struct bpf_symbols *symbols)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].symbol != BPF_FIXED && !symbols->of[rows[i].symbol].known)
			return rows[i].symbol;
	return BPF_FIXED;
}

static struct bpf_instruction resolve_one(const struct bpf_row *row, const struct bpf_symbol_value *value)
{
	/* A function that sets a member, on a kernel without it: *(R1 + offset) = R2. */
	static const struct bpf_instruction store = {BPF_CODE_STORE | BPF_SIZE_64, R1 | R2 << 4, 0, 0};
	bool is_call = row->instruction.code == BPF_CODE_CALL;
	struct bpf_instruction resolved = is_call && value->is_offset ? store : row->instruction;

	if (value->is_offset)
		resolved.offset = (int16_t)value->value;
	else
		resolved.immediate = value->value;
	return resolved;
}

void bpf_resolve(const struct bpf_row *rows, size_t count, const struct bpf_symbols *symbols,
		 struct bpf_instruction *instructions)
{
	for (size_t i = 0; i < count; i++)
		instructions[i] = rows[i].symbol == BPF_FIXED ? rows[i].instruction
							      : resolve_one(&rows[i], &symbols->of[rows[i].symbol]);
}

static bool fits(const struct operations_layout *layout, uint64_t offset, uint64_t size)
{
	return offset + size <= layout->value_size;
}

enum status operations_layout_find(const struct btf *btf, struct operations_layout *layout, struct error *err)
{
	struct btf_member data, name;

	*layout = (struct operations_layout){0};
	layout->value_type = btf_find(btf, BTF_STRUCT, "bpf_struct_ops_sched_ext_ops");
	layout->value_size = btf_size(btf, layout->value_type);
	layout->ops_type = btf_find(btf, BTF_STRUCT, "sched_ext_ops");
	if (!btf_find_member(btf, layout->value_type, "data", &data) ||
	    !btf_find_member(btf, layout->ops_type, "name", &name)) {
		error_set(err, STATUS_UNSUPPORTED, NULL, "this kernel has no sched_ext");
		return error_remedy(err, "it needs SCHED_CLASS_EXT; Debian's kernels have it from 6.16 on");
	}
	layout->ops_offset = data.offset;
	layout->name_offset = data.offset + name.offset;
	if (layout->value_size > OPERATIONS_VALUE_MAX)
		return error_set(err, STATUS_CORRUPT, "BTF", "sched_ext_ops of %u bytes", layout->value_size);
	if (!fits(layout, (uint64_t)data.offset + name.offset, OPERATIONS_NAME_SIZE))
		return error_set(err, STATUS_CORRUPT, "BTF", "the name of sched_ext_ops is outside of the struct");
	return STATUS_OK;
}

bool operations_layout_find_operation(const struct operations_layout *layout, const struct btf *btf,
				      const char *operation, struct btf_member *found)
{
	if (!btf_find_member(btf, layout->ops_type, operation, found) ||
	    !fits(layout, (uint64_t)layout->ops_offset + found->offset, sizeof(uint64_t)))
		return false;
	found->offset += layout->ops_offset;
	return true;
}
