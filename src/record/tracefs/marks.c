/* SPDX-License-Identifier: MIT */
#include "record/tracefs/marks.h"

#include <errno.h>

#include "base/message.h"
#include "record/tracefs/instance.h"
#include "record/tracefs/tracefs.h"

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

enum status marks_write(const char *text, struct error *err)
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
