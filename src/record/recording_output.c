/* SPDX-License-Identifier: MIT */
#include "record/recording_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/output_file.h"

enum { COPY_SIZE = 1 << 16 };

/* Redirects standard output to standard error, so that output of the command does not mix with the trace. */
static enum status redirect_standard_output(struct recording_output *output, struct error *err)
{
	const char *directory = getenv("TMPDIR");

	if (isatty(STDOUT_FILENO))
		return error_set(err, STATUS_USAGE, "--output",
				 "standard output is a terminal; redirect it to a file or a pipe");
	if (!directory || !*directory) {
		directory = access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
		if (access(directory, W_OK) < 0) {
			error_system(err, errno, directory, "cannot keep the recording here until it is complete");
			return error_remedy(err, "set TMPDIR to a writable directory");
		}
	}
	snprintf(output->directory, sizeof(output->directory), "%.3900s", directory);
	output->to_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (output->to_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return error_system(err, errno, "standard output", "cannot write");
	return STATUS_OK;
}

/* False for a directory, a device or a pipe: the recording would go to another file, of this name with .dat. */
static bool names_a_file(const char *name, const char *last)
{
	static const char *const none[] = {"", ".", "..", ".dat"};
	struct stat info;

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (strcmp(last, none[i]) == 0)
			return false;
	return stat(name, &info) < 0 || S_ISREG(info.st_mode);
}

enum status recording_output_name(struct recording_output *output, const char *name, struct error *err)
{
	size_t length = strlen(name);
	const char *slash = strrchr(name, '/');
	const char *last = slash ? slash + 1 : name;
	size_t directory = slash ? (size_t)(slash - name) : 0;

	output->to_fd = -1;
	if (strcmp(name, "-") == 0)
		return redirect_standard_output(output, err);
	if (!names_a_file(name, last))
		return error_set(err, STATUS_USAGE, "--output", "expected the name of a file, not '%s'", name);
	if (file_name_ends(name, ".dat"))
		length -= 4;
	if (length + 32 > sizeof(output->stem))
		return error_set(err, STATUS_USAGE, "--output", "path is too long");
	snprintf(output->stem, sizeof(output->stem), "%.*s", (int)length, name);
	snprintf(output->directory, sizeof(output->directory), "%.*s", (int)directory, name);
	if (directory == 0)
		snprintf(output->directory, sizeof(output->directory), "%s", slash ? "/" : ".");
	return STATUS_OK;
}

/* True for STEM.dat, STEM.json, STEM.N.dat, STEM.N.json and their temporary and old names. */
static bool is_of_recording(const struct recording_output *output, const char *json)
{
	static const char *const ends[] = {".dat", ".dat.partial", ".dat.old", ".dat.partial.old", ".json.old"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (snprintf(path, sizeof(path), "%s%s", output->stem, ends[i]) < (int)sizeof(path) &&
		    output_check_pair(path, "--output", json, "--json", NULL) != STATUS_OK)
			return true;
	size_t length = strlen(output->stem);
	if (strncmp(json, output->stem, length) != 0 || json[length] != '.')
		return false;
	size_t digits = strspn(json + length + 1, "0123456789");
	const char *end = json + length + 1 + digits;
	return digits && (strcmp(end, ".dat") == 0 || strcmp(end, ".json") == 0);
}

static enum status check_json(const char *json, struct error *err)
{
	char directory[PATH_MAX] = ".";
	const char *slash = strrchr(json, '/');

	if (slash)
		snprintf(directory, sizeof(directory), "%.*s", slash == json ? 1 : (int)(slash - json), json);
	enum status status = output_check(json, err);
	if (status == STATUS_OK && strcmp(json, "-") != 0 && access(directory, W_OK) < 0)
		status = error_system(err, errno, directory, "cannot write the JSON here");
	return status;
}

/* Refuses names of this recording, or of a kept earlier one, that are directories. */
static enum status check_names(const char *stem, bool has_json, struct error *err)
{
	static const char *const ends[] = {".dat",  ".dat.partial", ".dat.old", ".dat.partial.old",
					   ".json", ".json.old"};
	enum status status = STATUS_OK;
	char path[PATH_MAX];

	for (size_t i = 0; i < (has_json ? 4 : sizeof(ends) / sizeof(*ends)) && status == STATUS_OK; i++) {
		snprintf(path, sizeof(path), "%.4000s%s", stem, ends[i]);
		status = output_check_directory(path, err);
	}
	return status;
}

enum status recording_output_check(const struct recording_output *output, const char *name, const char *json,
				   struct error *err)
{
	enum status status = output_check_pair(name, "--output", json, "--json", err);

	if (status == STATUS_OK && json)
		status = check_json(json, err);
	if (status != STATUS_OK || output->to_fd >= 0 || strcmp(name, "-") == 0)
		return status;
	if (json && is_of_recording(output, json))
		return error_set(err, STATUS_USAGE, "--json", "%.300s is a file of the recording itself", json);
	return check_names(output->stem, json != NULL, err);
}

enum status recording_output_keep_old(const char *trace, const char *json, struct error *err)
{
	bool kept, json_kept = false;
	enum status status = output_keep_old(trace, &kept, err);

	if (status == STATUS_OK && *json && strcmp(json, "-") != 0)
		status = output_keep_old(json, &json_kept, err);
	if (status == STATUS_OK && kept)
		message_info("%s: the earlier recording is now %s.old", trace, trace);
	else if (status == STATUS_OK && json_kept)
		message_info("%s: the earlier file is now %s.old", json, json);
	return status;
}

static void remove_temporary(void *context)
{
	const struct recording_output *output = context;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s.dat", output->stem);
	unlink(path);
	/* Fails, as intended, if a partial trace was kept after a full disk. */
	rmdir(output->directory);
}

enum status recording_output_open(struct recording_output *output, struct error *err)
{
	char path[PATH_MAX];

	if (output->to_fd < 0 || output->stem[0])
		return STATUS_OK;
	if (snprintf(path, sizeof(path), "%.4000s/picknext-XXXXXX", output->directory) >= PATH_MAX || !mkdtemp(path))
		return error_system(err, errno, output->directory, "cannot make a temporary directory");
	memcpy(output->directory, path, sizeof(path));
	snprintf(output->stem, sizeof(output->stem), "%.4000s/trace", path);
	cleanup_add(&output->cleanup, remove_temporary, output);
	return STATUS_OK;
}

void recording_output_remove(struct recording_output *output)
{
	cleanup_finish(&output->cleanup);
}

static enum status copy_file(int from, int to, struct error *err)
{
	static char bytes[COPY_SIZE];
	ssize_t got;

	while ((got = read(from, bytes, sizeof(bytes))) > 0) {
		enum status status = file_write_all(to, bytes, (size_t)got, "standard output", err);
		if (status != STATUS_OK)
			return status;
	}
	return got == 0 ? STATUS_OK : error_system(err, errno, "the recording", "cannot read back");
}

enum status recording_output_copy(struct recording_output *output, struct error *err)
{
	char path[PATH_MAX];

	if (output->to_fd < 0)
		return STATUS_OK;
	snprintf(path, sizeof(path), "%.4000s.dat", output->stem);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int reason = errno;
	recording_output_remove(output);
	if (fd < 0)
		return error_system(err, reason, path, "cannot read back");
	/* No clean-up is left, so SIGPIPE or a signal during a blocking write may end this process. */
	interrupt_release();
	enum status status = copy_file(fd, output->to_fd, err);
	close(fd);
	return status;
}
