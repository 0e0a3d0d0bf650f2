/* SPDX-License-Identifier: MIT
 *
 * The few commands of bpf(2) that a scheduler of sched_ext needs. Descriptors are close-on-exec. A failure names the
 * command. */
#ifndef SCHEDULER_BPF_CALLS_H
#define SCHEDULER_BPF_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "scheduler/bpf_instruction.h"

/* Loads BTF whose only type is int: a map of operations needs some. */
enum status bpf_load_int_btf(int *fd, struct error *err);
/* A map of one struct of operations: value_type is the id of its bpf_struct_ops_... in the kernel's BTF, value_size its
 * size. Linked, not registered: closing the link's last descriptor takes it away. */
enum status bpf_create_operations(const char *name, uint32_t value_type, uint32_t value_size, int btf_fd, int *fd,
				  struct error *err);
/* Sets the only element of a map. */
enum status bpf_set_value(int map_fd, const void *value, struct error *err);
/* Enables the operations until *fd is closed. */
enum status bpf_link_operations(int map_fd, int *fd, struct error *err);

/* A map of one element of so many bytes, zero at first, which programs may use by its address. */
enum status bpf_create_state(uint32_t size, int *fd, struct error *err);

/* One of the operations of a struct: its type in the kernel's BTF, and which member. */
struct bpf_operation {
	const char *name;
	uint32_t struct_type, member;
	bool may_sleep;
};
/* Loads the program of an operation. If the kernel's verifier refuses it, the error has its last words. */
enum status bpf_load_program(const struct bpf_operation *operation, const struct bpf_instruction *instructions,
			     size_t count, int *fd, struct error *err);

#endif
