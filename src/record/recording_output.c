/* SPDX-License-Identifier: MIT
 *
 * A recording to standard output: it lies in a file until it is whole, since its header says where each CPU's events
 * are. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "record/recording_state.h"

enum { COPY_SIZE = 1 << 16 };

enum status recording_output_open(struct recording_request *request, struct error *err)
{
	char path[PATH_MAX];

	if (request->to_fd < 0)
		return STATUS_OK;
	if (snprintf(path, sizeof(path), "%.4000s/picknext-XXXXXX", request->directory) >= PATH_MAX || !mkdtemp(path))
		return error_system(err, errno, request->directory, "cannot make a temporary directory");
	memcpy(request->directory, path, sizeof(path));
	snprintf(request->stem, sizeof(request->stem), "%.4000s/trace", path);
	return STATUS_OK;
}

void recording_output_close(const struct recording_request *request)
{
	char path[PATH_MAX];

	if (request->to_fd < 0 || !request->stem[0])
		return;
	snprintf(path, sizeof(path), "%.4000s.dat", request->stem);
	unlink(path);
	/* Where a full disk kept a part of it, that stays. */
	rmdir(request->directory);
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

enum status recording_output_copy(const struct recording_request *request, struct error *err)
{
	char path[PATH_MAX];

	if (request->to_fd < 0)
		return STATUS_OK;
	snprintf(path, sizeof(path), "%.4000s.dat", request->stem);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int reason = errno;
	recording_output_close(request);
	if (fd < 0)
		return error_system(err, reason, path, "cannot read back");
	/* Nothing is left to be cleaned up: a reader who has gone, or does not read, may end us. */
	interrupt_release();
	enum status status = copy(fd, request->to_fd, err);
	close(fd);
	return status;
}
