/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "capture/instance.h"
#include "capture/tracefs.h"
#include "cmd/commands.h"

/* TRACE_MARKER_MAX_SIZE of newer kernels is longer; older ones cut at a page less the record's own fields. */
enum { TEXT_MAX = 1000 };

static const struct option options[] = {
    {.name = NULL},
};

struct marking {
	const char *text;
	unsigned int written;
	struct error failure; /* the first */
};

/* EBADF: its picknext is setting up or saving. ENODEV, ENOENT: the instance is being removed. */
static bool is_temporary(int errnum)
{
	return errnum == EBADF || errnum == ENODEV || errnum == ENOENT;
}

static void write_mark(struct marking *marking, const char *directory)
{
	struct error failure = {0};

	if (tracefs_write(directory, "trace_marker", marking->text, &failure) == STATUS_OK) {
		marking->written++;
		message_detail("marked in %s", directory);
	} else if (marking->failure.status == STATUS_OK && !is_temporary(failure.errnum)) {
		marking->failure = failure;
	}
}

static void mark_instance(void *context, const char *directory)
{
	struct marking *marking = context;

	write_mark(marking, directory);
}

static enum status mark(const char *text, struct error *err)
{
	char tracefs[TRACEFS_PATH_SIZE];
	struct marking marking = {.text = text};
	enum status status = tracefs_find(tracefs, sizeof(tracefs), err);

	if (status != STATUS_OK)
		return status;
	instance_for_each(tracefs, mark_instance, &marking);
	if (marking.failure.status != STATUS_OK) {
		*err = marking.failure;
		return err->status;
	}
	if (marking.written)
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, "mark", "no picknext is recording");
	return error_remedy(err, "start one: picknext record -- COMMAND");
}

static int run(const struct call *call)
{
	struct error err = {0};

	const char *text = call->operands.items[0];
	if (text[0] == '\0' || strlen(text) > TEXT_MAX) {
		error_set(&err, STATUS_USAGE, "mark", "a mark has 1 to %d bytes, not %zu", TEXT_MAX, strlen(text));
		return message_error(&err);
	}
	return mark(text, &err) == STATUS_OK ? 0 : message_error(&err);
}

const struct command command_mark = {
    .name = "mark",
    .summary = "write a text into the running recordings (root)",
    .operands = "TEXT",
    .operands_min = 1,
    .operands_max = 1,
    .details =
	"Writes TEXT to the trace_marker of every running picknext. A traced program can do the same by itself (see\n"
	"picknext record --help). The mark is in the trace between the scheduler's events; trace-cmd report shows\n"
	"it as print.",
    .examples = "  sudo picknext mark \"second phase\"\n"
		"  sudo picknext record -- sh -c 'make; picknext mark built; make test'",
    .options = options,
    .run = run,
};
