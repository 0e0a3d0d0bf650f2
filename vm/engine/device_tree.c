/* SPDX-License-Identifier: MIT */
#include "vm/engine/device_tree.h"

#include <string.h>

#define MAGIC          0xd00dfeedu
#define VERSION        17u
#define OLDEST_VERSION 16u
#define DEPTH_MAX      64u
#define RESERVATION    16u /* bytes of an entry */
#define TOKEN_NOP      4u

/* Words of the header. */
enum {
	HEAD_MAGIC,
	HEAD_SIZE,
	HEAD_STRUCTURE,
	HEAD_STRINGS,
	HEAD_RESERVED,
	HEAD_VERSION,
	HEAD_COMPATIBLE,
	HEAD_BOOT_CPU,
	HEAD_STRINGS_SIZE,
	HEAD_STRUCTURE_SIZE,
	HEAD_WORDS
};

static uint32_t read_word(const uint8_t *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static enum status refuse(const struct device_tree *tree, const char *what, struct error *err)
{
	return error_set(err, STATUS_CORRUPT, tree->where, "not a device tree: %s", what);
}

enum status device_tree_open(struct device_tree *tree, const void *bytes, size_t length, const char *where,
			     struct error *err)
{
	const uint8_t *from = bytes;
	uint32_t head[HEAD_WORDS];

	*tree = (struct device_tree){.where = where, .bytes = from};
	if (length < sizeof(head))
		return refuse(tree, "too short", err);
	for (size_t i = 0; i < HEAD_WORDS; i++)
		head[i] = read_word(from + 4 * i);
	if (head[HEAD_MAGIC] != MAGIC)
		return refuse(tree, "other first bytes", err);
	if (head[HEAD_VERSION] < VERSION || head[HEAD_COMPATIBLE] > VERSION)
		return error_set(err, STATUS_UNSUPPORTED, where, "device tree of version %u", head[HEAD_VERSION]);
	if (head[HEAD_SIZE] > length)
		return refuse(tree, "cut off", err);
	const uint64_t size = head[HEAD_SIZE];
	tree->at = head[HEAD_STRUCTURE];
	tree->strings = head[HEAD_STRINGS];
	tree->boot_cpu = head[HEAD_BOOT_CPU];
	if (head[HEAD_STRUCTURE] + (uint64_t)head[HEAD_STRUCTURE_SIZE] > size ||
	    head[HEAD_STRINGS] + (uint64_t)head[HEAD_STRINGS_SIZE] > size || head[HEAD_STRUCTURE] % 4 ||
	    head[HEAD_RESERVED] + (uint64_t)RESERVATION > size)
		return refuse(tree, "a part is outside of it", err);
	tree->end = tree->at + head[HEAD_STRUCTURE_SIZE];
	tree->strings_end = tree->strings + head[HEAD_STRINGS_SIZE];
	for (size_t i = 0; i < RESERVATION; i++)
		if (from[head[HEAD_RESERVED] + i])
			return error_set(err, STATUS_UNSUPPORTED, where, "device tree with reserved memory");
	return STATUS_OK;
}

/* The text at offset *at, below end, which is moved beyond it; NULL if it does not end there. */
static const char *read_text(const struct device_tree *tree, size_t *at, size_t end)
{
	const char *text = (const char *)tree->bytes + *at;
	const char *nul = *at < end ? memchr(text, '\0', end - *at) : NULL;

	*at += nul ? (size_t)(nul - text) + 1 : 0;
	return nul ? text : NULL;
}

static size_t round_up(size_t length)
{
	return (length + 3) / 4 * 4;
}

static enum status read_property(struct device_tree *tree, struct device_tree_item *item, struct error *err)
{
	if (tree->end - tree->at < 8)
		return refuse(tree, "it ends within a property", err);
	const uint32_t length = read_word(tree->bytes + tree->at);
	size_t name = tree->strings + read_word(tree->bytes + tree->at + 4);
	tree->at += 8;
	item->name = read_text(tree, &name, tree->strings_end);
	if (!item->name || !tree->depth)
		return refuse(tree, item->name ? "a property outside of nodes" : "a property without a name", err);
	if (length > tree->end - tree->at || round_up(length) > tree->end - tree->at)
		return refuse(tree, "it ends within a property", err);
	item->value = tree->bytes + tree->at;
	item->length = length;
	tree->at += round_up(length);
	return STATUS_OK;
}

static enum status read_node(struct device_tree *tree, struct device_tree_item *item, struct error *err)
{
	item->name = read_text(tree, &tree->at, tree->end);
	if (!item->name || tree->depth == DEPTH_MAX)
		return refuse(tree, item->name ? "too many nodes in each other" : "a node without a name", err);
	tree->at = round_up(tree->at); /* the structure is aligned in the blob */
	tree->depth++;
	return STATUS_OK;
}

enum status device_tree_next(struct device_tree *tree, struct device_tree_item *item, struct error *err)
{
	uint32_t token = TOKEN_NOP;

	while (token == TOKEN_NOP) {
		if (tree->at > tree->end || tree->end - tree->at < 4)
			return refuse(tree, "it ends within a node", err);
		token = read_word(tree->bytes + tree->at);
		tree->at += 4;
	}
	*item = (struct device_tree_item){.token = (enum device_tree_token)token};
	switch (token) {
	case DEVICE_TREE_NODE:
		return read_node(tree, item, err);
	case DEVICE_TREE_PROPERTY:
		return read_property(tree, item, err);
	case DEVICE_TREE_NODE_END:
		if (!tree->depth)
			return refuse(tree, "a node ends that has not begun", err);
		tree->depth--;
		return STATUS_OK;
	case DEVICE_TREE_END:
		return tree->depth ? refuse(tree, "it ends within a node", err) : STATUS_OK;
	default:
		return refuse(tree, "an unknown token", err);
	}
}

uint32_t device_tree_cell(const struct device_tree_item *property)
{
	return property->length == 4 ? read_word(property->value) : 0;
}

/* --- Writing --- */

static void add_word(struct buffer *to, uint32_t word)
{
	const uint8_t bytes[] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};

	buffer_add(to, bytes, sizeof(bytes));
}

