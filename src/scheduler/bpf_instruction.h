/* SPDX-License-Identifier: MIT
 *
 * Instructions of BPF as the rows of a table, for programs that picknext loads without a compiler. Values that
 * depend on the running kernel are symbols: see bpf_resolve.h. */
#ifndef SCHEDULER_BPF_INSTRUCTION_H
#define SCHEDULER_BPF_INSTRUCTION_H

#include <stdint.h>

/* struct bpf_insn of include/uapi/linux/bpf.h. */
struct bpf_instruction {
	uint8_t code;
	uint8_t registers; /* the destination, and the source times 16 */
	int16_t offset;
	int32_t immediate;
};

enum bpf_symbol {
	BPF_FIXED, /* nothing to resolve */
	/* Offsets in struct task_struct. */
	TASK_SLICE,
	TASK_VTIME,
	TASK_WEIGHT,
	TASK_FLAGS,
	TASK_RUNTIME,
	/* Numbers. */
	SLICE_NS,
	STATE_MAP,
	/* Functions of the kernel that BPF may call. */
	SELECT_CPU_DEFAULT,
	TASK_CPU,
	CREATE_QUEUE,
	INSERT,
	INSERT_VTIME,
	INSERT_VTIME_STRUCT,
	MOVE_TO_LOCAL,
	ITERATOR_NEW,
	ITERATOR_NEXT,
	ITERATOR_DESTROY,
	/* The same, with (task, value); on older kernels stores, which later ones may refuse. */
	SET_SLICE,
	SET_VTIME,
	BPF_SYMBOLS,
};

struct bpf_row {
	struct bpf_instruction instruction;
	enum bpf_symbol symbol;
};

/* include/uapi/linux/bpf_common.h and bpf.h. */
enum {
	BPF_CODE_LOAD_IMMEDIATE = 0x18, /* BPF_LD | BPF_IMM | BPF_DW */
	BPF_CODE_LOAD = 0x61,           /* BPF_LDX | BPF_MEM, with a size */
	BPF_CODE_STORE_IMMEDIATE = 0x62,
	BPF_CODE_STORE = 0x63,
	BPF_SIZE_32 = 0x00,
	BPF_SIZE_8 = 0x10,
	BPF_SIZE_64 = 0x18,
	BPF_CODE_ALU32 = 0x04,
	BPF_CODE_ALU64 = 0x07,
	BPF_BY_REGISTER = 0x08, /* BPF_X */
	BPF_ADD = 0x00,
	BPF_SUB = 0x10,
	BPF_MUL = 0x20,
	BPF_DIV = 0x30,
	BPF_AND = 0x50,
	BPF_LSH = 0x60,
	BPF_MOV = 0xb0,
	BPF_CODE_JUMP = 0x05,
	BPF_JEQ = 0x10,
	BPF_JNE = 0x50,
	BPF_JSGE = 0x70,
	BPF_CODE_CALL = 0x85,
	BPF_CODE_EXIT = 0x95,
	BPF_SOURCE_KERNEL_FUNCTION = 2, /* BPF_PSEUDO_KFUNC_CALL */
	BPF_SOURCE_MAP_VALUE = 2,       /* BPF_PSEUDO_MAP_VALUE */
};

enum bpf_register { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

#define BPF_ROW(code, to, from, offset, immediate, symbol)                                                             \
	{                                                                                                              \
		{(uint8_t)(code), (uint8_t)((to) | (from) << 4), (int16_t)(offset), (int32_t)(immediate)}, symbol      \
	}

/* to = from; to = the number; to = the 64 bits of two numbers; to = the address of a byte in the programs' state. */
#define MOVE(to, from)         BPF_ROW(BPF_CODE_ALU64 | BPF_MOV | BPF_BY_REGISTER, to, from, 0, 0, BPF_FIXED)
#define SET(to, number)        BPF_ROW(BPF_CODE_ALU64 | BPF_MOV, to, 0, 0, number, BPF_FIXED)
#define SET_SYMBOL(to, symbol) BPF_ROW(BPF_CODE_ALU64 | BPF_MOV, to, 0, 0, 0, symbol)
#define SET_LONG(to, low, high)                                                                                        \
	BPF_ROW(BPF_CODE_LOAD_IMMEDIATE, to, 0, 0, low, BPF_FIXED), BPF_ROW(0, 0, 0, 0, high, BPF_FIXED)
#define SET_STATE(to, place)                                                                                           \
	BPF_ROW(BPF_CODE_LOAD_IMMEDIATE, to, BPF_SOURCE_MAP_VALUE, 0, 0, STATE_MAP),                                   \
	    BPF_ROW(0, 0, 0, 0, place, BPF_FIXED)
/* to = to OPERATION from, or a number. */
#define COMPUTE(operation, to, from)          BPF_ROW(BPF_CODE_ALU64 | (operation) | BPF_BY_REGISTER, to, from, 0, 0, BPF_FIXED)
#define COMPUTE_NUMBER(operation, to, number) BPF_ROW(BPF_CODE_ALU64 | (operation), to, 0, 0, number, BPF_FIXED)
#define COMPUTE_SYMBOL(operation, to, symbol) BPF_ROW(BPF_CODE_ALU64 | (operation), to, 0, 0, 0, symbol)
/* to = its lower bits of this mask; the others become 0. */
#define MASK(to, mask) BPF_ROW(BPF_CODE_ALU32 | BPF_AND, to, 0, 0, mask, BPF_FIXED)
/* to = *(from + offset) and *(to + offset) = from, size in bits; of a task with a symbol as the offset. */
#define LOAD(size, to, from, offset)         BPF_ROW(BPF_CODE_LOAD | BPF_SIZE_##size, to, from, offset, 0, BPF_FIXED)
#define LOAD_OF_TASK(size, to, task, symbol) BPF_ROW(BPF_CODE_LOAD | BPF_SIZE_##size, to, task, 0, 0, symbol)
#define STORE(size, to, offset, from)        BPF_ROW(BPF_CODE_STORE | BPF_SIZE_##size, to, from, offset, 0, BPF_FIXED)
#define STORE_NUMBER(size, to, offset, number)                                                                         \
	BPF_ROW(BPF_CODE_STORE_IMMEDIATE | BPF_SIZE_##size, to, 0, offset, number, BPF_FIXED)
/* Skips rows if register CONDITION number; the second half of a SET_LONG or SET_STATE counts as a row. */
#define SKIP_IF(condition, register, number, rows)                                                                     \
	BPF_ROW(BPF_CODE_JUMP | (condition), register, 0, rows, number, BPF_FIXED)
/* Calls with R1 to R5 and leaves the result in R0; R1 to R5 are undefined afterwards. */
#define CALL(function) BPF_ROW(BPF_CODE_CALL, 0, BPF_SOURCE_KERNEL_FUNCTION, 0, 0, function)
#define RETURN         BPF_ROW(BPF_CODE_EXIT, 0, 0, 0, 0, BPF_FIXED)

#endif
