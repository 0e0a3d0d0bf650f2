/* SPDX-License-Identifier: MIT */
#include "guest/port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/io.h>
#include <unistd.h>

#include "vm/protocol/job.h"

#define PATIENCE_MS 5000

/* /init names the ports like udev does. */
void guest_port_open(struct guest_port *port)
{
	*port = (struct guest_port){.io_ports = -1};
	port->fd = open("/dev/virtio-ports/" JOB_PROGRESS_PORT, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

enum status guest_port_open_debugcon(struct guest_port *port, struct error *err)
{
	*port = (struct guest_port){.fd = -1, .io_ports = -1};
	port->debugcon = ioperm(JOB_PROGRESS_IO_PORT, 1, 1) == 0;
	if (port->debugcon)
		return STATUS_OK;
	port->io_ports = open("/dev/port", O_WRONLY | O_CLOEXEC);
	if (port->io_ports >= 0)
		return STATUS_OK;
	error_system(err, errno, "/dev/port", "the guest cannot reach the host");
	return error_remedy(err, "its kernel needs CONFIG_X86_IOPL_IOPERM or CONFIG_DEVPORT, and no lockdown");
}

void guest_port_close(struct guest_port *port)
{
	if (port->fd >= 0)
		close(port->fd);
	if (port->io_ports >= 0)
		close(port->io_ports);
	port->fd = port->io_ports = -1;
}

static void send_line(struct guest_port *port, const struct guest_line *line, int patience_ms)
{
	char text[GUEST_LINE_MAX + 2];
	size_t length = guest_line_format(line, text, sizeof(text));
	const char *from = text;

	if (port->debugcon)
		outsb(JOB_PROGRESS_IO_PORT, text, length);
	/* A longer write would go to the ports after it too. */
	for (size_t i = 0; port->io_ports >= 0 && i < length; i++)
		if (pwrite(port->io_ports, text + i, 1, JOB_PROGRESS_IO_PORT) != 1)
			return;
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
