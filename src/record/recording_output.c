/* SPDX-License-Identifier: MIT */
#include "record/recording_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"

enum { COPY_SIZE = 1 << 16 };

enum status recording_output_open(struct recording_output *output, struct error *err)
{
	char path[PATH_MAX];

	if (output->to_fd < 0 || output->stem[0])
		return STATUS_OK;
	if (snprintf(path, sizeof(path), "%.4000s/picknext-XXXXXX", output->directory) >= PATH_MAX || !mkdtemp(path))
		return error_system(err, errno, output->directory, "cannot make a temporary directory");
	memcpy(output->directory, path, sizeof(path));
	snprintf(output->stem, sizeof(output->stem), "%.4000s/trace", path);
	return STATUS_OK;
}

void recording_output_remove(const struct recording_output *output)
{
	char path[PATH_MAX];

	if (output->to_fd < 0 || !output->stem[0])
		return;
	snprintf(path, sizeof(path), "%.4000s.dat", output->stem);
	unlink(path);
	/* The part that was kept on a full disk stays. */
	rmdir(output->directory);
}

static enum status copy(int from, int to, struct error *err)
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

enum status recording_output_copy(const struct recording_output *output, struct error *err)
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
	/* Nothing is left to clean up, so a reader that is gone or blocks may end this process. */
	interrupt_release();
	enum status status = copy(fd, output->to_fd, err);
	close(fd);
	return status;
}
