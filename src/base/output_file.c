/* SPDX-License-Identifier: MIT */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/filter.h"
#include "base/interrupt.h"
#include "base/number.h"

enum {
	WINDOW = 4096,         /* bytes of the beginning and of the end that are looked at */
	SHAPE_MIN = 16,        /* a shorter beginning or end shows nothing */
	SHAPE_LINES = 4,       /* of a beginning */
	TEMPORARIES = 1000,    /* names that are tried */
	PACKED_MAX = 64 << 20, /* bytes of an initramfs, unpacked */
};

/* Of renameat2(2): musl has no linux/fs.h. */
#ifndef RENAME_NOREPLACE
enum { RENAME_NOREPLACE = 1, RENAME_EXCHANGE = 2 };
#endif

/* A string literal with its length: it may hold NUL. */
#define BYTES(text) (text), sizeof(text) - 1

struct signature {
	const char *begins;
	size_t begins_length;
	const char *has; /* somewhere in the first WINDOW bytes; NULL: nothing more */
	size_t has_length;
};

/* Without begins: nothing is known from a fixed text. */
static const struct signature signatures[] = {
    [OUTPUT_RESULT] = {NULL, 0, NULL, 0},
    [OUTPUT_TRACE] = {BYTES("\x17\x08\x44tracing"), NULL, 0},
    [OUTPUT_RUN] = {BYTES("{\n  \"trace_id\": \""), NULL, 0},
    [OUTPUT_LAUNCH] = {BYTES("{\n  \"kernel\": {"), BYTES("\"release\": ")},
    [OUTPUT_PLAN] = {BYTES("{\n  \"plan\": \""), BYTES("\"identity\": ")},
    [OUTPUT_LOG] = {NULL, 0, NULL, 0},
    [OUTPUT_OVERHEAD] = {BYTES("{\n  \"workload_name\": \""), BYTES("\n  \"work_unit\": \"")},
    [OUTPUT_DATASET] = {BYTES("timestamp,time_diff,task_name,pid,"), NULL, 0},
    [OUTPUT_DECISIONS] = {BYTES("trace_id,workload_type,category,kernel,"), NULL, 0},
    [OUTPUT_CARD] = {BYTES("---\nconfigs:\n- config_name: default\n"), BYTES("\n- picknext\n")},
    [OUTPUT_CROISSANT] = {BYTES("{\n  \"@context\": {\n"), BYTES("http://mlcommons.org/croissant/")},
    [OUTPUT_DATASET_META] = {BYTES("{\n  \"total_events\": "), NULL, 0},
    [OUTPUT_PAGE] = {BYTES("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"),
		     BYTES("picknext report</title>")},
    [OUTPUT_CHART] = {BYTES("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "),
		      BYTES(" role=\"img\" aria-labelledby=\"")},
    [OUTPUT_JUNIT] = {BYTES("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"picknext "), NULL, 0},
    [OUTPUT_BASELINE] = {BYTES("task_code,time,name,pid"), NULL, 0},
    /* The first packet: of sequence 1, a snapshot of the clocks. */
    [OUTPUT_PERFETTO] = {BYTES("\n"), BYTES("h\x01\x32")},
    [OUTPUT_KERNEL_TEXT] = {BYTES("# tracer: "), NULL, 0},
    [OUTPUT_PERIODS] = {BYTES("# version "), BYTES("\n# period_msec ")},
    [OUTPUT_INITRAMFS] = {BYTES("\x1f\x8b\x08"), NULL, 0},
};

enum { KINDS = sizeof(signatures) / sizeof(*signatures) };

struct existing {
	char begin[WINDOW], end[WINDOW];
	size_t begin_length, end_length;
};

static bool may_replace;

void output_allow_replacing(void)
{
	may_replace = true;
}

bool output_may_replace(void)
{
	return may_replace;
}

/* --- Names of open descriptors --- */

static bool is_standard_output(const char *path)
{
	return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* The number in /dev/fd/N and the like, or -1. The file that such a name leads to must not be replaced. */
static int descriptor_of(const char *path)
{
	static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t number;

	if (is_standard_output(path))
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(directories[i]);
		if (strncmp(path, directories[i], length) == 0 && number_parse_u64(path + length, &number) &&
		    number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

/* --- What a file is --- */

static bool matches(const struct existing *file, enum output_kind kind)
{
	const struct signature *signature = &signatures[kind];

	if (!signature->begins || file->begin_length < signature->begins_length ||
	    memcmp(file->begin, signature->begins, signature->begins_length) != 0)
		return false;
	return !signature->has ||
	       memmem(file->begin, file->begin_length, signature->has, signature->has_length) != NULL;
}

static ssize_t read_at(int fd, char *to, off_t offset)
{
	ssize_t got;

	do
		got = pread(fd, to, WINDOW, offset);
	while (got < 0 && errno == EINTR);
	return got;
}

static bool read_ends(int fd, off_t size, struct existing *file)
{
	ssize_t begin = read_at(fd, file->begin, 0);
	ssize_t end = read_at(fd, file->end, size > WINDOW ? size - WINDOW : 0);

	file->begin_length = begin > 0 ? (size_t)begin : 0;
	file->end_length = end > 0 ? (size_t)end : 0;
	return begin >= 0 && end >= 0;
}

/* Adds a line without what differs between two runs of a command: numbers, widths of columns, values of JSON. */
static void add_shape(const char *line, size_t length, bool is_json, struct buffer *out)
{
	const char *colon = is_json ? memmem(line, length, "\": ", 3) : NULL;
	char last = '\n';

	if (colon)
		length = (size_t)(colon - line);
	for (size_t i = 0; i < length; i++) {
		char at = line[i];
		if (at >= '0' && at <= '9')
			at = '0';
		else if (at == '\t' || at == '\r')
			at = ' ';
		else if ((at == ',' || at == '.') && last == '0' && i + 1 < length && line[i + 1] >= '0' &&
			 line[i + 1] <= '9')
			continue;
		if ((at == '0' || at == ' ' || at == '-') && at == last)
			continue;
		buffer_add(out, &at, 1);
		last = at;
	}
	buffer_add(out, "\n", 1);
}

static void add_beginning(const struct existing *file, struct buffer *out)
{
	bool is_json = file->begin_length && (file->begin[0] == '{' || file->begin[0] == '[');
	size_t at = 0;

	for (int lines = 0; at < file->begin_length && lines < SHAPE_LINES && out->length < SHAPE_MIN; lines++) {
		const char *line = file->begin + at;
		const char *newline = memchr(line, '\n', file->begin_length - at);
		size_t length = newline ? (size_t)(newline - line) : file->begin_length - at;
		add_shape(line, length, is_json, out);
		at += length + 1;
	}
}

static void add_ending(const struct existing *file, struct buffer *out)
{
	size_t end = file->end_length;

	while (end && (file->end[end - 1] == '\n' || file->end[end - 1] == ' '))
		end--;
	size_t begin = end;
	while (begin && file->end[begin - 1] != '\n')
		begin--;
	add_shape(file->end + begin, end - begin, false, out);
}

static bool is_alike(const struct existing *file, const struct existing *fresh,
		     void (*add)(const struct existing *file, struct buffer *out))
{
	struct buffer was = {0}, is = {0};

	add(file, &was);
	add(fresh, &is);
	bool alike = !was.failed && !is.failed && was.length >= SHAPE_MIN && was.length == is.length &&
		     memcmp(was.data, is.data, was.length) == 0;
	buffer_free(&was);
	buffer_free(&is);
	return alike;
}

/* Before the result is there, only what is certainly none is refused. */
static bool is_result(const struct existing *file, const char *fresh_path)
{
	struct existing fresh;
	struct stat info;

	for (size_t kind = 0; kind < KINDS; kind++)
		if (matches(file, (enum output_kind)kind))
			return false;
	if (!fresh_path)
		return !memchr(file->begin, '\0', file->begin_length);
	int fd = open(fresh_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	bool is_read = fstat(fd, &info) == 0 && read_ends(fd, info.st_size, &fresh);
	close(fd);
	return is_read && (is_alike(file, &fresh, add_beginning) || is_alike(file, &fresh, add_ending));
}

/* A gzip with picknext in it: other initramfs of the machine must not be replaced by it. */
static bool is_initramfs(const char *path)
{
	static const char *const unpack[] = {"gzip", "-dc", NULL};
	struct buffer packed = {0}, unpacked = {0};
	bool found =
	    file_read(path, PACKED_MAX, &packed, NULL) == STATUS_OK &&
	    filter_through(unpack, packed.data, packed.length, PACKED_MAX, &unpacked, path, NULL) == STATUS_OK &&
	    memmem(unpacked.data, unpacked.length, "bin/picknext", 13) != NULL;

	buffer_free(&packed);
	buffer_free(&unpacked);
	return found;
}

/* DIR/NAME or DIR/raw/NAME, where DIR has raw or vm.json: a directory of a kernel that vm made. */
static bool is_of_vm(const char *path)
{
	static const char *const marks[] = {"vm.json", "../vm.json", "raw", "../raw"};
	const char *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) + 1 : 0;
	char mark[PATH_MAX];

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (snprintf(mark, sizeof(mark), "%.*s%s", length, path, marks[i]) < (int)sizeof(mark) &&
		    access(mark, F_OK) == 0)
			return true;
	return false;
}

static enum status refuse(const char *path, const struct existing *file, struct error *err)
{
	bool is_of_run = matches(file, OUTPUT_TRACE) || matches(file, OUTPUT_RUN);

	error_set(err, STATUS_USAGE, path,
		  is_of_run ? "belongs to a recorded run" : "exists, and is not what this command writes");
	error_remedy(err, "choose another file, or replace this one with --force");
	return STATUS_USAGE; /* err may be NULL */
}

static enum status judge_open(int fd, const char *path, enum output_kind kind, const char *fresh, struct error *err)
{
	struct existing file;
	struct stat info;

	if (fstat(fd, &info) < 0)
		return error_system(err, errno, path, "cannot look at");
	if (S_ISDIR(info.st_mode))
		return error_set(err, STATUS_USAGE, path, "is a directory; a file has to be written there");
	if (!S_ISREG(info.st_mode) || may_replace)
		return STATUS_OK;
	if (!read_ends(fd, info.st_size, &file))
		return error_system(err, errno, path, "cannot look at");
	bool is_own = kind == OUTPUT_LOG         ? is_of_vm(path)
		      : info.st_size == 0        ? true
		      : kind == OUTPUT_RESULT    ? is_result(&file, fresh)
		      : kind == OUTPUT_INITRAMFS ? matches(&file, kind) && is_initramfs(path)
						 : matches(&file, kind);
	return is_own ? STATUS_OK : refuse(path, &file, err);
}

/* fresh: the file that is to be put there, or NULL. */
static enum status judge(const char *path, enum output_kind kind, const char *fresh, struct output_identity *identity,
			 struct error *err)
{
	struct stat info;
	int fd;

	*identity = (struct output_identity){0};
	if (descriptor_of(path) >= 0)
		return STATUS_OK;
	if (lstat(path, &info) < 0) {
		if (errno == ENOENT)
			return STATUS_OK;
		return error_system(err, errno, path, "cannot write");
	}
	*identity = (struct output_identity){true, info.st_dev, info.st_ino};
	if (stat(path, &info) < 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
		return STATUS_OK; /* a link to nothing, or no file */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		/* With --force nothing has to be read. */
		if (may_replace && errno == EACCES)
			return STATUS_OK;
		error_system(err, errno, path, "exists and cannot be read");
		return error_remedy(err, "choose another file, or replace this one with --force");
	}
	enum status status = judge_open(fd, path, kind, fresh, err);
	close(fd);
	return status;
}

enum status output_check(const char *path, enum output_kind kind, struct output_identity *identity, struct error *err)
{
	struct output_identity unused;

	return judge(path, kind, NULL, identity ? identity : &unused, err);
}

enum status output_check_open(int fd, const char *path, enum output_kind kind, struct error *err)
{
	return judge_open(fd, path, kind, NULL, err);
}

bool output_is(const struct output_identity *identity, const char *path)
{
	struct stat info;

	if (lstat(path, &info) < 0)
		return !identity->exists;
	return identity->exists && info.st_dev == identity->device && info.st_ino == identity->inode;
}

/* --- Two outputs --- */

/* The directory of path, and its name in it. */
static bool find_place(const char *path, struct stat *directory, const char **name)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX] = ".";

	*name = slash ? slash + 1 : path;
	if (slash && (size_t)(slash - path) + 1 < sizeof(parent))
		snprintf(parent, sizeof(parent), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	return stat(parent, directory) == 0;
}

static bool are_same(const char *path, const char *other)
{
	struct stat a, b;
	const char *name, *other_name;

	if (strcmp(path, other) == 0 || (is_standard_output(path) && is_standard_output(other)))
		return true;
	if (stat(path, &a) == 0 && stat(other, &b) == 0)
		return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	return find_place(path, &a, &name) && find_place(other, &b, &other_name) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino && strcmp(name, other_name) == 0;
}

enum status output_check_pair(const char *path, const char *option, const char *other, const char *other_option,
			      struct error *err)
{
	if (!path || !other || strcmp(path, "/dev/null") == 0 || !are_same(path, other))
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, path, "is the output of both %s and %s; choose two files", option,
			 other_option);
}

/* --- Streams --- */

enum status output_open_stream(const char *path, int *fd, struct error *err)
{
	struct stat info;
	int given = descriptor_of(path);

	*fd = -1;
	if (given >= 0)
		*fd = fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
		*fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		return STATUS_OK;
	if (*fd >= 0)
		return STATUS_OK;
	int reason = errno;
	if (reason == EINTR && interrupt_check(err) != STATUS_OK)
		return STATUS_INTERRUPTED;
	return error_system(err, reason, path, "cannot open");
}

/* --- Files --- */

enum status output_create(const char *path, char **temporary, int *fd, struct error *err)
{
	size_t size = strlen(path) + sizeof(".partial") + 8;

	*fd = -1;
	*temporary = malloc(size);
	if (!*temporary)
		return error_system(err, ENOMEM, path, "cannot write");
	/* A file of such a name may be that of another process, or what is left of one that was killed. */
	for (int i = 0; i < TEMPORARIES && *fd < 0; i++) {
		snprintf(*temporary, size, i ? "%s.partial%d" : "%s.partial", path, i);
		*fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (*fd < 0 && errno != EEXIST)
			break;
	}
	if (*fd >= 0) {
		file_give_open_to_sudo_user(*fd);
		return STATUS_OK;
	}
	error_system(err, errno, *temporary, "cannot create");
	free(*temporary);
	*temporary = NULL;
	return error_remedy(err, "choose another file with -o");
}

static int rename_with(const char *from, const char *to, unsigned int flags)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

static enum status refuse_changed(const char *path, struct error *err)
{
	return error_set(err, STATUS_SYSTEM, path, "another process has put a file there meanwhile, which stays");
}

/* 0, or -1 with errno; EEXIST: not what was judged. */
static int put_judged(const char *temporary, const char *path, const struct output_identity *identity)
{
	int result = rename_with(temporary, path, identity->exists ? RENAME_EXCHANGE : RENAME_NOREPLACE);

	if (result < 0 && (errno == EINVAL || errno == ENOSYS)) {
		/* A file system without these flags. */
		if (output_is(identity, path))
			return rename(temporary, path);
		errno = EEXIST;
		return -1;
	}
	if (result < 0 || !identity->exists) {
		if (result < 0 && errno == ENOENT)
			errno = EEXIST; /* it is gone */
		return result;
	}
	if (output_is(identity, temporary))
		return unlink(temporary);
	rename_with(temporary, path, RENAME_EXCHANGE);
	errno = EEXIST;
	return -1;
}

enum status output_put(const char *temporary, const char *path, enum output_kind kind, struct error *err)
{
	struct output_identity identity;

	/* What appeared after the judgement is judged too, once. */
	for (int attempt = 0; attempt < 2; attempt++) {
		enum status status = judge(path, kind, temporary, &identity, err);
		if (status != STATUS_OK)
			return status;
		if (put_judged(temporary, path, &identity) == 0)
			return STATUS_OK;
		if (errno != EEXIST)
			return error_system(err, errno, path, "cannot put in place");
	}
	return refuse_changed(path, err);
}

enum status output_keep_old(const char *path, enum output_kind kind, bool check_only, bool *kept, struct error *err)
{
	char old[PATH_MAX];
	struct stat existing;

	*kept = !is_standard_output(path) && lstat(path, &existing) == 0 && S_ISREG(existing.st_mode);
	if (!*kept)
		return STATUS_OK;
	if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		return error_set(err, STATUS_USAGE, path, "path is too long");
	enum status status = output_check(old, kind, NULL, err);
	if (status == STATUS_OK && !check_only && rename(path, old) < 0)
		status = error_system(err, errno, path, "cannot rename to %s", old);
	return status;
}

static enum status write_file(const char *path, enum output_kind kind, const void *bytes, size_t length,
			      struct error *err)
{
	char *temporary;
	int fd;
	enum status status = output_create(path, &temporary, &fd, err);

	if (status != STATUS_OK)
		return status;
	status = file_write_all(fd, bytes, length, temporary, err);
	if (status == STATUS_OK && fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		status = error_system(err, errno, temporary, "cannot write");
	if (close(fd) < 0 && status == STATUS_OK)
		status = error_system(err, errno, temporary, "cannot write");
	if (status == STATUS_OK)
		status = output_put(temporary, path, kind, err);
	if (status != STATUS_OK)
		unlink(temporary);
	free(temporary);
	return status;
}

enum status output_write(const char *path, enum output_kind kind, const void *bytes, size_t length, struct error *err)
{
	int fd;
	enum status status = output_open_stream(path, &fd, err);

	if (status != STATUS_OK)
		return status;
	if (fd < 0)
		return write_file(path, kind, bytes, length, err);
	status = file_write_all(fd, bytes, length, path, err);
	if (close(fd) < 0 && status == STATUS_OK)
		status = error_system(err, errno, path, "cannot write");
	return status;
}
