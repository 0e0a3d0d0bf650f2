/* SPDX-License-Identifier: MIT */
#include "print/print.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/output_stream.h"

int print_failure(const struct error *err)
{
	if (err->status == STATUS_SYSTEM && err->errnum == EPIPE)
		return 128 + SIGPIPE;
	return message_error(err);
}

int print_buffer(struct buffer *buffer)
{
	if (isatty(STDOUT_FILENO))
		escape_buffer(buffer);
	if (buffer->length)
		fwrite(buffer->data, 1, buffer->length, stdout);
	buffer_free(buffer);
	return 0;
}

enum status print_to_output(const char *output, struct buffer *out, struct error *err)
{
	bool to_stdout = !output || strcmp(output, "-") == 0;

	if (to_stdout && isatty(STDOUT_FILENO))
		escape_buffer(out);
	if (!to_stdout)
		return output_write(output, out->data, out->length, err);
	errno = 0;
	if (!out->length || (fwrite(out->data, 1, out->length, stdout) == out->length && fflush(stdout) == 0))
		return STATUS_OK;
	int reason = errno;
	if (reason == EINTR && interrupt_check(err) != STATUS_OK)
		return STATUS_INTERRUPTED;
	return error_system(err, reason, "standard output", "cannot write");
}

enum status print_until_signal(struct buffer *buffer, struct error *err)
{
	enum { CHUNK = 4096 }; /* a writable pipe takes this much without blocking */
	size_t at = 0;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && at < buffer->length) {
		struct pollfd wait[] = {{.fd = interrupt_fd(), .events = POLLIN},
					{.fd = STDOUT_FILENO, .events = POLLOUT}};
		size_t length = buffer->length - at < CHUNK ? buffer->length - at : CHUNK;
		if (poll(wait, 2, -1) < 0 && errno != EINTR)
			return error_system(err, errno, "standard output", "cannot wait for output");
		if (interrupt_signal())
			break;
		if (!wait[1].revents)
			continue;
		status = file_write_all(STDOUT_FILENO, buffer->data + at, length, "standard output", err);
		at += length;
	}
	buffer_clear(buffer);
	return status;
}
