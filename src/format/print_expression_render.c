/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "format/print_expression.h"
#include "format/print_expression_node.h"

static uint64_t evaluate(const struct print_expression *expression, uint16_t index, uint64_t value)
{
	const struct node *node = &expression->nodes[index];

	if (node->operation == OP_NUMBER)
		return node->number;
	if (node->operation == OP_FIELD)
		return value;
	uint64_t left = evaluate(expression, node->left, value);
	if (node->operation == OP_INVERT)
		return ~left;
	if (node->operation == OP_CHOOSE)
		return evaluate(expression, left ? node->right : node->third, value);
	uint64_t right = evaluate(expression, node->right, value);
	switch (node->operation) {
	case OP_OR:
		return left | right;
	case OP_XOR:
		return left ^ right;
	case OP_AND:
		return left & right;
	case OP_EQUAL:
		return left == right;
	case OP_UNEQUAL:
		return left != right;
	case OP_SHIFT_LEFT:
		return right < 64 ? left << right : 0;
	case OP_PLUS:
		return left + right;
	default:
		return left - right;
	}
}

struct output {
	char *text;
	size_t size, length;
};

static void put(struct output *output, struct text_span text)
{
	size_t room = output->size - 1 - output->length;
	size_t length = text.length < room ? text.length : room;

	memcpy(output->text + output->length, text.text, length);
	output->length += length;
	output->text[output->length] = '\0';
}

static void put_hexadecimal(struct output *output, uint64_t number)
{
	char text[24];
	int length = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)number);

	put(output, (struct text_span){text, (size_t)length});
}

/* Each name whose bits are all set, in the table's order; bits that are left over as a number. */
static void put_flags(struct output *output, const struct print_expression *expression, const struct node *flags,
		      uint64_t bits)
{
	bool first = true;

	for (uint16_t i = flags->right; i && bits; i = expression->nodes[i].right) {
		const struct node *name = &expression->nodes[i];
		if ((bits & name->number) != name->number)
			continue;
		bits &= ~name->number;
		if (!first)
			put(output, flags->text);
		put(output, name->text);
		first = false;
	}
	if (bits) {
		if (!first)
			put(output, flags->text);
		put_hexadecimal(output, bits);
	}
}

static void put_symbol(struct output *output, const struct print_expression *expression, const struct node *symbols,
		       uint64_t number)
{
	for (uint16_t i = symbols->right; i; i = expression->nodes[i].right) {
		if (expression->nodes[i].number == number) {
			put(output, expression->nodes[i].text);
			return;
		}
	}
	put_hexadecimal(output, number);
}

size_t print_expression_render(const struct print_expression *expression, uint64_t value, char *text, size_t size)
{
	struct output output = {text, size, 0};
	const struct node *node = &expression->nodes[expression->root];

	text[0] = '\0';
	while (node->operation == OP_CHOOSE)
		node = &expression->nodes[evaluate(expression, node->left, value) ? node->right : node->third];
	if (node->operation == OP_STRING)
		put(&output, node->text);
	else if (node->operation == OP_FLAGS)
		put_flags(&output, expression, node, evaluate(expression, node->left, value));
	else
		put_symbol(&output, expression, node, evaluate(expression, node->left, value));
	return output.length;
}