static void add_padded(struct buffer *to, const void *bytes, size_t length)
{
	buffer_add(to, bytes, length);
	buffer_add(to, "\0\0\0", round_up(length) - length);
}

void device_tree_begin_node(struct device_tree_writer *writer, const char *name)
{
	add_word(&writer->structure, DEVICE_TREE_NODE);
	add_padded(&writer->structure, name, strlen(name) + 1);
}

void device_tree_end_node(struct device_tree_writer *writer)
{
	add_word(&writer->structure, DEVICE_TREE_NODE_END);
}

/* The offset of a name, which is kept once. */
static uint32_t keep_name(struct buffer *strings, const char *name)
{
	size_t at = 0;

	while (at < strings->length && strcmp(strings->data + at, name) != 0)
		at += strlen(strings->data + at) + 1;
	if (at == strings->length)
		buffer_add(strings, name, strlen(name) + 1);
	return (uint32_t)at;
}

void device_tree_add(struct device_tree_writer *writer, const char *name, const void *value, uint32_t length)
{
	add_word(&writer->structure, DEVICE_TREE_PROPERTY);
	add_word(&writer->structure, length);
	add_word(&writer->structure, keep_name(&writer->strings, name));
	add_padded(&writer->structure, value, length);
}

void device_tree_add_cell(struct device_tree_writer *writer, const char *name, uint32_t value)
{
	struct buffer cell = {0};

	add_word(&cell, value);
	device_tree_add(writer, name, cell.data, (uint32_t)cell.length);
	buffer_free(&cell);
}

void device_tree_add_text(struct device_tree_writer *writer, const char *name, const char *value)
{
	device_tree_add(writer, name, value, (uint32_t)strlen(value) + 1);
}

void device_tree_finish(struct device_tree_writer *writer, uint32_t boot_cpu, struct buffer *out)
{
	static const uint8_t none[RESERVATION] = {0};
	const uint32_t reserved = 4 * HEAD_WORDS, structure = reserved + RESERVATION; /* both aligned to 8 bytes */

	add_word(&writer->structure, DEVICE_TREE_END);
	const uint32_t size = (uint32_t)writer->structure.length, names = (uint32_t)writer->strings.length;
	const uint32_t head[HEAD_WORDS] = {
	    [HEAD_MAGIC] = MAGIC,
	    [HEAD_SIZE] = structure + size + names,
	    [HEAD_STRUCTURE] = structure,
	    [HEAD_STRINGS] = structure + size,
	    [HEAD_RESERVED] = reserved,
	    [HEAD_VERSION] = VERSION,
	    [HEAD_COMPATIBLE] = OLDEST_VERSION,
	    [HEAD_BOOT_CPU] = boot_cpu,
	    [HEAD_STRINGS_SIZE] = names,
	    [HEAD_STRUCTURE_SIZE] = size,
	};
	for (size_t i = 0; i < HEAD_WORDS; i++)
		add_word(out, head[i]);
	buffer_add(out, none, sizeof(none));
	buffer_add(out, writer->structure.data, writer->structure.length);
	buffer_add(out, writer->strings.data ? writer->strings.data : "", writer->strings.length);
	buffer_free(&writer->structure);
	buffer_free(&writer->strings);
}
