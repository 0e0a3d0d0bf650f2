/* SPDX-License-Identifier: MIT
 *
 * Kernel functions by address, from lines of /proc/kallsyms: "ffffffff81000000 T _stext [module]". Input is hostile:
 * malformed lines are skipped. */
#ifndef TRACE_FORMAT_KERNEL_SYMBOLS_H
#define TRACE_FORMAT_KERNEL_SYMBOLS_H

#include "trace/format/event_format.h"

struct kernel_symbol {
	uint64_t address;
	struct text_span name; /* without the module; not empty */
	bool is_function;      /* in a text section, strong or weak */
};

/* Reads one line (without its newline); false if it is no symbol. */
bool kernel_symbol_parse(struct text_span line, struct kernel_symbol *symbol);

struct kernel_symbols {
	struct kernel_symbol *symbols; /* functions, by address */
	size_t count;
};

/* The names point into text, which must outlive *symbols. */
void kernel_symbols_make(struct text_span text, struct kernel_symbols *symbols);
/* The last function that begins at or before the address. NULL if the address is before the first function. */
const struct kernel_symbol *kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address);
void kernel_symbols_free(struct kernel_symbols *symbols);

#endif
