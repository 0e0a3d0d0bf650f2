/* SPDX-License-Identifier: MIT */
#include "trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "trace/format/text_kind.h"
#include "trace/format/tracedat.h"
#include "trace/format/tracedat_layout.h"

#define COPY_BYTES ((size_t)1 << 16)
#define SAMPLE     TEXT_KIND_SAMPLE /* enough bytes to recognise the format */

/* An unnamed file: closing it deletes it. */
static int open_copy(const char **directory, struct error *err)
{
	*directory = getenv("TMPDIR");
	if (!*directory || !**directory)
		*directory = "/tmp";
	int fd = file_open_nameless(*directory);
	if (fd < 0) {
		error_system(err, errno, *directory, "cannot make a temporary file for the piped trace");
		error_remedy(err, "set TMPDIR to a directory that can be written to");
	}
	return fd;
}

/* Copies up to most bytes, or fewer at the end of the stream. */
static enum status copy_part(int from, int to, size_t most, const char *name, const char *directory, struct error *err)
{
	char *bytes = xmalloc(COPY_BYTES);
	enum status status = STATUS_OK;

	for (size_t copied = 0; status == STATUS_OK && copied < most;) {
		ssize_t got = read(from, bytes, most - copied < COPY_BYTES ? most - copied : COPY_BYTES);
		status = interrupt_check(err);
		if (status != STATUS_OK || got == 0)
			break;
		if (got < 0) {
			if (errno != EINTR)
				status = error_system(err, errno, name, "cannot read");
			continue;
		}
		copied += (size_t)got;
		status = file_write_all(to, bytes, (size_t)got, directory, err);
		if (status != STATUS_OK)
			error_remedy(err, "set TMPDIR to a directory with room for the whole trace");
	}
	free(bytes);
	return status;
}

static const struct text_kind *find_text_kind(const struct mapping *file)
{
	return text_kind_find((const char *)file->bytes, file->length);
}

static bool is_text(const struct mapping *file)
{
	const struct text_kind *kind = find_text_kind(file);

	return kind && !kind->refusal;
}

/* False if the first bytes are of no known format. */
static bool recognize(const struct mapping *file, input_recognizer *other, enum input_kind *kind)
{
	size_t compared = file->length < TRACEDAT_MAGIC_SIZE ? file->length : TRACEDAT_MAGIC_SIZE;

	*kind = INPUT_DAT;
	/* Also an empty file, or a file truncated within its first bytes. */
	if (compared == 0 || memcmp(file->bytes, TRACEDAT_MAGIC, compared) == 0 ||
	    (file->length >= 8 && memcmp(file->bytes, "PERFILE2", 8) == 0))
		return true;
	*kind = other && other(file->bytes, file->length) ? INPUT_OTHER : INPUT_TEXT;
	return *kind == INPUT_OTHER || is_text(file);
}

/* The trace of a page may come after a long viewer. */
static bool is_page(const struct mapping *file)
{
	struct ftrace_text text;

	ftrace_text_open(&text, (const char *)file->bytes, file->length);
	return text.is_page;
}

/* Copies only the beginning of input that is not a trace. */
static enum status copy_stream(int fd, int copied, const char *directory, input_recognizer *other, struct input *input,
			       struct error *err)
{
	enum status status = copy_part(fd, copied, SAMPLE, input->name, directory, err);

	if (status == STATUS_OK)
		status = file_map_open(copied, input->name, &input->file, err);
	if (status != STATUS_OK || input->file.length < SAMPLE ||
	    (!is_page(&input->file) && !recognize(&input->file, other, &input->kind)))
		return status;
	file_unmap(&input->file);
	status = copy_part(fd, copied, SIZE_MAX, input->name, directory, err);
	return status == STATUS_OK ? file_map_open(copied, input->name, &input->file, err) : status;
}

static enum status map_stream(int fd, input_recognizer *other, struct input *input, struct error *err)
{
	const char *directory;

	if (isatty(fd)) {
		error_set(err, STATUS_USAGE, input->name, "is a terminal, not a trace");
		return error_remedy(err, "name a file, or pipe a trace into picknext");
	}
	int copied = open_copy(&directory, err);
	if (copied < 0)
		return STATUS_SYSTEM;
	enum status status = copy_stream(fd, copied, directory, other, input, err);
	/* Standard input ("-") can be read a second time. */
	if (status == STATUS_OK && fd == STDIN_FILENO && lseek(copied, 0, SEEK_SET) == 0)
		dup2(copied, STDIN_FILENO);
	close(copied);
	return status;
}

static enum status map_file(struct input *input, int fd, input_recognizer *other, struct error *err)
{
	struct stat info;

