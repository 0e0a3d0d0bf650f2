/* SPDX-License-Identifier: MIT
 *
 * Errors: a function that can fail returns an enum status and describes the failure in a struct error that its caller
 * owns. Only a command (cmd/, and guest/ in the VM) prints an error and chooses the exit code. Two failures end the
 * program at once: lack of memory (base/memory.h), and a mapped file that was truncated (base/program.h). */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum status {
	STATUS_OK = 0,
	STATUS_END,         /* an iterator reached its end; not an error */
	STATUS_CORRUPT,     /* input contradicts its own format */
	STATUS_UNSUPPORTED, /* input is valid, but this version does not support it */
	STATUS_SYSTEM,      /* a system call failed: errnum is the reason */
	STATUS_USAGE,       /* the request is impossible */
	STATUS_LOST,        /* the data cannot be trusted: events were lost */
	STATUS_GUEST,       /* the virtual machine died, hung or timed out */
	STATUS_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP: errnum holds the signal */
};

/* where: the file, device or option, with the place in it ("a.dat: CPU 2, page 17"). what: the problem, without a full
 * stop; a whole sentence if where is empty ("--a and --b are mutually exclusive"). remedy: the action that helps, or
 * "". */
struct error {
	enum status status;
	int errnum;
	char where[512];
	char what[512];
	char remedy[512];
};

/* Fills err (may be NULL) and returns status, so that a failing function can end in
 * "return error_set(err, STATUS_CORRUPT, path, "header is %zu bytes long", n);".
 * where may be NULL. errnum and remedy start out empty. */
enum status error_set(struct error *err, enum status status, const char *where, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a system call that failed with errnum; status is STATUS_SYSTEM. */
enum status error_system(struct error *err, int errnum, const char *where, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a remedy. Returns err->status, or STATUS_SYSTEM if err is NULL. */
enum status error_remedy(struct error *err, const char *remedy, ...) __attribute__((format(printf, 2, 3)));

/* Writes "where: what: errno text; remedy" to text, on one line, always terminated, control characters escaped. */
void error_text(const struct error *err, char *text, unsigned long size);

/* The exit code of the command for this error: 2 usage, 3 corrupt or unsupported, 4 system, 5 lost, 6 guest, 75
 * temporary lack of resources, 128+signal interrupted, 0 for STATUS_OK and STATUS_END. */
int error_exit_code(const struct error *err);

/* The meaning of exit codes, for the manual. A row whose codes are NULL ends the table. */
struct exit_code {
	const char *codes; /* "5", or several: "129, 130, 143" */
	const char *meaning;
};
extern const struct exit_code exit_code_table[];

#endif
