/* SPDX-License-Identifier: MIT */
#include "record/read_back.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "record/stack_symbols.h"
#include "trace/format/kernel_stack.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"

void read_back_check_clock(const char *clock)
{
	if (!sched_clock_counts_ns(clock))
		message_warning(
		    "the trace clock %s does not count nanoseconds: trace-cmd report reads such a trace, but "
		    "picknext's other commands refuse it; leave out --clock",
		    clock);
}

struct stacks {
	struct kernel_stack_layout layout;
	struct stack_addresses addresses;
};

static void add_stack(void *context, const struct ring_record *record)
{
	struct stacks *stacks = context;
	uint64_t stack[64];

	if (!kernel_stack_is(&stacks->layout, record))
		return;
	size_t count = kernel_stack_read(&stacks->layout, record, stack, 64);
	for (size_t i = 0; i < count; i++)
		stack_addresses_add(&stacks->addresses, stack[i]);
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

static enum status read_stacks(const struct mapping *file, const struct tracedat *trace, const char *path,
			       struct trace_survey *survey, struct error *err)
{
	struct stacks *stacks = xcalloc(1, sizeof(*stacks));
	const struct trace_survey_visitor visitor = {add_stack, stacks};
	struct buffer lines = {0};
	size_t found = 0;

	kernel_stack_layout_make(&trace->events, trace->layout.commit_size, &stacks->layout);
	enum status status = trace_survey_make(trace, path, &visitor, survey, err);
	size_t count = stacks->addresses.count;
	if (status == STATUS_OK && count)
		status = stack_symbols_read(&stacks->addresses, &lines, &found, err);
	if (status == STATUS_OK && found)
		status = write_symbols(path, (off_t)((const uint8_t *)trace->kallsyms - file->bytes),
				       trace->kallsyms_size, &lines, err);
	if (status == STATUS_OK && count && !found)
		message_warning("%s: the kernel hides its addresses, so its stacks have no names; "
				"set sysctl kernel.kptr_restrict=0 to show them",
				path);
	buffer_free(&lines);
	free(stacks);
	return status;
}

enum status trace_read_back(const char *path, struct trace_survey *survey, struct error *err)
{
	struct mapping file;
	struct tracedat trace;
	enum status status = file_map(path, &file, err);

	if (status != STATUS_OK)
		return status;
	status = tracedat_parse(file.bytes, file.length, path, &trace, err);
	if (status == STATUS_OK) {
		status = trace.kallsyms_size ? read_stacks(&file, &trace, path, survey, err)
					     : trace_survey_make(&trace, path, NULL, survey, err);
		tracedat_free(&trace);
	}
	file_unmap(&file);
	return status;
}
