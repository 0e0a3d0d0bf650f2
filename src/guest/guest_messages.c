/* SPDX-License-Identifier: MIT */
#include "guest/guest_messages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"

#define CAUGHT "output"

enum status guest_output_catch(struct guest_output *output, const char *directory, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, CAUGHT, err);

	if (status != STATUS_OK)
		return status;
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (file < 0)
		return error_system(err, errno, path, "cannot create");
	output->directory = directory;
	for (int i = 0; i < 2; i++) {
		output->saved[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
		dup2(file, i + 1);
	}
	close(file);
	output->caught = true;
	return STATUS_OK;
}

enum status guest_output_release(struct guest_output *output, const char *trace_id, char *path, unsigned long size,
				 struct error *err)
{
	char caught[PATH_MAX];

	path[0] = '\0';
	if (!output->caught)
		return STATUS_OK;
	for (int i = 0; i < 2; i++) {
		dup2(output->saved[i], i + 1);
		close(output->saved[i]);
	}
	output->caught = false;
	int length = snprintf(path, size, "%s/%s.log", output->directory, trace_id);
	if (length < 0 || (unsigned long)length >= size ||
	    file_join(caught, sizeof(caught), output->directory, CAUGHT, err) != STATUS_OK)
		return error_set(err, STATUS_USAGE, trace_id, "name is too long");
	return rename(caught, path) == 0 ? STATUS_OK : error_system(err, errno, path, "cannot make");
}
