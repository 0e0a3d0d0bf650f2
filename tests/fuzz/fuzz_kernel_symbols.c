/* SPDX-License-Identifier: MIT
 *
 * Lines as in /proc/kallsyms: the table is in order, and every address finds the function before it. */
#include <stdlib.h>
#include <string.h>

#include "trace/format/kernel_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_found(const struct kernel_symbols *symbols, uint64_t address)
{
	const struct kernel_symbol *found = kernel_symbols_find(symbols, address);

	if (found && (found->address > address || found < symbols->symbols ||
		      (size_t)(found - symbols->symbols) >= symbols->count))
		abort();
	if (!found && symbols->count && symbols->symbols[0].address <= address)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_symbols symbols;

	kernel_symbols_make((struct text_span){(const char *)data, size}, &symbols);
	for (size_t i = 0; i < symbols.count; i++) {
		const struct kernel_symbol *symbol = &symbols.symbols[i];
		const uint8_t *name = (const uint8_t *)symbol->name.text;
		if (symbol->name.length == 0 || name < data || symbol->name.length > size - (size_t)(name - data))
			abort();
		if (i && symbol->address < symbol[-1].address)
			abort();
		check_found(&symbols, symbol->address);
		check_found(&symbols, symbol->address - 1);
	}
	check_found(&symbols, 0);
	check_found(&symbols, UINT64_MAX);
	kernel_symbols_free(&symbols);
	return 0;
}
