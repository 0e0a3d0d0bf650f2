/* SPDX-License-Identifier: MIT
 *
 * Where the kernel keeps a scheduler's operations: a struct sched_ext_ops, in the value of a map. Pure; the BTF may say
 * anything. */
#ifndef SCHEDULER_OPERATIONS_LAYOUT_H
#define SCHEDULER_OPERATIONS_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/btf.h"
#include "base/error.h"

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
