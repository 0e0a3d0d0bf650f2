/* SPDX-License-Identifier: MIT
 *
 * Makes the instructions of a program from its table: fills in what the running kernel's BTF says. Pure. */
#ifndef SCHEDULER_BPF_RESOLVE_H
#define SCHEDULER_BPF_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

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
/* What a symbol is called in the kernel. */
const char *bpf_symbol_name(enum bpf_symbol symbol);
/* The first symbol of these rows that is unknown, or BPF_FIXED. */
enum bpf_symbol bpf_find_unknown(const struct bpf_row *rows, size_t count, const struct bpf_symbols *symbols);
/* Writes count instructions. All symbols of the rows have to be known. */
void bpf_resolve(const struct bpf_row *rows, size_t count, const struct bpf_symbols *symbols,
		 struct bpf_instruction *instructions);

#endif
