/* SPDX-License-Identifier: MIT */
#include "scheduler/builtin_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/btf.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/kernel_btf.h"
#include "base/memory.h"
#include "scheduler/bpf_calls.h"
#include "scheduler/bpf_resolve.h"

#define STATE_FILE "/sys/kernel/sched_ext/state"

enum {
	CHECK_MS = 1000,
	PROGRAMS_MAX = 16,
	INSTRUCTIONS_MAX = 100,
};

/* Facts from the kernel's BTF, in the order in which they are found. */
struct kernel_types {
	struct btf btf;
	struct operations_layout layout;
	struct bpf_symbols symbols;
};

/* The descriptors that hold a scheduler. */
struct loaded {
	int fds[PROGRAMS_MAX + 4];
	size_t count;
};

static enum status keep(struct loaded *loaded, enum status status, int fd)
{
	if (status == STATUS_OK)
		loaded->fds[loaded->count++] = fd;
	return status;
}

/* Loads a program and writes its descriptor into the value, where the operation's address will be. */
static enum status load_program(const struct kernel_types *types, const struct builtin_program *program, char *value,
				struct loaded *loaded, struct error *err)
{
	struct bpf_instruction instructions[INSTRUCTIONS_MAX];
	struct btf_member member;
	int fd = -1;

	if (!operations_layout_find_operation(&types->layout, &types->btf, program->operation, &member))
		return error_set(err, STATUS_UNSUPPORTED, NULL, "this kernel's sched_ext_ops has no %s",
				 program->operation);
	bpf_resolve(program->rows, program->count, &types->symbols, instructions);
	struct bpf_operation operation = {program->operation, types->layout.ops_type, member.index, program->may_sleep};
	enum status status = keep(loaded, bpf_load_program(&operation, instructions, program->count, &fd, err), fd);
	uint64_t number = (uint64_t)(int64_t)fd;
	memcpy(value + member.offset, &number, sizeof(number));
	return status;
}

/* One program per operation: the first whose functions the kernel has. */
static enum status load_programs(const struct kernel_types *types, const struct builtin_program *programs, char *value,
				 struct loaded *loaded, struct error *err)
{
	enum status status = STATUS_OK;
	enum bpf_symbol unknown;

	for (const struct builtin_program *one = programs; one->operation && status == STATUS_OK; one++) {
		if (one > programs && strcmp(one[-1].operation, one->operation) == 0 &&
		    bpf_find_unknown(one[-1].rows, one[-1].count, &types->symbols) == BPF_FIXED)
			continue;
		unknown = bpf_find_unknown(one->rows, one->count, &types->symbols);
		if (unknown == BPF_FIXED)
			status = load_program(types, one, value, loaded, err);
		else if (!one[1].operation || strcmp(one[1].operation, one->operation) != 0)
			status =
			    error_set(err, STATUS_UNSUPPORTED, NULL, "this kernel has no %s", bpf_symbol_name(unknown));
	}
	return status;
}

static enum status fill_operations(struct kernel_types *types, const struct scheduler_spec *spec, char *value,
				   struct loaded *loaded, struct error *err)
{
	const struct builtin_scheduler *builtin = spec->builtin;
	const struct builtin_program *programs = spec->slice_ns ? builtin->programs_with_slice : builtin->programs;
	uint64_t slice_ns = spec->slice_ns ? spec->slice_ns : SLICE_DEFAULT_NS;
	int state = -1;

	memcpy(value + types->layout.name_offset, builtin->ops, strlen(builtin->ops) + 1);
	if (!programs)
		return STATUS_OK;
	enum status status = keep(loaded, bpf_create_state(STATE_SIZE, &state, err), state);
	bpf_symbols_find(&types->btf, &types->symbols);
	types->symbols.of[STATE_MAP] = (struct bpf_symbol_value){.known = true, .value = state};
	types->symbols.of[SLICE_NS] = (struct bpf_symbol_value){.known = true, .value = (int32_t)slice_ns};
	return status == STATUS_OK ? load_programs(types, programs, value, loaded, err) : status;
}

static enum status link_operations(int map_fd, struct loaded *loaded, struct error *err)
{
	int fd = -1;

	if (keep(loaded, bpf_link_operations(map_fd, &fd, err), fd) == STATUS_OK)
		return STATUS_OK;
	if (err->errnum == EBUSY)
		return error_remedy(err, "another scheduler is enabled: see /sys/kernel/sched_ext/root/ops");
	return error_remedy(err, "the kernel log has the reason, for example isolcpus= with domain");
}

static enum status load_operations(struct kernel_types *types, const struct scheduler_spec *spec, struct loaded *loaded,
				   struct error *err)
{
	const struct operations_layout *layout = &types->layout;
	char *value = xcalloc(1, layout->value_size);
	int btf_fd = -1, map_fd = -1;

	enum status status = fill_operations(types, spec, value, loaded, err);
	if (status == STATUS_OK)
		status = keep(loaded, bpf_load_int_btf(&btf_fd, err), btf_fd);
	if (status == STATUS_OK)
		status = keep(loaded,
			      bpf_create_operations(spec->builtin->ops, layout->value_type, layout->value_size, btf_fd,
						    &map_fd, err),
			      map_fd);
	if (status == STATUS_OK)
		status = bpf_set_value(map_fd, value, err);
	if (status == STATUS_OK)
		status = link_operations(map_fd, loaded, err);
	free(value);
	return status;
}

static enum status load(const struct scheduler_spec *spec, struct loaded *loaded, struct error *err)
{
	struct buffer bytes = {0};
	struct kernel_types types = {0};
	enum status status = kernel_btf_open("sched_ext", &bytes, &types.btf, err);

	if (status == STATUS_OK)
		status = operations_layout_find(&types.btf, &types.layout, err);
	if (status == STATUS_OK)
		status = load_operations(&types, spec, loaded, err);
	btf_close(&types.btf);
	buffer_free(&bytes);
	return status;
}

/* Polls the state: no descriptor becomes readable when the kernel disables a scheduler. */
static enum status hold(const char *name, struct error *err)
{
	char state[32];

	while (interrupt_sleep(CHECK_MS, NULL) == STATUS_OK)
		if (file_read_line(STATE_FILE, state, sizeof(state)) && strcmp(state, "enabled") != 0)
			return error_set(err, STATUS_SYSTEM, name,
					 "the kernel has disabled it; the kernel log has the reason");
	return STATUS_OK;
}

enum status builtin_scheduler_run(const struct scheduler_spec *spec, struct error *err)
{
	struct loaded loaded = {.count = 0};
	struct error own; /* err may be NULL */

	err = err ? err : &own;
	if (spec->kind != SCHEDULER_BUILTIN)
		return error_set(err, STATUS_USAGE, "--scheduler", "not one of picknext's own");
	interrupt_catch();
	enum status status = load(spec, &loaded, err);
	if (status == STATUS_OK)
		status = hold(spec->builtin->ops, err);
	/* In reverse order, because the link comes last and must be closed first. */
	while (loaded.count > 0)
		close(loaded.fds[--loaded.count]);
	return status;
}
