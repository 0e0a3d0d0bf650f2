/* SPDX-License-Identifier: MIT */
#include "scheduler/bpf_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

/* include/uapi/linux/bpf.h of Linux 6.12 and later, which older headers have only in part. The structs are parts of
 * union bpf_attr; the kernel assumes zero for members beyond their size. */
enum bpf_command {
	BPF_MAP_CREATE = 0,
	BPF_MAP_UPDATE_ELEM = 2,
	BPF_PROG_LOAD = 5,
	BPF_BTF_LOAD = 18,
	BPF_LINK_CREATE = 28
};
enum { BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_STRUCT_OPS = 26 };
enum { BPF_PROG_TYPE_STRUCT_OPS = 27 };
enum { BPF_F_SLEEPABLE = 1 << 4, BPF_F_LINK = 1 << 13 };
enum { BPF_ATTACH_STRUCT_OPS = 44 }; /* BPF_STRUCT_OPS of enum bpf_attach_type */

struct map_create {
	uint32_t map_type, key_size, value_size, max_entries, map_flags, inner_map_fd, numa_node;
	char map_name[16];
	uint32_t map_ifindex, btf_fd, btf_key_type_id, btf_value_type_id, btf_vmlinux_value_type_id;
};

struct map_update {
	uint32_t map_fd, hole;
	uint64_t key, value, flags;
};

struct program_load {
	uint32_t type, instruction_count;
	uint64_t instructions, license;
	uint32_t log_level, log_size;
	uint64_t log_buffer;
	uint32_t kernel_version, flags;
	char name[16];
	uint32_t interface, expected_attach_type, btf_fd, func_info_size;
	uint64_t func_info;
	uint32_t func_info_count, line_info_size;
	uint64_t line_info;
	uint32_t line_info_count, attach_btf_id;
};

struct btf_load {
	uint64_t btf, log_buffer;
	uint32_t btf_size, log_size, log_level, hole;
};

struct link_create {
	uint32_t map_fd, target_fd, attach_type, flags;
};

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* *result: what the command returns, a new descriptor or 0. */
static enum status call_bpf(enum bpf_command command, const char *name, void *attributes, size_t size, int *result,
			    struct error *err)
{
	long returned = syscall(SYS_bpf, command, attributes, size);

	if (returned < 0)
		return error_system(err, errno, "bpf(2)", "%s fails", name);
	*result = (int)returned;
	return STATUS_OK;
}

enum status bpf_load_int_btf(int *fd, struct error *err)
{
	/* include/uapi/linux/btf.h: the header, one type, the strings. */
	static const struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t header_length, types, types_length, strings, strings_length;
		uint32_t name, info, size, encoding;
		char text[5];
	} btf = {
	    .magic = 0xeb9f,
	    .version = 1,
	    .header_length = 24,
	    .types_length = 16,
	    .strings = 16,
	    .strings_length = 5,
	    .name = 1,
	    .info = 1 << 24, /* BTF_KIND_INT */
	    .size = 4,
	    .encoding = 1 << 24 | 32, /* BTF_INT_SIGNED, 32 bits */
	    .text = "\0int",
	};
	struct btf_load load = {.btf = address_of(&btf), .btf_size = 24 + 16 + 5};

	return call_bpf(BPF_BTF_LOAD, "BPF_BTF_LOAD", &load, sizeof(load), fd, err);
}

enum status bpf_create_operations(const char *name, uint32_t value_type, uint32_t value_size, int btf_fd, int *fd,
				  struct error *err)
{
	struct map_create create = {
	    .map_type = BPF_MAP_TYPE_STRUCT_OPS,
	    .key_size = sizeof(uint32_t),
	    .value_size = value_size,
	    .max_entries = 1,
	    .map_flags = BPF_F_LINK,
	    .btf_fd = (uint32_t)btf_fd,
	    .btf_vmlinux_value_type_id = value_type,
	};

	snprintf(create.map_name, sizeof(create.map_name), "%s", name);
	return call_bpf(BPF_MAP_CREATE, "BPF_MAP_CREATE", &create, sizeof(create), fd, err);
}

enum status bpf_set_value(int map_fd, const void *value, struct error *err)
{
	static const uint32_t key;
	struct map_update update = {.map_fd = (uint32_t)map_fd, .key = address_of(&key), .value = address_of(value)};
	int nothing;

	return call_bpf(BPF_MAP_UPDATE_ELEM, "BPF_MAP_UPDATE_ELEM", &update, sizeof(update), &nothing, err);
}

enum status bpf_link_operations(int map_fd, int *fd, struct error *err)
{
	struct link_create create = {.map_fd = (uint32_t)map_fd, .attach_type = BPF_ATTACH_STRUCT_OPS};

	return call_bpf(BPF_LINK_CREATE, "BPF_LINK_CREATE", &create, sizeof(create), fd, err);
}

enum status bpf_create_state(uint32_t size, int *fd, struct error *err)
{
	struct map_create create = {
	    .map_type = BPF_MAP_TYPE_ARRAY,
	    .key_size = sizeof(uint32_t),
	    .value_size = size,
	    .max_entries = 1,
	    .map_name = "state",
	};

	return call_bpf(BPF_MAP_CREATE, "BPF_MAP_CREATE", &create, sizeof(create), fd, err);
}

/* The last line of the verifier's log that is not one of its statistics. */
static const char *find_reason(char *log)
{
	const char *reason = "";

	for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
		if (strncmp(line, "processed ", 10) != 0 && strncmp(line, "verification time", 17) != 0 &&
		    strncmp(line, "stack depth", 11) != 0)
			reason = line;
	return reason;
}

/* Loads it once more, for the verifier's log. */
static enum status refuse_program(const char *name, struct program_load *load, struct error *err)
{
	enum { LOG_SIZE = 1 << 20 };
	struct error before = *err;
	char *log = xcalloc(1, LOG_SIZE);
	int fd = -1;

	load->log_level = 1;
	load->log_size = LOG_SIZE;
	load->log_buffer = address_of(log);
	if (call_bpf(BPF_PROG_LOAD, "BPF_PROG_LOAD", load, sizeof(*load), &fd, err) == STATUS_OK)
		close(fd);
	log[LOG_SIZE - 1] = '\0';
	const char *reason = find_reason(log);
	if (*reason)
		error_set(err, STATUS_UNSUPPORTED, name, "the kernel's BPF verifier refuses it: %s", reason);
	else
		*err = before;
	free(log);
	return err->status;
}

enum status bpf_load_program(const struct bpf_operation *operation, const struct bpf_instruction *instructions,
			     size_t count, int *fd, struct error *err)
{
	struct error own; /* err may be NULL */
	struct program_load load = {
	    .type = BPF_PROG_TYPE_STRUCT_OPS,
	    .instruction_count = (uint32_t)count,
	    .instructions = address_of(instructions),
	    .license = address_of("Dual MIT/GPL"), /* functions of sched_ext want one of the GPL's */
	    .flags = operation->may_sleep ? BPF_F_SLEEPABLE : 0,
	    .expected_attach_type = operation->member,
	    .attach_btf_id = operation->struct_type,
	};

	snprintf(load.name, sizeof(load.name), "%s", operation->name);
	err = err ? err : &own;
	if (call_bpf(BPF_PROG_LOAD, "BPF_PROG_LOAD", &load, sizeof(load), fd, err) == STATUS_OK)
		return STATUS_OK;
	return refuse_program(operation->name, &load, err);
}
