/* SPDX-License-Identifier: MIT
 *
 * The one judge of output paths. A command replaces only files of the kind that it writes there, which their content
 * shows; anything else needs --force. So no output destroys a recorded run, its metadata, or a file of somebody else.
 * Standard output, devices and pipes are written to, never replaced. */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum output_kind {
	OUTPUT_RESULT,       /* text, CSV or JSON: the file begins or ends as the new one does, apart from numbers */
	OUTPUT_TRACE,        /* trace.dat */
	OUTPUT_RUN,          /* metadata of a run, JSON */
	OUTPUT_LAUNCH,       /* vm.json, and the records of cells */
	OUTPUT_PLAN,         /* plan.json of vm */
	OUTPUT_LOG,          /* any content, in a directory that vm made */
	OUTPUT_OVERHEAD,     /* JSON of overhead */
	OUTPUT_DATASET,      /* CSV of build, split and export */
	OUTPUT_DECISIONS,    /* CSV of build --task decision */
	OUTPUT_CARD,         /* README.md of build --card */
	OUTPUT_CROISSANT,    /* croissant.json */
	OUTPUT_DATASET_META, /* dataset_meta.json */
	OUTPUT_PAGE,         /* HTML of report */
	OUTPUT_CHART,        /* SVG of report */
	OUTPUT_JUNIT,
	OUTPUT_BASELINE,    /* CSV of export */
	OUTPUT_PERFETTO,    /* of export */
	OUTPUT_KERNEL_TEXT, /* of export */
	OUTPUT_PERIODS,     /* statistics of migrations */
	OUTPUT_INITRAMFS,   /* gzip */
};

/* --force: from now on any regular file may be replaced. */
void output_allow_replacing(void);
bool output_may_replace(void);

/* The name itself (a symbolic link is not followed), as it was judged. */
struct output_identity {
	bool exists;
	dev_t device;
	ino_t inode;
};

/* Before any work: STATUS_USAGE if path is a directory or a file that must not be replaced by this kind. Nothing is
 * changed. identity may be NULL. A result is judged again with its content by output_put(). */
enum status output_check(const char *path, enum output_kind kind, struct output_identity *identity, struct error *err);
/* The same for an open file, which the caller writes to in place. */
enum status output_check_open(int fd, const char *path, enum output_kind kind, struct error *err);
/* True if path is what was judged, or both are missing. */
bool output_is(const struct output_identity *identity, const char *path);
/* STATUS_USAGE if two outputs of a command are the same file, by whatever names. Either may be NULL. */
enum status output_check_pair(const char *path, const char *option, const char *other, const char *other_option,
			      struct error *err);

/* The descriptor of an output that is no file: a copy of standard output for "-" and /dev/stdout, an open device or
 * pipe. *fd is -1 for a file. */
enum status output_open_stream(const char *path, int *fd, struct error *err);
/* Creates a new file beside path for what output_put() will put there. *temporary: its name, to be freed. */
enum status output_create(const char *path, char **temporary, int *fd, struct error *err);
/* Judges path and renames temporary to it. The file that is replaced is the one that was judged: if another process
 * puts a different file there meanwhile, that one stays. After a failure temporary stays. */
enum status output_put(const char *temporary, const char *path, enum output_kind kind, struct error *err);
/* Renames a regular file at path to PATH.old, which must not exist or be of this kind too. *kept: whether there was
 * one. With check_only nothing is renamed. */
enum status output_keep_old(const char *path, enum output_kind kind, bool check_only, bool *kept, struct error *err);
/* Writes a whole output: a stream, or a file that is complete or as before. */
enum status output_write(const char *path, enum output_kind kind, const void *bytes, size_t length, struct error *err);

#endif
