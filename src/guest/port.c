/* SPDX-License-Identifier: MIT */
#include "guest/port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "guest/shared_memory.h"
#include "vm/protocol/job.h"

#define PATIENCE_MS 5000

/* /init names the ports like udev does. */
void guest_port_open(struct guest_port *port)
{
	*port =
	    (struct guest_port){.fd = open("/dev/virtio-ports/" JOB_PROGRESS_PORT, O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
}

void guest_port_close(struct guest_port *port)
{
	if (port->fd >= 0)
		close(port->fd);
	*port = (struct guest_port){.fd = -1};
}

static void send_line(struct guest_port *port, const struct guest_line *line, int patience_ms)
{
	char text[GUEST_LINE_MAX + 2];
	size_t length = guest_line_format(line, text, sizeof(text));
	const char *from = text;

	if (port->memory)
		shared_memory_add_line(port->memory, text, length);
	while (port->fd >= 0 && length) {
		ssize_t put = write(port->fd, from, length);
		if (put > 0) {
			from += put;
			length -= (size_t)put;
			continue;
		}
		struct pollfd wait = {.fd = port->fd, .events = POLLOUT};
		if (put < 0 && errno == EINTR)
			continue;
		/* A line that is sent in part must be completed, so waits longer for its rest. */
		int limit = from == text ? patience_ms : PATIENCE_MS;
		if ((put < 0 && errno != EAGAIN) || limit == 0 || poll(&wait, 1, limit) <= 0)
			return;
	}
}

void guest_port_send(struct guest_port *port, const struct guest_line *line)
{
	send_line(port, line, PATIENCE_MS);
}

void guest_port_offer(struct guest_port *port, const struct guest_line *line)
{
	send_line(port, line, 0);
}

void guest_port_text(struct guest_port *port, enum guest_line_kind kind, const char *text)
{
	struct guest_line line = {.kind = kind};

	snprintf(line.text, sizeof(line.text), "%s", text);
	guest_port_send(port, &line);
}
