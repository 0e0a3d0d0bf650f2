/* SPDX-License-Identifier: MIT */
#include "scheduler/operations_layout.h"

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
