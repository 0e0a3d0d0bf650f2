/* SPDX-License-Identifier: MIT
 *
 * A compiled expression as print_expression.c makes it and print_expression_render.c reads it. */
#ifndef FORMAT_PRINT_EXPRESSION_NODE_H
#define FORMAT_PRINT_EXPRESSION_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event_format.h"

/* The longest known (sched_switch of 6.x) takes some 80 nodes. */
#define NODES_MOST 512

enum operation {
	OP_NUMBER,
	OP_FIELD,
	OP_OR,
	OP_XOR,
	OP_AND,
	OP_EQUAL,
	OP_UNEQUAL,
	OP_SHIFT_LEFT,
	OP_PLUS,
	OP_MINUS,
	OP_INVERT,
	OP_CHOOSE,   /* left ? right : third */
	OP_STRING,   /* text */
	OP_FLAGS,    /* left, text between the names, right: the first OP_NAME */
	OP_SYMBOLIC, /* left, right: the first OP_NAME */
	OP_NAME,     /* number, text, right: the next one */
};

/* Nodes speak of one another by index; 0 is no node. */
struct node {
	enum operation operation;
	bool is_text;
	uint16_t left, right, third;
	uint64_t number;
	struct text_span text;
};

struct print_expression {
	uint16_t root, count;
	struct node nodes[]; /* up to NODES_MOST while it is compiled, then count */
};

#endif
