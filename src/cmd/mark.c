/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/build.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "record/tracefs/instance.h"

/* Within the limits of all kernels: a page minus the record's fields, or TRACE_MARKER_MAX_SIZE. */
enum { TEXT_MAX = 1000 };

static const struct option options[] = {
    {.name = NULL},
};

static int run_mark(const struct call *call)
{
	struct error err = {0};

	const char *text = call->operands.items[0];
	if (text[0] == '\0' || strlen(text) > TEXT_MAX) {
		error_set(&err, STATUS_USAGE, "mark", "a mark has 1 to %d bytes, not %zu", TEXT_MAX, strlen(text));
		return message_error(&err);
	}
	return instance_mark_all(text, &err) == STATUS_OK ? 0 : message_error(&err);
}

const struct command command_mark = {
    .name = "mark",
    .summary = HELP("write a text into the running recordings (root)"),
    .operands = "TEXT",
    .operands_min = 1,
    .operands_max = 1,
    .details = HELP(
	"Writes TEXT to the trace_marker of every running picknext. A traced program can do the same by itself (see\n"
	"picknext record --help). The mark is in the trace between the scheduler's events; trace-cmd report shows\n"
	"it as print."),
    .examples = HELP("  sudo picknext mark \"second phase\"\n"
		     "  sudo picknext record -- sh -c 'make; picknext mark built; make test'"),
    .options = options,
    .run = run_mark,
};
