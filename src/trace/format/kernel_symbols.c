/* SPDX-License-Identifier: MIT */
#include "trace/format/kernel_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool kernel_symbol_parse(struct text_span line, struct kernel_symbol *symbol)
{
	size_t at = 0;
	uint64_t address = 0;

	for (; at < line.length && hex_digit(line.text[at]) >= 0; at++)
		address = address << 4 | (uint64_t)hex_digit(line.text[at]);
	if (at == 0 || at > 16 || line.length - at < 4 || line.text[at] != ' ' || line.text[at + 2] != ' ')
		return false;
	char kind = line.text[at + 1];
	const char *name = line.text + at + 3;
	size_t length = 0;
	while (length < line.length - at - 3 && name[length] != '\t' && name[length] != ' ')
		length++;
	*symbol = (struct kernel_symbol){
	    .address = address,
	    .name = {name, length},
	    .is_function = kind == 't' || kind == 'T' || kind == 'w' || kind == 'W',
	};
	return length > 0;
}

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *first = a;
	const struct kernel_symbol *second = b;

	return first->address < second->address ? -1 : first->address > second->address;
}

void kernel_symbols_make(struct text_span text, struct kernel_symbols *symbols)
{
	struct text_span rest = text;
	struct text_span line;
	struct kernel_symbol symbol;
	size_t functions = 0;

	*symbols = (struct kernel_symbols){0};
	while (text_span_line(&rest, &line))
		functions += kernel_symbol_parse(line, &symbol) && symbol.is_function;
	if (functions == 0)
		return;
	symbols->symbols = xcalloc(functions, sizeof(*symbols->symbols));
	for (rest = text; text_span_line(&rest, &line);) {
		if (kernel_symbol_parse(line, &symbol) && symbol.is_function)
			symbols->symbols[symbols->count++] = symbol;
	}
	qsort(symbols->symbols, symbols->count, sizeof(*symbols->symbols), by_address);
}

const struct kernel_symbol *kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address)
{
	size_t low = 0;
	size_t high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &symbols->symbols[low - 1] : NULL;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	free(symbols->symbols);
	*symbols = (struct kernel_symbols){0};
}
