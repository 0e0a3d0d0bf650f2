/* SPDX-License-Identifier: MIT */
#include "scheduler/bpf_calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* include/uapi/linux/bpf.h of Linux 6.12 and later, which older headers lack in parts. The structs are the parts of
 * union bpf_attr; the kernel takes what is not there as zero. */
enum bpf_command { BPF_MAP_CREATE = 0, BPF_MAP_UPDATE_ELEM = 2, BPF_BTF_LOAD = 18, BPF_LINK_CREATE = 28 };
enum { BPF_MAP_TYPE_STRUCT_OPS = 26 };
enum { BPF_F_LINK = 1 << 13 };
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
