/* SPDX-License-Identifier: MIT */
#include "scheduler/builtin_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "scheduler/bpf_calls.h"
#include "scheduler/btf.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define STATE_FILE "/sys/kernel/sched_ext/state"

enum {
	BTF_LENGTH_MAX = 64 << 20, /* Debian's 7.3 has 5.5 MB */
	OPS_NAME_SIZE = 128,       /* SCX_OPS_NAME_LEN, kernel/sched/ext_internal.h */
	CHECK_MS = 1000,
};

/* Where the kernel keeps a scheduler's operations: a struct sched_ext_ops, in the value of a map. */
struct operations_layout {
	uint32_t value_type, value_size;
	uint32_t ops_type, ops_offset; /* the struct, and where it begins in the value */
	uint32_t name_offset;          /* in the value */
};

/* What holds a scheduler; -1 if not open. */
struct loaded {
	int btf_fd, map_fd, link_fd;
};

static enum status find_layout(const struct btf *btf, struct operations_layout *layout, struct error *err)
{
	struct btf_member data, name;

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
	if ((uint64_t)data.offset + name.offset + OPS_NAME_SIZE > layout->value_size)
		return error_set(err, STATUS_CORRUPT, KERNEL_BTF, "the name of sched_ext_ops is outside of the struct");
	return STATUS_OK;
}

static enum status link_operations(const struct loaded *loaded, int *fd, struct error *err)
{
	enum status status = bpf_link_operations(loaded->map_fd, fd, err);

	if (status == STATUS_OK)
		return STATUS_OK;
	if (err->errnum == EBUSY)
		return error_remedy(err, "another scheduler is enabled: see /sys/kernel/sched_ext/root/ops");
	return error_remedy(err, "the kernel log has the reason; one is isolcpus= with domain");
}

static enum status load_operations(const struct operations_layout *layout, const char *name, struct loaded *loaded,
				   struct error *err)
{
	char *value = calloc(1, layout->value_size);

	if (!value)
		return error_system(err, ENOMEM, KERNEL_BTF, "%u bytes of operations", layout->value_size);
	memcpy(value + layout->name_offset, name, strlen(name) + 1);
	enum status status = bpf_load_int_btf(&loaded->btf_fd, err);
	if (status == STATUS_OK)
		status = bpf_create_operations(name, layout->value_type, layout->value_size, loaded->btf_fd,
					       &loaded->map_fd, err);
	if (status == STATUS_OK)
		status = bpf_set_value(loaded->map_fd, value, err);
	if (status == STATUS_OK)
		status = link_operations(loaded, &loaded->link_fd, err);
	free(value);
	return status;
}

static enum status load(const char *name, struct loaded *loaded, struct error *err)
{
	struct buffer bytes = {0};
	struct btf btf = {0};
	struct operations_layout layout = {0};
	enum status status = file_read(KERNEL_BTF, BTF_LENGTH_MAX, &bytes, err);

	if (status == STATUS_SYSTEM && err->errnum == ENOENT) {
		status = error_set(err, STATUS_UNSUPPORTED, KERNEL_BTF, "this kernel has no BTF");
		error_remedy(err, "sched_ext needs DEBUG_INFO_BTF");
	}
	if (status == STATUS_OK)
		status = btf_open(bytes.data, bytes.length, &btf, err);
	if (status == STATUS_OK)
		status = find_layout(&btf, &layout, err);
	if (status == STATUS_OK)
		status = load_operations(&layout, name, loaded, err);
	btf_close(&btf);
	buffer_free(&bytes);
	return status;
}

static void unload(struct loaded *loaded)
{
	const int fds[] = {loaded->link_fd, loaded->map_fd, loaded->btf_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* No descriptor becomes readable if the kernel disables a scheduler. */
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
	struct loaded loaded = {-1, -1, -1};

	if (spec->kind != SCHEDULER_BUILTIN)
		return error_set(err, STATUS_USAGE, "--scheduler", "not one of picknext's own");
	interrupt_catch();
	enum status status = load(spec->builtin->ops, &loaded, err);
	if (status == STATUS_OK)
		status = hold(spec->builtin->ops, err);
	unload(&loaded);
	return status;
}
