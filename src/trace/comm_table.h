/* SPDX-License-Identifier: MIT
 *
 * Distinct task names (comm), numbered from 0, so that per-name data can be kept in plain arrays. */
#ifndef TRACE_COMM_TABLE_H
#define TRACE_COMM_TABLE_H

#include "base/buffer.h"
#include "trace/event.h"

struct comm_table {
	struct sched_comm *comms; /* bytes after the length are zero */
	uint32_t count, capacity;
	uint32_t *slots; /* open addressing: number + 1, or 0 */
	uint32_t slot_mask;
};

/* The number of the name; adds a new name. */
uint32_t comm_table_number(struct comm_table *table, const struct sched_comm *comm);
void comm_table_free(struct comm_table *table);

/* True if both names have the same bytes up to their length. */
bool comm_equal(const struct sched_comm *a, const struct sched_comm *b);
/* True if it is one of names, a list separated by single spaces. */
bool comm_is_one_of(const struct sched_comm *comm, const char *names);

/* True for names of kernel threads, such as "kworker/0:1", "migration/2", "rcu_preempt". A trace does not record
 * PF_KTHREAD, so a user task with such a name is mistaken for a kernel thread. */
bool comm_is_kernel_thread(const struct sched_comm *comm);

/* Internal: for comm_is_cpu_thread(). */
bool comm_is_numbered(const struct sched_comm *comm, const char *name, uint32_t number);
/* True if it is NAME/CPU, as threads of one CPU are named: "migration/2" (its stopper), "cpuhp/2", "ksoftirqd/2". */
static inline bool comm_is_cpu_thread(const struct sched_comm *comm, const char *name, uint32_t cpu)
{
	/* Called for every event: nearly all names differ in their first byte. */
	return comm->bytes[0] == name[0] && comm_is_numbered(comm, name, cpu);
}

/* Writes the name with control characters escaped, padded with spaces to width (at most COMM_PADDED_MAX); returns the
 * end. to needs room for COMM_PADDED_MAX bytes. */
#define COMM_PADDED_MAX (4 * SCHED_COMM_SIZE)
char *comm_put_padded(char *to, const struct sched_comm *comm, unsigned int width);
void comm_add_padded(const struct sched_comm *comm, unsigned int width, struct buffer *out);

#endif
