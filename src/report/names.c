/* SPDX-License-Identifier: MIT */
#include "report/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/own_tasks.h"

static struct sched_comm comm_of(const char *text)
{
	struct sched_comm comm = {.length = (uint8_t)strlen(text)};

	memcpy(comm.bytes, text, comm.length);
	return comm;
}

struct sched_comm report_shown_comm(const struct sched_comm *comm)
{
	return comm->length > 8 && memcmp(comm->bytes, "kworker/", 8) == 0 ? comm_of("kworker") : *comm;
}

enum name_kind { NAME_OWN, NAME_OTHER, NAME_IDLE, NAME_KINDS };

struct name_lookup {
	struct comm_table table;
	uint32_t *names[NAME_KINDS]; /* by number in table: the name plus 1 */
	uint32_t capacity;
};

static void grow_lookup(struct name_lookup *lookup, uint32_t need)
{
	uint32_t capacity = lookup->capacity ? lookup->capacity : 64;

	if (need <= lookup->capacity)
		return;
	while (capacity < need)
		capacity *= 2;
	for (int i = 0; i < NAME_KINDS; i++) {
		lookup->names[i] = xreallocarray(lookup->names[i], capacity, sizeof(*lookup->names[i]));
		memset(lookup->names[i] + lookup->capacity, 0,
		       (capacity - lookup->capacity) * sizeof(*lookup->names[i]));
	}
	lookup->capacity = capacity;
}

static struct report_name *find_name(struct report_names *names, const struct sched_comm *comm, enum name_kind kind)
{
	struct sched_comm shown = kind == NAME_IDLE ? comm_of("idle") : report_shown_comm(comm);
	uint32_t number = comm_table_number(&names->lookup->table, &shown);

	grow_lookup(names->lookup, number + 1);
	uint32_t *slot = &names->lookup->names[kind][number];
	if (!*slot) {
		names->names = array_grow(names->names, &names->capacity, names->count + 1, sizeof(*names->names));
		names->names[names->count] =
		    (struct report_name){.comm = shown, .is_idle = kind == NAME_IDLE, .is_own = kind == NAME_OWN};
		*slot = ++names->count;
	}
	return &names->names[*slot - 1];
}

static void add_account(struct report_name *name, uint32_t set, const struct name_account *from)
{
	struct name_account *to = &name->accounts[set];

	for (int use = 0; use < TIME_USES; use++)
		to->time_ns[use] += from->time_ns[use];
	name->total_ns += from->time_ns[TIME_RUNNING];
	name->is_kernel = name->is_kernel || from->is_kernel;
	to->tasks += from->tasks;
	if (from->cpu_count > to->cpu_count) {
		to->cpu_ns = xreallocarray(to->cpu_ns, from->cpu_count, sizeof(*to->cpu_ns));
		memset(to->cpu_ns + to->cpu_count, 0, (from->cpu_count - to->cpu_count) * sizeof(*to->cpu_ns));
		to->cpu_count = from->cpu_count;
	}
	for (uint32_t cpu = 0; cpu < from->cpu_count; cpu++)
		to->cpu_ns[cpu] += from->cpu_ns[cpu];
}

static enum name_kind kind_of(const struct name_account *account, const struct sched_comm *comm, bool is_first,
			      bool has_roots, const char *task_names)
{
	bool is_own;

	if (account->is_idle)
		return NAME_IDLE;
	if (task_names)
		is_own = comm_is_one_of(comm, task_names);
	else if (has_roots)
		is_own = is_first;
	else
		is_own = !account->is_kernel && !comm_is_one_of(comm, OWN_TASKS);
	return is_own ? NAME_OWN : NAME_OTHER;
}

void report_names_add(struct report_names *names, uint32_t set, const struct run_account *account,
		      const struct comm_table *comms, bool has_roots, const char *task_names)
{
	if (!names->lookup)
		names->lookup = xcalloc(1, sizeof(*names->lookup));
	if (names->cpu_count < account->cpu_count)
		names->cpu_count = account->cpu_count;
	for (uint32_t i = 0; i / 2 < comms->count && i < account->name_count; i++) {
		const struct name_account *name = &account->names[i];
		const struct sched_comm *comm = &comms->comms[i / 2];
		if (name->tasks == 0 && name->time_ns[TIME_RUNNING] == 0)
			continue;
		const enum name_kind kind = kind_of(name, comm, i % 2 == 0, has_roots, task_names);
		add_account(find_name(names, comm, kind), set, name);
	}
}

/* The workload's own names first, even if the machine is busy with other tasks. */
static int compare_names(const void *a, const void *b)
{
	const struct report_name *first = a;
	const struct report_name *second = b;

	if (first->is_own != second->is_own)
		return first->is_own ? -1 : 1;
	if (first->total_ns != second->total_ns)
		return first->total_ns > second->total_ns ? -1 : 1;
	if (first->is_idle != second->is_idle)
		return first->is_idle ? 1 : -1;
	return memcmp(first->comm.bytes, second->comm.bytes, sizeof(first->comm.bytes));
}

static void free_lookup(struct name_lookup *lookup)
{
	if (!lookup)
		return;
	comm_table_free(&lookup->table);
	for (int i = 0; i < NAME_KINDS; i++)
		free(lookup->names[i]);
	free(lookup);
}

void report_names_finish(struct report_names *names)
{
	if (names->count)
		qsort(names->names, names->count, sizeof(*names->names), compare_names);
	free_lookup(names->lookup);
	names->lookup = NULL;
}

uint64_t report_names_time(const struct report_names *names, uint32_t set, enum time_use use)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < names->count; i++)
		if (names->names[i].is_own)
			sum += names->names[i].accounts[set].time_ns[use];
	return sum;
}

uint32_t report_names_rank(const struct report_names *names, const struct sched_comm *comm)
{
	struct sched_comm shown = report_shown_comm(comm);
	uint32_t rank = 0;

	for (uint32_t i = 0; i < names->count; i++) {
		const struct report_name *name = &names->names[i];
		if (!name->is_idle && name->comm.length == shown.length &&
		    memcmp(name->comm.bytes, shown.bytes, shown.length) == 0)
			break;
		rank += !name->is_idle;
	}
	return rank;
}

unsigned int report_name_colour(uint32_t rank)
{
	/* Not the first two colours: they denote the first two sets. */
	static const uint8_t colours[] = {2, 4, 3, 6, 7, 0, 5};

	return colours[rank < REPORT_NAME_COLOURS ? rank : REPORT_NAME_COLOURS];
}

void report_names_free(struct report_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		for (uint32_t set = 0; set < REPORT_SETS_MAX; set++)
			free(names->names[i].accounts[set].cpu_ns);
	free(names->names);
	free_lookup(names->lookup);
}