	if (fstat(fd, &info) < 0)
		return error_system(err, errno, input->name, "cannot open");
	if (S_ISDIR(info.st_mode))
		return error_set(err, STATUS_USAGE, input->name, "is a directory, not a trace");
	/* The parent may have read the beginning of standard input. */
	if (!S_ISREG(info.st_mode) || lseek(fd, 0, SEEK_CUR) != 0)
		return map_stream(fd, other, input, err);
	input->device = info.st_dev;
	input->inode = info.st_ino;
	return file_map_open(fd, input->name, &input->file, err);
}

/* The command that unpacks a compressed file to standard output, or NULL. */
static const char *find_unpacker(const struct mapping *file)
{
	static const struct {
		char magic[5];
		const char *program;
	} kinds[] = {
	    {"\x1f\x8b", "zcat"},
	    {"\3757zX", "xzcat"},
	    {"\x28\xb5\x2f\xfd", "zstdcat"},
	    {"\x04\x22\x4d\x18", "lz4cat"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (file->length > 4 && memcmp(file->bytes, kinds[i].magic, strlen(kinds[i].magic)) == 0)
			return kinds[i].program;
	return NULL;
}

/* A bzImage: boot flag and magic of the setup header (Documentation/arch/x86/boot.rst). An Image of arm64: its magic.
 */
static bool is_kernel_image(const struct mapping *file)
{
	return (file->length > 0x206 && memcmp(file->bytes + 0x1fe, "\x55\xaa", 2) == 0 &&
		memcmp(file->bytes + 0x202, "HdrS", 4) == 0) ||
	       (file->length > 60 && memcmp(file->bytes + 56, "ARMd", 4) == 0);
}

static enum status refuse_file(const struct input *input, struct error *err)
{
	const char *program = find_unpacker(&input->file);

	error_set(err, STATUS_UNSUPPORTED, input->name,
		  program ? "is compressed" : "is neither a trace.dat nor the kernel's text trace");
	if (is_kernel_image(&input->file))
		return error_remedy(err, "it is a kernel: picknext vm -k boots and records it");
	if (program)
		return error_remedy(err, "unpack it: %s FILE | picknext COMMAND -", program);
	const struct text_kind *kind = find_text_kind(&input->file);
	if (kind) {
		error_set(err, STATUS_UNSUPPORTED, input->name, "%s", kind->refusal);
		return error_remedy(err, "%s", kind->remedy);
	}
	return error_remedy(err, "record one with picknext record or trace-cmd record");
}

/* Refuses two files in one, such as cat makes: the second one begins soon after the pages of the first one. */
static enum status refuse_joined(struct input *input, struct error *err)
{
	const uint8_t *bytes = input->file.bytes, *from = bytes + TRACEDAT_MAGIC_SIZE,
		      *end = bytes + input->file.length;

	for (size_t i = 0; i < input->trace.cpu_count; i++)
		if (input->trace.cpus[i].pages + input->trace.cpus[i].size > from)
			from = input->trace.cpus[i].pages + input->trace.cpus[i].size;
	const size_t rest = (size_t)(end - from);
	const uint8_t *second = memmem(from, rest < SAMPLE ? rest : SAMPLE, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE);
	if (!second)
		return STATUS_OK;
	const size_t at = (size_t)(second - bytes);
	tracedat_free(&input->trace);
	error_set(err, STATUS_UNSUPPORTED, input->name, "has a second trace.dat at byte %zu", at);
	return error_remedy(err, "give each trace a file: head -c %zu FILE >FIRST; tail -c +%zu FILE >SECOND", at,
			    at + 1);
}

/* The kernel writes a time into each page that it fills. Only the single page of a CPU without events may be zeros. */
static bool is_hole(const struct tracedat *trace, const struct tracedat_cpu *cpu, uint64_t at)
{
	static const uint8_t zeros[8];
	const uint8_t *page = cpu->pages + at;
	const bool has_events = cpu->size > trace->page_size || (cpu->has_stats && cpu->entries + cpu->read_events);

	return has_events && memcmp(page + trace->layout.timestamp_offset, zeros, 8) == 0 &&
	       memcmp(page + trace->layout.commit_offset, zeros, 4) == 0;
}

/* Refuses a file with a part that was never written, for example after a loss of power or an interrupted copy: events
 * are missing, and nothing else shows it. */
static enum status refuse_hole(struct input *input, struct error *err)
{
	const struct tracedat *trace = &input->trace;

	for (size_t i = 0; i < trace->cpu_count; i++) {
		const struct tracedat_cpu *cpu = &trace->cpus[i];
		for (uint64_t at = 0; at + trace->page_size <= cpu->size; at += trace->page_size) {
			if (!is_hole(trace, cpu, at))
				continue;
			error_set(err, STATUS_CORRUPT, input->name,
				  "page %" PRIu64 " of CPU %" PRIu32 " is a hole of zeros", at / trace->page_size,
				  cpu->cpu);
			tracedat_free(&input->trace);
			return error_remedy(err,
					    "a part of the file was never written; if it is a copy, copy it again");
		}
	}
	return STATUS_OK;
}

static const char *chosen_instance;

void input_choose_instance(const char *name)
{
	chosen_instance = name;
}

enum status input_parse_dat(struct input *input, struct error *err)
{
	return tracedat_parse_instance(input->file.bytes, input->file.length, input->name, chosen_instance,
				       &input->trace, err);
}

static enum status refuse_instance(const struct input *input, struct error *err)
{
	error_set(err, STATUS_USAGE, input->name, "has no instance '%s': it is a text trace", chosen_instance);
	return error_remedy(err, "leave out --instance, or give the trace file of that instance");
}

static enum status detect_kind(struct input *input, input_recognizer *other, struct error *err)
{
	if (!recognize(&input->file, other, &input->kind))
		return refuse_file(input, err);
	if (input->kind == INPUT_TEXT && chosen_instance && *chosen_instance)
		return refuse_instance(input, err);
	if (input->kind != INPUT_DAT)
		return STATUS_OK;
	enum status status = input_parse_dat(input, err);
	if (status == STATUS_OK)
		status = refuse_joined(input, err);
	return status == STATUS_OK ? refuse_hole(input, err) : status;
}

enum status input_open_or(struct input *input, const char *operand, input_recognizer *other, struct error *err)
{
	bool is_stdin = strcmp(operand, "-") == 0;
	/* Without O_NONBLOCK: opening a named pipe waits for its writer. */
	int fd = is_stdin ? STDIN_FILENO : open(operand, O_RDONLY | O_CLOEXEC);

	*input = (struct input){.name = is_stdin ? INPUT_STANDARD : operand};
	if (fd < 0)
		return error_system(err, errno, operand, "cannot open");
	enum status status = map_file(input, fd, other, err);
	if (!is_stdin)
		close(fd);
	if (status == STATUS_OK)
		status = detect_kind(input, other, err);
	if (status != STATUS_OK)
		file_unmap(&input->file);
	return status;
}

enum status input_open(struct input *input, const char *operand, struct error *err)
{
	return input_open_or(input, operand, NULL, err);
}

enum status input_open_dat(struct input *input, const char *operand, struct error *err)
{
	enum status status = input_open(input, operand, err);

	if (status != STATUS_OK || input->kind == INPUT_DAT)
		return status;
	error_set(err, STATUS_UNSUPPORTED, input->name, "is a text trace, which lacks the data for this");
	input_close(input);
	return error_remedy(err, "give a trace.dat: record one with picknext record or trace-cmd record");
}

enum status input_source(const struct input *input, struct sched_source **source, struct error *err)
{
	if (input->kind == INPUT_DAT)
		return sched_source_open_dat(&input->trace, input->name, source, err);
	return sched_source_open_text((const char *)input->file.bytes, input->file.length, input->name, source, err);
}

void input_close(struct input *input)
{
	if (input->kind == INPUT_DAT)
		tracedat_free(&input->trace);
	file_unmap(&input->file);
	*input = (struct input){0};
}

enum status input_release(struct input *input, struct error *err)
{
	input->steps = 0;
	file_map_forget(&input->file);
	return interrupt_check(err);
}

bool input_is_file(const struct input *input, const char *path)
{
	struct stat info;

	return input->inode && stat(path, &info) == 0 && info.st_dev == input->device && info.st_ino == input->inode;
}

enum status input_refuse_overwriting(const char *trace, const char *output, struct error *err)
{
	if (!file_same(trace, output))
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, output, "is the trace itself; write to another file");
}

bool input_skipped_text(const struct input *input, char *text, size_t size)
{
	static _Thread_local ino_t warned;

	if (input->kind != INPUT_DAT || !input->trace.skipped_buffers || chosen_instance ||
	    (warned && warned == input->inode))
		return false;
	warned = input->inode;
	const struct tracedat *trace = &input->trace;
	const int length = trace->buffer.length > 64 ? 64 : (int)trace->buffer.length;
	if (length)
		snprintf(text, size,
			 "%s: instance '%.*s' is read; other buffers skipped: %" PRIu32 " (--instance NAME; picknext "
			 "check lists them)",
			 input->name, length, trace->buffer.text, trace->skipped_buffers);
	else
		snprintf(text, size,
			 "%s: only the main buffer is read; instance buffers skipped: %" PRIu32 " (--instance NAME; "
			 "picknext check lists them)",
			 input->name, trace->skipped_buffers);
	return true;
}

bool input_followed_text(const struct input *input, char *text, size_t size)
{
	if (input->kind != INPUT_DAT || !input->trace.followed_only)
		return false;
	snprintf(text, size, "%s: record --pid followed some tasks: what others do in between is not in the trace",
		 input->name);
	return true;
}
