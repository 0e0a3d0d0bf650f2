/* SPDX-License-Identifier: MIT */
#include "record/stack_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "trace/cpu_reader.h"
#include "trace/format/kernel_stack.h"
#include "trace/format/kernel_symbols.h"
#include "trace/format/tracedat_read.h"
#include "trace/migration_cause.h"

static const char kallsyms[] = "/proc/kallsyms";

/* The nearest symbol at or before an address. */
struct nearest {
	uint64_t address;
	char line[128];
};

/* Distinct addresses, by open addressing. */
struct addresses {
	uint64_t slots[2 * STACK_ADDRESSES_MAX];
	size_t count;
};

static void add_address(struct addresses *addresses, uint64_t address)
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

static enum status find_addresses(const struct tracedat *trace, const char *path, struct addresses *addresses,
				  struct error *err)
{
	struct kernel_stack_layout layout;
	struct cpu_reader reader;
	uint64_t stack[64];
	enum status status = STATUS_END;

	kernel_stack_layout_make(&trace->events, trace->layout.commit_size, &layout);
	for (size_t i = 0; i < trace->cpu_count && status == STATUS_END; i++) {
		cpu_reader_start(&reader, trace, &trace->cpus[i], path);
		while ((status = cpu_reader_next(&reader, err)) == STATUS_OK) {
			if (!kernel_stack_is(&layout, &reader.record))
				continue;
			size_t count = kernel_stack_read(&layout, &reader.record, stack, 64);
			for (size_t k = 0; k < count; k++)
				add_address(addresses, stack[k]);
		}
	}
	if (status != STATUS_END)
		return status;
	size_t kept = 0;
	for (size_t i = 0; i < 2 * STACK_ADDRESSES_MAX; i++)
		if (addresses->slots[i])
			addresses->slots[kept++] = addresses->slots[i];
	qsort(addresses->slots, kept, sizeof(uint64_t), by_value);
	return STATUS_OK;
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

enum status stack_symbols_read(const uint64_t *addresses, size_t count, struct buffer *lines, size_t *found,
			       struct error *err)
{
	struct nearest *nearest = xcalloc(count + 1, sizeof(*nearest));

	*found = 0;
	struct search search = {addresses, count, nearest};
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

/* Writes as many complete lines as fit. */
static enum status write_symbols(const char *path, off_t offset, size_t room, const struct buffer *lines,
				 struct error *err)
{
	size_t length = lines->length < room ? lines->length : room;

	while (length && lines->data[length - 1] != '\n')
		length--;
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return error_system(err, errno, path, "cannot write");
	enum status status = STATUS_OK;
	if (lseek(fd, offset, SEEK_SET) < 0)
		status = error_system(err, errno, path, "cannot write");
	if (status == STATUS_OK)
		status = file_write_all(fd, lines->data, length, path, err);
	close(fd);
	return status;
}

static enum status store(const char *path, const struct mapping *file, const struct tracedat *trace, struct error *err)
{
	struct addresses *addresses = xcalloc(1, sizeof(*addresses));
	struct buffer lines = {0};
	size_t found = 0;

	enum status status = find_addresses(trace, path, addresses, err);
	if (status == STATUS_OK && addresses->count)
		status = stack_symbols_read(addresses->slots, addresses->count, &lines, &found, err);
	if (status == STATUS_OK && found)
		status = write_symbols(path, (off_t)((const uint8_t *)trace->kallsyms - file->bytes),
				       trace->kallsyms_size, &lines, err);
	if (status == STATUS_OK && addresses->count && !found)
		message_warning("%s: the kernel hides its addresses, so its stacks have no names; "
				"set sysctl kernel.kptr_restrict=0 to show them",
				path);
	buffer_free(&lines);
	free(addresses);
	return status;
}

enum status stack_symbols_store(const char *path, struct error *err)
{
	struct mapping file;
	struct tracedat trace;
	enum status status = file_map(path, &file, err);

	if (status != STATUS_OK)
		return status;
	status = tracedat_parse(file.bytes, file.length, path, &trace, err);
	if (status == STATUS_OK) {
		if (trace.kallsyms_size)
			status = store(path, &file, &trace, err);
		tracedat_free(&trace);
	}
	file_unmap(&file);
	return status;
}
