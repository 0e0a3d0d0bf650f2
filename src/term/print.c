/* SPDX-License-Identifier: MIT */
#include "term/print.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/message.h"

int print_failure(const struct error *err)
{
	if (err->status == STATUS_SYSTEM && err->errnum == EPIPE)
		return 128 + SIGPIPE;
	return message_error(err);
}

int print_buffer(struct buffer *buffer)
{
	struct error err = {0};

	if (isatty(STDOUT_FILENO))
		escape_buffer(buffer);
	bool failed = buffer->failed;
	if (!failed && buffer->length)
		fwrite(buffer->data, 1, buffer->length, stdout);
	buffer_free(buffer);
	if (!failed)
		return 0;
	error_system(&err, ENOMEM, NULL, "cannot print");
	return message_error(&err);
}
