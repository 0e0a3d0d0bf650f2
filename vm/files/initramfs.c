/* SPDX-License-Identifier: MIT */
#include "vm/files/initramfs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/filter.h"
#include "base/message.h"
#include "base/number.h"
#include "base/output_stream.h"
#include "base/program_path.h"
#include "vm/files/cpio.h"
#include "vm/files/elf_program.h"

#define ARCHIVE_BYTES_MAX (256u << 20)
#define FILE_BYTES_MAX    (64u << 20)
#define WORDS_MAX         6

/* A manifest while it is read. */
struct reading {
	const struct initramfs_request *request;
	struct cpio_writer cpio;
	unsigned int machine;      /* of its programs; 0: none yet */
	char where[PATH_MAX + 32]; /* the manifest and its line */
};

static enum status malformed(const struct reading *reading, const char *expected, struct error *err)
{
	error_set(err, STATUS_CORRUPT, reading->where, "expected %s", expected);
	return error_remedy(err, "initramfs/manifest describes the format");
}

static bool parse_mode(const char *text, unsigned int *mode)
{
	*mode = (unsigned int)strtoul(text, NULL, 8);
	return text[0] == '0' && strlen(text) <= 5 && !text[strspn(text, "01234567")] && *mode <= 07777;
}

static enum status find_guest(const char *given, char *path, size_t size, struct error *err)
{
	if (given)
		return snprintf(path, size, "%s", given) < (int)size
			   ? STATUS_OK
			   : error_set(err, STATUS_USAGE, given, "path is too long");
	if (program_find_beside("picknext-guest", path, size))
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, "picknext-guest", "not beside picknext");
	return error_remedy(err, "run make to build it");
}

static enum status find_source(const struct reading *reading, const char *source, char *path, size_t size,
			       struct error *err)
{
	const char *manifest = reading->request->manifest;
	const char *slash = strrchr(manifest, '/');
	int needed;

	if (strcmp(source, "@guest") == 0)
		return find_guest(reading->request->guest, path, size, err);
	if (strcmp(source, "@busybox") == 0)
		needed = snprintf(path, size, "%s", reading->request->busybox);
	else if (strcmp(source, "@picknext") == 0)
		needed = snprintf(path, size, "/proc/self/exe");
	else if (source[0] == '/' || !slash)
		needed = snprintf(path, size, "%s", source);
	else
		needed = snprintf(path, size, "%.*s/%s", (int)(slash - manifest), manifest, source);
	if (needed < 0 || (size_t)needed >= size)
		return error_set(err, STATUS_USAGE, reading->where, "path is too long");
	return STATUS_OK;
}

/* A program that is linked dynamically, or for another machine, would fail in the guest without any message. */
static enum status check_program(struct reading *reading, const char *path, const struct buffer *contents,
				 const char *source, struct error *err)
{
	const uint8_t *bytes = (const uint8_t *)contents->data;
	struct elf_program program;

	if (source[0] != '@' && !elf_is(bytes, contents->length))
		return STATUS_OK;
	enum status status = elf_program_read(bytes, contents->length, path, &program, err);
	if (status == STATUS_OK && program.interpreter)
		status = error_set(err, STATUS_UNSUPPORTED, path, "is linked dynamically and cannot run in the guest");
	if (status == STATUS_OK && !reading->machine)
		reading->machine = program.machine;
	if (status == STATUS_OK)
		status = elf_program_check(&program, reading->machine, path, err);
	return status == STATUS_OK || source[0] != '@'
		   ? status
		   : error_remedy(err, "give a static one (as root: apt-get install busybox-static)");
}

static enum status add_file(struct reading *reading, const char *name, unsigned int mode, const char *source,
			    struct error *err)
{
	char path[PATH_MAX];
	struct buffer contents = {0};

