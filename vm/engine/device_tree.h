/* SPDX-License-Identifier: MIT
 *
 * Flattened device trees, version 17 (Devicetree Specification 0.4, chapter 5): a cursor over one, and a
 * writer. Pure. */
#ifndef VM_ENGINE_DEVICE_TREE_H
#define VM_ENGINE_DEVICE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum device_tree_token {
	DEVICE_TREE_NODE = 1,
	DEVICE_TREE_NODE_END = 2,
	DEVICE_TREE_PROPERTY = 3,
	DEVICE_TREE_END = 9,
};

/* All bytes are checked before they are used: nodes close, names end, values are within the blob. */
struct device_tree {
	const char *where; /* for errors */
	const uint8_t *bytes;
	size_t at, end, strings, strings_end;
	uint32_t boot_cpu;
	unsigned int depth; /* of open nodes */
};

struct device_tree_item {
	enum device_tree_token token;
	const char *name;     /* of a node ("" is the root) or a property */
	const uint8_t *value; /* of a property */
	uint32_t length;
};

/* STATUS_CORRUPT, or STATUS_UNSUPPORTED for one with reserved memory, which the writer does not write. */
enum status device_tree_open(struct device_tree *tree, const void *bytes, size_t length, const char *where,
			     struct error *err);
/* The next item. After DEVICE_TREE_END there is none. */
enum status device_tree_next(struct device_tree *tree, struct device_tree_item *item, struct error *err);
/* 0 if the value is not one cell. */
uint32_t device_tree_cell(const struct device_tree_item *property);

/* A zeroed struct has written nothing. In a node, properties come before nodes. */
struct device_tree_writer {
	struct buffer structure, strings;
};

void device_tree_begin_node(struct device_tree_writer *writer, const char *name);
void device_tree_end_node(struct device_tree_writer *writer);
void device_tree_add(struct device_tree_writer *writer, const char *name, const void *value, uint32_t length);
void device_tree_add_cell(struct device_tree_writer *writer, const char *name, uint32_t value);
void device_tree_add_text(struct device_tree_writer *writer, const char *name, const char *value);
/* Appends the blob to out and frees the writer. */
void device_tree_finish(struct device_tree_writer *writer, uint32_t boot_cpu, struct buffer *out);

#endif
