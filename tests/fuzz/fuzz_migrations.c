/* SPDX-License-Identifier: MIT
 *
 * Migrations among any events in any order, eight bytes each, of a trace or live, with stacks and the names behind
 * them, which follow the first line break: each migration is given once, in the order of time, with a cause. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/migrations.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CPUS = 4 };

static void set_name(struct sched_task *task, uint8_t byte)
{
	static const char *const names[] = {"a", "migration/0", "migration/1", "migration/99999999"};
	const char *name = names[byte % 4];

	task->comm.length = (uint8_t)(strlen(name) < SCHED_COMM_SIZE ? strlen(name) : SCHED_COMM_SIZE);
	memcpy(task->comm.bytes, name, task->comm.length);
	task->pid = byte % 7;
	task->prio = byte & 64 ? 0 : byte & 32 ? 50 : 120;
}

static void make_event(const uint8_t *bytes, struct sched_event *event)
{
	*event = (struct sched_event){
	    .ts_ns = event->ts_ns + ((uint64_t)bytes[6] << bytes[7] % 32),
	    .cpu = bytes[1] % CPUS,
	    .kind = (enum sched_event_kind)(bytes[0] % (SCHED_OTHER_EVENT + 1)),
	    .common_pid = bytes[2] % 7,
	    .context = bytes[2] >> 6,
	};
	if (event->kind == SCHED_OTHER_EVENT && bytes[7] & 64)
		event->kind = SCHED_WAKING;
	if (event->kind == SCHED_SWITCH) {
		set_name(&event->switched.prev, bytes[2]);
		set_name(&event->switched.next, bytes[3]);
		event->switched.prev_state = bytes[5] & 64;
	} else if (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW || event->kind == SCHED_WAKING) {
		set_name(&event->wakeup.task, bytes[3]);
		event->wakeup.target_cpu = bytes[4] % CPUS;
	} else if (event->kind == SCHED_MIGRATE) {
		set_name(&event->migrate.task, bytes[3]);
		event->migrate.from_cpu = bytes[4] % CPUS;
		event->migrate.to_cpu = bytes[4] / CPUS % CPUS;
	}
}

static uint64_t take_all(struct migrations *migrations, uint64_t *last_ns)
{
	struct migration migration;
	uint64_t count = 0;

	for (; migrations_next(migrations, &migration); count++) {
		if (migration.cause >= MIGRATION_CAUSES || migration.traced >= MIGRATION_CAUSES ||
		    migration.ts_ns < *last_ns || (migration.exact && migration.cause == MIGRATION_UNKNOWN))
			abort();
		*last_ns = migration.ts_ns;
	}
	return count;
}

static void write_state(const void *context, uint64_t prev_state, char *text, size_t size)
{
	(void)context;
	snprintf(text, size, "%s", prev_state ? "S" : "R");
}

/* The number of migrations that the event is. */
static uint64_t take_event(struct migrations *migrations, struct task_states *states, const uint8_t *bytes,
			   const struct sched_event *event, bool is_live)
{
	uint64_t stack[] = {bytes[3], (uint64_t)bytes[4] << 8, bytes[5]};
	struct task_step step;

	if (event->kind == SCHED_OTHER_EVENT && bytes[7] & 128 && migrations_have_stacks(migrations)) {
		migrations_stack(migrations, event, stack, 3);
		return 0;
	}
	if (task_states_step(states, event, &step, NULL) != STATUS_OK ||
	    migrations_step(migrations, is_live ? NULL : states, event, is_live ? NULL : &step, NULL) != STATUS_OK)
		abort();
	if (event->kind == SCHED_MIGRATE)
		return is_live || step.changes & STEP_MIGRATION;
	return event->kind == SCHED_WAKEUP_NEW && event->cpu != event->wakeup.target_cpu &&
	       (is_live || step.changes & STEP_WAKEUP);
}

static void run(const uint8_t *data, size_t size, uint8_t mode, const struct kernel_symbols *symbols)
{
	struct leave_reason_table leave_reasons = {.text = write_state};
	struct task_states states = {0};
	struct sched_event event = {0};
	bool is_live = (mode & 3) == 3;
	struct migrations *migrations = migrations_open(NULL, mode & 1 ? symbols : NULL, is_live);
	uint64_t expected = 0;
	uint64_t given = 0;
	uint64_t last_ns = 0;

	task_states_begin(&states, &leave_reasons, NULL);
	for (; size >= 8; data += 8, size -= 8) {
		make_event(data, &event);
		if (is_live && event.kind == SCHED_SWITCH)
			continue;
		expected += take_event(migrations, &states, data, &event, is_live);
		given += take_all(migrations, &last_ns);
	}
	migrations_end(migrations);
	given += take_all(migrations, &last_ns);
	if (given != expected)
		abort();
	migrations_close(migrations);
	task_states_free(&states);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
	struct text_span text = {"", 0};
	struct kernel_symbols symbols;

	if (size == 0)
		return 0;
	if (line) {
		text = (struct text_span){(const char *)line + 1, (size_t)(data + size - line - 1)};
		size = (size_t)(line - data);
	}
	kernel_symbols_make(text, &symbols);
	for (size_t i = 1; i < symbols.count; i++)
		if (symbols.symbols[i].address < symbols.symbols[i - 1].address)
			abort();
	if (size)
		run(data + 1, size - 1, data[0], &symbols);
	kernel_symbols_free(&symbols);
	return 0;
}
