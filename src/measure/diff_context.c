/* SPDX-License-Identifier: MIT */
#include "measure/diff_context.h"

#include <stdlib.h>

#include "base/memory.h"
#include "measure/diff_cursor.h"
#include "measure/edit_distance.h"

static enum status read_lines(struct trace_diff *diff, struct diff_context *context, uint32_t wanted, int run,
			      struct error *err)
{
	struct diff_cursor cursor;
	uint64_t prefix = diff->first->alignment.prefix;
	enum status status = diff_cursor_open(diff, run, diff->first->cpu, &cursor, err);

	context->before = prefix < wanted ? (uint32_t)prefix : wanted;
	while (status == STATUS_OK && context->counts[run] < context->before + 2 * wanted) {
		status = diff_cursor_next(&cursor, err);
		if (status != STATUS_OK || cursor.read + context->before <= prefix)
			continue;
		uint32_t at = context->counts[run]++;
		context->symbols[run][at] = cursor.symbol;
		context->lines[run][at] =
		    (struct diff_context_line){cursor.event.ts_ns, cursor.read, context->texts.length};
		diff_cursor_words(&cursor, &context->texts);
		buffer_add(&context->texts, "", 1);
	}
	context->ended[run] = status == STATUS_END;
	diff_cursor_close(&cursor);
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status align_lines(struct diff_context *context, struct error *err)
{
	uint32_t before = context->before;

	if (context->counts[0] < before || context->counts[1] < before)
		return error_set(err, STATUS_CORRUPT, "diff", "a trace changed while it was read");
	edit_script(context->symbols[0] + before, context->counts[0] - before, context->symbols[1] + before,
		    context->counts[1] - before, context->ops);
	return STATUS_OK;
}

enum status diff_context_read(struct trace_diff *diff, uint32_t size, struct diff_context **context, struct error *err)
{
	enum status status = STATUS_OK;

	*context = xcalloc(1, sizeof(**context));
	for (int run = 0; run < 2 && status == STATUS_OK; run++)
		status = read_lines(diff, *context, size, run, err);
	return status == STATUS_OK ? align_lines(*context, err) : status;
}

void diff_context_free(struct diff_context *context)
{
	if (context)
		buffer_free(&context->texts);
	free(context);
}
