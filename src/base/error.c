/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"

static enum status fill_error(struct error *err, enum status status, int errnum, const char *where, const char *what,
			      va_list args)
{
	if (!err)
		return status;
	err->status = status;
	err->errnum = errnum;
	/* where and args may point into *err: a caller may refine an error. */
	char place[sizeof(err->where)];
	char text[sizeof(err->what)];
	snprintf(place, sizeof(place), "%s", where ? where : "");
	vsnprintf(text, sizeof(text), what, args);
	memcpy(err->where, place, sizeof(place));
	memcpy(err->what, text, sizeof(text));
	err->remedy[0] = '\0';
	return status;
}

enum status error_set(struct error *err, enum status status, const char *where, const char *what, ...)
{
	va_list args;
	va_start(args, what);
	fill_error(err, status, 0, where, what, args);
	va_end(args);
	return status;
}

enum status error_system(struct error *err, int errnum, const char *where, const char *what, ...)
{
	va_list args;
	va_start(args, what);
	fill_error(err, STATUS_SYSTEM, errnum, where, what, args);
	va_end(args);
	return STATUS_SYSTEM;
}

enum status error_remedy(struct error *err, const char *remedy, ...)
{
	if (!err)
		return STATUS_SYSTEM;
	va_list args;
	va_start(args, remedy);
	vsnprintf(err->remedy, sizeof(err->remedy), remedy, args);
	va_end(args);
	return err->status;
}

/* A default remedy, for an error without one. */
static const char *remedy_of(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
		return "free space, or write to another disk";
	case EACCES:
		return "use sudo, or a user with permission";
	case EROFS:
		return "write to another directory";
	default:
		return "";
	}
}

void error_text(const struct error *err, char *text, unsigned long size)
{
	char line[2 * sizeof(struct error)];
	const char *reason = "", *remedy = err->remedy;
	if (err->errnum && err->status == STATUS_SYSTEM) {
		reason = strerror(err->errnum);
		remedy = remedy[0] ? remedy : remedy_of(err->errnum);
	}
	snprintf(line, sizeof(line), "%s%s%s%s%s%s%s", err->where, err->where[0] ? ": " : "", err->what,
		 reason[0] ? ": " : "", reason, remedy[0] ? "; " : "", remedy);
	escape_line(line, strlen(line), text, size);
}

/* True if the reason is the current state of the host, not the request. */
static int is_temporary(int errnum)
{
	return errnum == ENOSPC || errnum == EDQUOT || errnum == ENOMEM || errnum == EAGAIN || errnum == ENFILE;
}

int error_exit_code(const struct error *err)
{
	switch (err->status) {
	case STATUS_OK:
	case STATUS_END:
		return 0;
	case STATUS_USAGE:
		return 2;
	case STATUS_CORRUPT:
	case STATUS_UNSUPPORTED:
		return 3;
	case STATUS_SYSTEM:
		return is_temporary(err->errnum) ? EXIT_TEMPORARY : 4;
	case STATUS_LOST:
		return 5;
	case STATUS_GUEST:
		return 6;
	case STATUS_INTERRUPTED:
		return 128 + err->errnum;
	}
	return 4;
}

const struct exit_code exit_code_table[] = {
    {"0", "done"},
    {"1", "a gate of compare failed; diff or verify found a difference; check found that boots are missing; check-rule "
	  "found a decision against the rule or a broken invariant; a command "
	  "traced by collect failed (its traces are "
	  "kept)"},
    {"2", "wrong usage; an output would replace a trace, the metadata of a run, or a record of picknext vm"},
    {"3", "corrupt or unsupported input"},
    {"4", "a system call failed, and would fail again: no permission, no such file, no tracefs"},
    {"5", "the data cannot be trusted: events were lost, a run's command failed, or check found another defect that "
	  "affects results (check-rule then exits with 5, whatever it finds); a gate of compare is inconclusive "
	  "(--inconclusive fail)"},
    {"6", "the guest died, hung or timed out, or the job in it failed"},
    {"75", "the host lacked resources: disk or quota full, out of memory; the same command can succeed later "
	   "or elsewhere"},
    {"124", "record --until ended before a wait met its condition"},
    {"129, 130, 143", "interrupted by SIGHUP, SIGINT, SIGTERM; cleaned up"},
    {NULL, NULL},
};
