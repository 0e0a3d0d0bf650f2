/* SPDX-License-Identifier: MIT
 *
 * The guest's end of the progress port. Where there is no such port, every line is dropped. */
#ifndef GUEST_PORT_H
#define GUEST_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vm/protocol/guest_progress.h"

struct guest_port {
	int fd;        /* or -1 */
	bool debugcon; /* bytes go to JOB_PROGRESS_IO_PORT */
};

/* The device of the virtio-serial port of that name; STATUS_SYSTEM where there is none. */
enum status guest_port_path(const char *name, char *path, size_t size, struct error *err);
void guest_port_open(struct guest_port *port, const char *name);
/* The one of a deterministic guest, which knows no virtio-serial. */
void guest_port_open_debugcon(struct guest_port *port);
void guest_port_close(struct guest_port *port);

/* Sends a line, waiting a few seconds at most for a host that does not read. */
void guest_port_send(struct guest_port *port, const struct guest_line *line);
/* Sends a line unless that would make the caller wait: for lines within a traced window. */
void guest_port_offer(struct guest_port *port, const struct guest_line *line);
void guest_port_text(struct guest_port *port, enum guest_line_kind kind, const char *text);

#endif
