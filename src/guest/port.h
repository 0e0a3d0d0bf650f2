/* SPDX-License-Identifier: MIT
 *
 * The guest's end of the progress lines: a virtio-serial port, or shared memory. Without both, lines are dropped. */
#ifndef GUEST_PORT_H
#define GUEST_PORT_H

#include "vm/protocol/guest_progress.h"

struct shared_memory;

struct guest_port {
	int fd;                       /* of the virtio-serial port, or -1 */
	struct shared_memory *memory; /* used if not NULL */
};

/* Opens the virtio-serial port of JOB_PROGRESS_PORT, if there is one. */
void guest_port_open(struct guest_port *port);
void guest_port_close(struct guest_port *port);

/* Sends a line; waits at most a few seconds if the host does not read. */
void guest_port_send(struct guest_port *port, const struct guest_line *line);
/* Sends a line unless that would block: for lines within a traced window. */
void guest_port_offer(struct guest_port *port, const struct guest_line *line);
void guest_port_text(struct guest_port *port, enum guest_line_kind kind, const char *text);

#endif
