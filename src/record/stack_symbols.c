/* SPDX-License-Identifier: MIT */
#include "record/stack_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/format/kernel_symbols.h"
#include "trace/migration_cause.h"

static const char kallsyms[] = "/proc/kallsyms";

/* The nearest symbol at or before an address. */
struct nearest {
	uint64_t address;
	char line[128];
};

void stack_addresses_add(struct stack_addresses *addresses, uint64_t address)
{
	const size_t mask = 2 * STACK_ADDRESSES_MAX - 1;
	size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	if (address == 0)
		return;
	for (; addresses->slots[at]; at = (at + 1) & mask)
		if (addresses->slots[at] == address)
			return;
	if (addresses->count < STACK_ADDRESSES_MAX) {
		addresses->slots[at] = address;
		addresses->count++;
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a;
	uint64_t second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

static void sort_addresses(struct stack_addresses *addresses)
{
	size_t kept = 0;

	for (size_t i = 0; i < 2 * STACK_ADDRESSES_MAX; i++)
		if (addresses->slots[i])
			addresses->slots[kept++] = addresses->slots[i];
	qsort(addresses->slots, kept, sizeof(uint64_t), by_value);
}

struct search {
	const uint64_t *addresses; /* sorted */
	size_t count;
	struct nearest *nearest; /* one per address */
};

/* Keeps the symbol for the first address at or after it, unless a nearer one is known. */
static void keep_nearest(void *context, const struct kernel_symbol *symbol, const char *line)
{
	const struct search *search = context;
	size_t low = 0;
	size_t high = search->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (search->addresses[middle] < symbol->address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == search->count || search->nearest[low].address >= symbol->address)
		return;
	search->nearest[low].address = symbol->address;
	snprintf(search->nearest[low].line, sizeof(search->nearest[low].line), "%.127s", line);
}

/* Called with each function of the running kernel; line is its line in /proc/kallsyms. */
typedef void symbol_taker(void *context, const struct kernel_symbol *symbol, const char *line);

static enum status walk_symbols(symbol_taker *take, void *context, struct error *err)
{
	FILE *file = fopen(kallsyms, "re");
	char line[600];

	if (!file)
		return error_system(err, errno, kallsyms, "cannot read");
	while (fgets(line, sizeof(line), file)) {
		struct kernel_symbol symbol;
		if (kernel_symbol_parse((struct text_span){line, strcspn(line, "\n")}, &symbol) && symbol.is_function &&
		    symbol.address)
			take(context, &symbol, line);
	}
	fclose(file);
	return STATUS_OK;
}

enum status stack_symbols_read(struct stack_addresses *addresses, struct buffer *lines, size_t *found,
			       struct error *err)
{
	size_t count = addresses->count;
	struct nearest *nearest = xcalloc(count + 1, sizeof(*nearest));
	struct search search = {addresses->slots, count, nearest};

	*found = 0;
	sort_addresses(addresses);
	enum status status = walk_symbols(keep_nearest, &search, err);
	for (size_t i = 0, last = SIZE_MAX; i < count && status == STATUS_OK; i++) {
		/* The function of the previous address may extend to this one. */
		if (i && nearest[i].address < nearest[i - 1].address)
			nearest[i] = nearest[i - 1];
		if (nearest[i].address == 0)
			continue;
		(*found)++;
		if (last == SIZE_MAX || nearest[last].address != nearest[i].address)
			buffer_printf(lines, "%.*s\n", (int)strcspn(nearest[i].line, "\n"), nearest[i].line);
		last = i;
	}
	free(nearest);
	return status;
}

enum { CAUSE_SYMBOLS_MAX = 128 };

struct cause_symbols {
	struct {
		uint64_t start, end;
		char name[64];
	} functions[CAUSE_SYMBOLS_MAX];
	size_t count;
};

static void find_function(void *context, const struct kernel_symbol *symbol, const char *line)
{
	struct cause_symbols *causes = context;

	(void)line;
	if (!migration_function_is_known(symbol->name) || causes->count == CAUSE_SYMBOLS_MAX)
		return;
	causes->functions[causes->count].start = symbol->address;
	causes->functions[causes->count].end = UINT64_MAX;
	snprintf(causes->functions[causes->count].name, sizeof(causes->functions[0].name), "%.*s",
		 (int)(symbol->name.length < 63 ? symbol->name.length : 63), symbol->name.text);
	causes->count++;
}

static void find_end(void *context, const struct kernel_symbol *symbol, const char *line)
{
	struct cause_symbols *causes = context;

	(void)line;
	for (size_t i = 0; i < causes->count; i++)
		if (symbol->address > causes->functions[i].start && symbol->address < causes->functions[i].end)
			causes->functions[i].end = symbol->address;
}

enum status stack_symbols_of_causes(struct buffer *lines, struct error *err)
{
	struct cause_symbols causes = {.count = 0};
	enum status status = walk_symbols(find_function, &causes, err);

	if (status == STATUS_OK)
		status = walk_symbols(find_end, &causes, err);
	for (size_t i = 0; i < causes.count && status == STATUS_OK; i++)
		buffer_printf(lines, "%" PRIx64 " t %s\n%" PRIx64 " t -\n", causes.functions[i].start,
			      causes.functions[i].name, causes.functions[i].end);
	return status;
}
