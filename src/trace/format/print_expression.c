/* SPDX-License-Identifier: MIT */
#include "trace/format/print_expression.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define DEPTH_MAX 64

/* The longest known one (sched_switch of 6.x) needs about 80 nodes. */
#define NODES_MAX 512

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

/* Nodes refer to one another by index; 0 is no node. */
struct node {
	enum operation operation;
	bool is_text;
	uint16_t left, right, third;
	uint64_t number;
	struct text_span text;
};

struct print_expression {
	uint16_t root, count;
	struct node nodes[]; /* NODES_MAX during compilation, then count */
};

struct parser {
	struct text_span rest;
	const char *field;
	struct print_expression *expression;
	unsigned int depth;
	bool unsupported; /* otherwise the text is malformed */
};

/* The binary operators, lowest precedence first, as in C. */
static const struct {
	char token[3];
	uint8_t level;
	enum operation operation;
} operators[] = {
    {"|", 0, OP_OR},       {"^", 1, OP_XOR},         {"&", 2, OP_AND},  {"==", 3, OP_EQUAL},
    {"!=", 3, OP_UNEQUAL}, {"<<", 4, OP_SHIFT_LEFT}, {"+", 5, OP_PLUS}, {"-", 5, OP_MINUS},
};
#define LEVELS 6

static uint16_t parse_choice(struct parser *parser);

static void skip_space(struct parser *parser)
{
	while (parser->rest.length && strchr(" \t\n", *parser->rest.text) && *parser->rest.text) {
		parser->rest.text++;
		parser->rest.length--;
	}
}

static bool take_token(struct parser *parser, const char *token)
{
	skip_space(parser);
	return text_span_take(&parser->rest, token);
}

/* "||" and "&&" start with a supported operator. */
static bool take_operator(struct parser *parser, const char *token)
{
	struct text_span before = parser->rest;

	if (!take_token(parser, token))
		return false;
	if (token[1] == '\0' && parser->rest.length && strchr("|&", *token) && *parser->rest.text == *token) {
		parser->rest = before;
		parser->unsupported = true;
		return false;
	}
	return true;
}

/* Adds a node; 0 if there is no room. */
static uint16_t add_node(struct parser *parser, struct node node)
{
	struct print_expression *expression = parser->expression;

	if (expression->count == NODES_MAX) {
		parser->unsupported = true;
		return 0;
	}
	expression->nodes[expression->count] = node;
	return expression->count++;
}

/* Limits nesting; the caller decrements parser->depth when it leaves the level. */
static bool enter_level(struct parser *parser)
{
	parser->unsupported |= parser->depth == DEPTH_MAX;
	return parser->depth++ < DEPTH_MAX;
}

static bool is_text(const struct parser *parser, uint16_t index)
{
	return parser->expression->nodes[index].is_text;
}

static bool take_number(struct parser *parser, uint64_t *number)
{
	unsigned int base = 10;
	size_t digits = 0;

	skip_space(parser);
	if (take_token(parser, "0x") || take_token(parser, "0X"))
		base = 16;
	for (*number = 0; parser->rest.length; digits++) {
		char c = *parser->rest.text;
		unsigned int digit = 16;
		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a') + 10;
		else if (base == 16 && c >= 'A' && c <= 'F')
			digit = (unsigned int)(c - 'A') + 10;
		if (digit >= base)
			break;
		*number = *number * base + digit;
		parser->rest.text++;
		parser->rest.length--;
	}
	while (digits && parser->rest.length && strchr("uUlL", *parser->rest.text) && *parser->rest.text) {
		parser->rest.text++;
		parser->rest.length--;
	}
	return digits != 0;
}

static bool take_string(struct parser *parser, struct text_span *string)
{
	if (!take_token(parser, "\""))
		return false;
	const char *end = parser->rest.length ? memchr(parser->rest.text, '"', parser->rest.length) : NULL;
	if (!end)
		return false;
	*string = (struct text_span){parser->rest.text, (size_t)(end - parser->rest.text)};
	parser->rest.text += string->length + 1;
	parser->rest.length -= string->length + 1;
	if (string->length == 0 || !memchr(string->text, '\\', string->length))
		return true;
	parser->unsupported = true; /* no state name of any kernel has an escape */
	return false;
}

/* ", { NUMBER, "NAME" }, ..." up to the closing bracket; the first one's index, or 0. */
static uint16_t parse_names(struct parser *parser)
{
	uint16_t first = 0;
	uint16_t last = 0;

	while (take_token(parser, ",")) {
		struct node node = {.operation = OP_NAME};
		if (!take_token(parser, "{") || !take_number(parser, &node.number) || !take_token(parser, ",") ||
		    !take_string(parser, &node.text) || !take_token(parser, "}"))
			return 0;
		uint16_t index = add_node(parser, node);
		if (!index)
			return 0;
		if (last)
			parser->expression->nodes[last].right = index;
		else
			first = index;
		last = index;
	}
	return take_token(parser, ")") ? first : 0;
}

