/* SPDX-License-Identifier: MIT
 *
 * The guest's end of the progress port. Without such a port, every line is dropped. */
#ifndef GUEST_PORT_H
#define GUEST_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vm/protocol/guest_progress.h"

struct guest_port {
	int fd;        /* or -1 */
	bool debugcon; /* bytes go to JOB_PROGRESS_IO_PORT */
	int io_ports;  /* /dev/port, used if the kernel has no ioperm(); or -1 */
};

/* Opens the virtio-serial port of JOB_PROGRESS_PORT, if there is one. */
void guest_port_open(struct guest_port *port);
/* Opens the port beside shared memory, for guests without virtio-serial. STATUS_SYSTEM if the kernel gives no
 * access to it. */
enum status guest_port_open_debugcon(struct guest_port *port, struct error *err);
void guest_port_close(struct guest_port *port);

/* Sends a line; waits at most a few seconds if the host does not read. */
void guest_port_send(struct guest_port *port, const struct guest_line *line);
/* Sends a line unless that would block: for lines within a traced window. */
void guest_port_offer(struct guest_port *port, const struct guest_line *line);
void guest_port_text(struct guest_port *port, enum guest_line_kind kind, const char *text);

#endif
