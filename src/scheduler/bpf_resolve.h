/* SPDX-License-Identifier: MIT
 *
 * Adapts a scheduler to the running kernel by its BTF, which is untrusted input: makes the instructions of a program
 * from its table, and finds where the kernel keeps the operations, a struct sched_ext_ops in the value of a map. Pure.
 */
#ifndef SCHEDULER_BPF_RESOLVE_H
#define SCHEDULER_BPF_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/btf.h"
#include "base/error.h"
#include "scheduler/bpf_instruction.h"

struct bpf_symbol_value {
	bool known;
	bool is_offset; /* of a task; else a number, or the id of a function */
	int32_t value;
};

struct bpf_symbols {
	struct bpf_symbol_value of[BPF_SYMBOLS];
};

/* Finds the members of struct task_struct and the functions. Those that the kernel does not have stay unknown. */
void bpf_symbols_find(const struct btf *btf, struct bpf_symbols *symbols);
/* The kernel's name of a symbol. */
const char *bpf_symbol_name(enum bpf_symbol symbol);
/* The first symbol of these rows that is unknown, or BPF_FIXED. */
enum bpf_symbol bpf_find_unknown(const struct bpf_row *rows, size_t count, const struct bpf_symbols *symbols);
/* Writes count instructions. All symbols of the rows have to be known. */
void bpf_resolve(const struct bpf_row *rows, size_t count, const struct bpf_symbols *symbols,
		 struct bpf_instruction *instructions);

enum {
	OPERATIONS_NAME_SIZE = 128,       /* SCX_OPS_NAME_LEN, kernel/sched/ext_internal.h */
	OPERATIONS_VALUE_MAX = 64 * 1024, /* Debian's 7.3 has less than 1 KB */
};

struct operations_layout {
	uint32_t value_type, value_size; /* of the map; the size is at most OPERATIONS_VALUE_MAX */
	uint32_t ops_type, ops_offset;   /* the struct, and where it begins in the value */
	uint32_t name_offset;            /* of OPERATIONS_NAME_SIZE bytes in the value */
};

/* STATUS_UNSUPPORTED if the kernel has no sched_ext, STATUS_CORRUPT if the parts do not fit into the value. */
enum status operations_layout_find(const struct btf *btf, struct operations_layout *layout, struct error *err);
/* The member of sched_ext_ops for an operation; its offset is that of 8 bytes in the value. False if there is none. */
bool operations_layout_find_operation(const struct operations_layout *layout, const struct btf *btf,
				      const char *operation, struct btf_member *found);

#endif