/* After "__print_flags(" or "__print_symbolic(". */
static uint16_t parse_table(struct parser *parser, enum operation operation)
{
	struct node node = {.operation = operation, .is_text = true};

	node.left = parse_choice(parser);
	if (!node.left || is_text(parser, node.left))
		return 0;
	if (operation == OP_FLAGS && (!take_token(parser, ",") || !take_string(parser, &node.text)))
		return 0;
	node.right = parse_names(parser);
	return node.right ? add_node(parser, node) : 0;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static uint16_t parse_field(struct parser *parser)
{
	size_t length = 0;

	while (length < parser->rest.length && is_word(parser->rest.text[length]))
		length++;
	if (!text_span_is((struct text_span){parser->rest.text, length}, parser->field)) {
		parser->unsupported = true;
		return 0;
	}
	parser->rest.text += length;
	parser->rest.length -= length;
	return add_node(parser, (struct node){.operation = OP_FIELD});
}

static uint16_t parse_primary(struct parser *parser);

static uint16_t parse_inverted(struct parser *parser)
{
	struct node node = {.operation = OP_INVERT};

	if (!enter_level(parser))
		return 0;
	node.left = parse_primary(parser);
	parser->depth--;
	return node.left && !is_text(parser, node.left) ? add_node(parser, node) : 0;
}

static uint16_t parse_primary(struct parser *parser)
{
	struct node node = {.operation = OP_NUMBER};

	if (take_token(parser, "(")) {
		uint16_t inner = parse_choice(parser);
		return inner && take_token(parser, ")") ? inner : 0;
	}
	if (take_token(parser, "~"))
		return parse_inverted(parser);
	if (take_token(parser, "REC->"))
		return parse_field(parser);
	if (take_token(parser, "__print_flags("))
		return parse_table(parser, OP_FLAGS);
	if (take_token(parser, "__print_symbolic("))
		return parse_table(parser, OP_SYMBOLIC);
	skip_space(parser);
	if (parser->rest.length && *parser->rest.text == '"') {
		node = (struct node){.operation = OP_STRING, .is_text = true};
		return take_string(parser, &node.text) ? add_node(parser, node) : 0;
	}
	if (take_number(parser, &node.number))
		return add_node(parser, node);
	/* Any other word: a cast, a function, an enum. */
	parser->unsupported |= parser->rest.length && is_word(*parser->rest.text);
	return 0;
}

static bool take_level(struct parser *parser, unsigned int level, enum operation *operation)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (operators[i].level == level && take_operator(parser, operators[i].token)) {
			*operation = operators[i].operation;
			return true;
		}
	}
	return false;
}

static uint16_t parse_binary(struct parser *parser, unsigned int level)
{
	struct node node = {.operation = OP_NUMBER};

	if (level == LEVELS)
		return parse_primary(parser);
	uint16_t left = parse_binary(parser, level + 1);
	while (left && take_level(parser, level, &node.operation)) {
		node.left = left;
		node.right = parse_binary(parser, level + 1);
		if (!node.right || is_text(parser, node.left) || is_text(parser, node.right))
			return 0;
		left = add_node(parser, node);
	}
	return left;
}

/* CONDITION ? CHOICE : CHOICE, or only CONDITION. Returns the node, or 0 on failure. */
static uint16_t parse_choice(struct parser *parser)
{
	if (!enter_level(parser))
		return 0;
	uint16_t index = parse_binary(parser, 0);
	if (index && take_token(parser, "?")) {
		struct node node = {.operation = OP_CHOOSE, .left = index};
		node.right = parse_choice(parser);
		node.third = node.right && take_token(parser, ":") ? parse_choice(parser) : 0;
		if (!node.third || is_text(parser, index) || is_text(parser, node.right) != is_text(parser, node.third))
			return 0;
		node.is_text = is_text(parser, node.right);
		index = add_node(parser, node);
	}
	parser->depth--;
	return index;
}

enum status print_expression_compile(struct text_span text, const char *field, const char *where,
				     struct print_expression **expression, struct error *err)
{
	struct print_expression *made = xcalloc(1, sizeof(*made) + NODES_MAX * sizeof(*made->nodes));
	struct parser parser = {.rest = text, .field = field, .expression = made};

	made->count = 1; /* node 0 is none */
	made->root = parse_choice(&parser);
	skip_space(&parser);
	if (made->root && parser.rest.length == 0 && is_text(&parser, made->root)) {
		/* A trace may have thousands of these; release unused memory. */
		*expression = xreallocarray(made, 1, sizeof(*made) + made->count * sizeof(*made->nodes));
		return STATUS_OK;
	}
	/* An expression that yields no text, or continues with another operator, is valid C but not supported. */
	bool is_c =
	    parser.unsupported ||
	    (made->root && (parser.rest.length == 0 || (*parser.rest.text && strchr("<>*/%&|", *parser.rest.text))));
	free(made);
	if (!is_c)
		return error_set(err, STATUS_CORRUPT, where, "print fmt of %s is not a valid expression, at \"%.*s\"",
				 field, parser.rest.length > 40 ? 40 : (int)parser.rest.length, parser.rest.text);
	return error_set(err, STATUS_UNSUPPORTED, where, "print fmt of %s has an unsupported construct at \"%.*s\"",
			 field, parser.rest.length > 40 ? 40 : (int)parser.rest.length, parser.rest.text);
}

void print_expression_free(struct print_expression *expression)
{
	free(expression);
}

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

static void put_text(struct output *output, struct text_span text)
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

	put_text(output, (struct text_span){text, (size_t)length});
}

/* Each name whose bits are all set, in the table's order; then the remaining bits as a number. */
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
			put_text(output, flags->text);
		put_text(output, name->text);
		first = false;
	}
	if (bits) {
		if (!first)
			put_text(output, flags->text);
		put_hexadecimal(output, bits);
	}
}

static void put_symbol(struct output *output, const struct print_expression *expression, const struct node *symbols,
		       uint64_t number)
{
	for (uint16_t i = symbols->right; i; i = expression->nodes[i].right) {
		if (expression->nodes[i].number == number) {
			put_text(output, expression->nodes[i].text);
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
		put_text(&output, node->text);
	else if (node->operation == OP_FLAGS)
		put_flags(&output, expression, node, evaluate(expression, node->left, value));
	else
		put_symbol(&output, expression, node, evaluate(expression, node->left, value));
	return output.length;
}
