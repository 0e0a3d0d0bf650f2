/* SPDX-License-Identifier: MIT */
#include "scheduler/bpf_resolve.h"
#include "scheduler/builtin_table.h"
#include "support/btf_recipe.h"
#include "support/unit.h"

/* A kernel's BTF with struct task_struct and these functions, whose list ends with NULL. */
static void make_kernel(struct btf_recipe *recipe, uint32_t scx_offset, const char *const *functions, struct btf *btf)
{
	btf_begin(recipe);
	btf_type(recipe, BTF_INT, "long", 0, 8);
	btf_word(recipe, 64);
	uint32_t scx = btf_type(recipe, BTF_STRUCT, "sched_ext_entity", 3, 32);
	btf_add_member(recipe, "slice", 1, 64);
	btf_add_member(recipe, "dsq_vtime", 1, 128);
	btf_add_member(recipe, "weight", 1, 192);
	uint32_t se = btf_type(recipe, BTF_STRUCT, "sched_entity", 1, 16);
	btf_add_member(recipe, "sum_exec_runtime", 1, 64);
	btf_type(recipe, BTF_STRUCT, "task_struct", 2, 40000);
	btf_add_member(recipe, "se", se, 8 * 100);
	btf_add_member(recipe, "scx", scx, 8 * scx_offset);
	for (; *functions; functions++)
		btf_type(recipe, BTF_FUNC, *functions, 0, 0);
	btf_end(recipe);
	assert_int_equal(btf_open(recipe->bytes, recipe->length, btf, NULL), STATUS_OK);
}

TEST(test_members_and_functions_are_found)
{
	static const char *const functions[] = {
	    "scx_bpf_dispatch",           "scx_bpf_task_set_slice", "scx_bpf_task_set_slice_impl",
	    "scx_bpf_task_set_dsq_vtime", "scx_bpf_dsq_insert",     NULL};
	struct btf_recipe recipe;
	struct bpf_symbols symbols;
	struct btf btf;

	make_kernel(&recipe, 1000, functions, &btf);
	bpf_symbols_find(&btf, &symbols);
	assert_int_equal(symbols.of[TASK_RUNTIME].value, 108);
	assert_int_equal(symbols.of[TASK_SLICE].value, 1008);
	assert_int_equal(symbols.of[TASK_WEIGHT].value, 1024);
	assert_true(symbols.of[TASK_WEIGHT].is_offset);
	/* The newer of two names. */
	assert_int_equal(symbols.of[INSERT].value, btf_find(&btf, BTF_FUNC, "scx_bpf_dsq_insert"));
	assert_false(symbols.of[MOVE_TO_LOCAL].known);
	/* A function if there is a complete one, else the member. */
	assert_false(symbols.of[SET_SLICE].is_offset);
	assert_true(symbols.of[SET_VTIME].is_offset);
	assert_int_equal(symbols.of[SET_VTIME].value, 1016);
	btf_close(&btf);
}

TEST(test_an_offset_that_no_instruction_holds_is_unknown)
{
	static const char *const none[] = {NULL};
	struct btf_recipe recipe;
	struct bpf_symbols symbols;
	struct btf btf;

	make_kernel(&recipe, INT16_MAX - 8, none, &btf);
	bpf_symbols_find(&btf, &symbols);
	assert_true(symbols.of[TASK_SLICE].known);
	assert_false(symbols.of[TASK_VTIME].known);
	assert_int_equal(bpf_find_unknown(&(struct bpf_row)LOAD_OF_TASK(64, R1, R2, TASK_VTIME), 1, &symbols),
			 TASK_VTIME);
	btf_close(&btf);
}

TEST(test_symbols_become_offsets_numbers_and_calls)
{
	static const struct bpf_row rows[] = {
	    LOAD_OF_TASK(32, R3, R6, TASK_WEIGHT), SET_SYMBOL(R2, SLICE_NS), CALL(SET_SLICE), CALL(SET_VTIME), RETURN,
	};
	struct bpf_symbols symbols = {0};
	struct bpf_instruction out[5];

	symbols.of[TASK_WEIGHT] = (struct bpf_symbol_value){true, true, 1024};
	symbols.of[SLICE_NS] = (struct bpf_symbol_value){true, false, 5000000};
	symbols.of[SET_SLICE] = (struct bpf_symbol_value){true, false, 777};
	symbols.of[SET_VTIME] = (struct bpf_symbol_value){true, true, 1016};
	bpf_resolve(rows, 5, &symbols, out);
	/* r3 = *(u32 *)(r6 + 1024); r2 = 5000000; call; *(u64 *)(r1 + 1016) = r2; exit */
	const struct bpf_instruction expected[] = {
	    {0x61, 0x63, 1024, 0}, {0xb7, 0x02, 0, 5000000}, {0x85, 0x20, 0, 777},
	    {0x7b, 0x21, 1016, 0}, {0x95, 0, 0, 0},
	};
	assert_memory_equal(out, expected, sizeof(expected));
}

/* How many rows the instruction has. */
static size_t rows_of(const struct bpf_row *row)
{
	return row->instruction.code == BPF_CODE_LOAD_IMMEDIATE ? 2 : 1;
}

static void check_program(const struct builtin_program *program)
{
	bool begins[101] = {false};

	assert_in_range(program->count, 1, 100);
	for (size_t i = 0; i < program->count; i += rows_of(&program->rows[i]))
		begins[i] = true;
	assert_int_equal(program->rows[program->count - 1].instruction.code, BPF_CODE_EXIT);
	for (size_t i = 0; i < program->count; i += rows_of(&program->rows[i])) {
		const struct bpf_instruction *one = &program->rows[i].instruction;
		if ((one->code & 0x07) == BPF_CODE_JUMP && one->code != BPF_CODE_CALL && one->code != BPF_CODE_EXIT) {
			assert_in_range(one->offset, 1, program->count - i - 1);
			assert_true(begins[i + 1 + (size_t)one->offset]);
		}
	}
}

/* The kernel's verifier looks at the programs that the kernel at hand gets; this at all. */
TEST(test_programs_are_short_and_jump_to_instructions)
{
	size_t checked = 0;

	for (const struct builtin_scheduler *one = builtin_scheduler_table; one->name; one++) {
		const struct builtin_program *lists[] = {one->programs, one->programs_with_slice};
		for (size_t i = 0; i < 2; i++)
			for (const struct builtin_program *program = lists[i]; program && program->operation;
			     program++) {
				check_program(program);
				checked++;
			}
	}
	assert_int_equal(checked, 3 + 8 + 8);
}