	enum status status = find_source(reading, source, path, sizeof(path), err);
	if (status == STATUS_OK)
		status = file_read(path, FILE_BYTES_MAX, &contents, err);
	if (status == STATUS_OK)
		status = check_program(reading, path, &contents, source, err);
	if (status == STATUS_OK)
		cpio_file(&reading->cpio, name, mode, contents.data, contents.length);
	buffer_free(&contents);
	return status;
}

static enum status add_line(struct reading *reading, char *line, struct error *err)
{
	char *words[WORDS_MAX] = {0}, *rest = line, *word;
	size_t count = 0;
	unsigned int mode = 0;
	uint64_t major, minor;

	while (count < WORDS_MAX && (word = strtok_r(count ? NULL : line, " \t", &rest)))
		words[count++] = word;
	if (count == 0 || words[0][0] == '#')
		return STATUS_OK;
	bool has_mode = count > 2 && parse_mode(words[2], &mode);
	if (strcmp(words[0], "directory") == 0) {
		if (count != 3 || !has_mode)
			return malformed(reading, "directory NAME MODE", err);
		cpio_directory(&reading->cpio, words[1], mode);
	} else if (strcmp(words[0], "device") == 0) {
		if (count != 5 || !has_mode || !number_parse_u64(words[3], &major) ||
		    !number_parse_u64(words[4], &minor) || major > 4095 || minor > 1048575)
			return malformed(reading, "device NAME MODE MAJOR MINOR", err);
		cpio_character_device(&reading->cpio, words[1], mode, (unsigned int)major, (unsigned int)minor);
	} else if (strcmp(words[0], "link") == 0) {
		if (count != 3)
			return malformed(reading, "link NAME TARGET", err);
		cpio_link(&reading->cpio, words[1], words[2]);
	} else if (strcmp(words[0], "file") == 0) {
		if (count != 4 || !has_mode)
			return malformed(reading, "file NAME MODE SOURCE", err);
		return add_file(reading, words[1], mode, words[3], err);
	} else {
		return malformed(reading, "directory, device, link or file", err);
	}
	return STATUS_OK;
}

static enum status read_manifest(const struct initramfs_request *given, struct buffer *archive, struct error *err)
{
	struct reading reading = {.request = given, .cpio = {.out = archive}};
	struct buffer manifest = {0};
	unsigned int number = 0;
	enum status status = file_read(given->manifest, FILE_BYTES_MAX, &manifest, err);

	for (char *line = manifest.data; status == STATUS_OK && line && *line;) {
		char *next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		snprintf(reading.where, sizeof(reading.where), "%s: line %u", given->manifest, ++number);
		status = add_line(&reading, line, err);
		if (status == STATUS_OK && reading.cpio.failure)
			status = error_set(err, STATUS_CORRUPT, reading.where, "%s", reading.cpio.failure);
		line = next;
	}
	buffer_free(&manifest);
	return status == STATUS_OK ? cpio_end(&reading.cpio, given->manifest, err) : status;
}

enum status initramfs_make(const struct initramfs_request *given, struct error *err)
{
	static const char *const gzip[] = {"gzip", "-9nc", NULL};
	struct buffer archive = {0}, packed = {0};
	enum status status = read_manifest(given, &archive, err);

	if (status == STATUS_OK)
		status =
		    filter_through(gzip, archive.data, archive.length, ARCHIVE_BYTES_MAX, &packed, given->output, err);
	/* The kernel expects the next archive at a multiple of 4 bytes and skips zeros before it. */
	if (status == STATUS_OK)
		buffer_add(&packed, "\0\0\0", (4 - packed.length % 4) % 4);
	if (status == STATUS_OK && strcmp(given->output, "-") == 0)
		status = file_write_all(STDOUT_FILENO, packed.data, packed.length, "standard output", err);
	else if (status == STATUS_OK)
		status = output_write(given->output, packed.data, packed.length, err);
	if (status == STATUS_OK)
		message_detail("%s: %zu bytes, %zu unpacked", given->output, packed.length, archive.length);
	buffer_free(&archive);
	buffer_free(&packed);
	return status;
}
