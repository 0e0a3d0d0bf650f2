/* SPDX-License-Identifier: MIT */
#include "measure/migrations.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/migration_rules.h"
#include "trace/format/kernel_stack.h"
#include "trace/scheduler_mark.h"

/* Maximum number of undecided migrations, in time order. Beyond that the oldest is returned undecided. */
enum { QUEUE = 1024, OPEN_MAX = 64, MOVERS = 32, STACK_DEPTH_MAX = 64 };

/* Events after this time belong to another cause. The limit is long, because a virtual CPU can stop for seconds. */
#define PATIENCE_NS UINT64_C(10000000000)

struct migrations {
	bool is_live;
	bool under_sched_ext; /* the last scheduler mark names a sched_ext scheduler that has all tasks */
	bool is_part;         /* the trace has events of followed tasks only: trace_scope.h */
	const struct sched_stream *stream;
	struct kernel_stack_layout stack;
	const struct kernel_symbols *symbols; /* NULL: no stacks, or no names for their addresses */
	struct kernel_symbols own_symbols;
	struct cpu_trail *cpus;
	uint32_t cpu_count;
	struct pending_migration queue[QUEUE];
	uint64_t first, behind;  /* positions in the queue, modulo QUEUE */
	uint64_t open[OPEN_MAX]; /* positions of migrations that wait for further events */
	size_t open_count;
	uint32_t request_count; /* CPUs with a known request */
	int32_t movers[MOVERS]; /* PIDs of the latest tasks that changed another task's affinity */
	size_t mover_next;
	uint64_t now_ns;
};

static void find_stacks(struct migrations *migrations, const struct tracedat *trace,
			const struct kernel_symbols *symbols)
{
	kernel_stack_layout_make(&trace->events, trace->layout.commit_size, &migrations->stack);
	if (!symbols && trace->kallsyms_size) {
		const struct text_span text = {trace->kallsyms, trace->kallsyms_size};
		kernel_symbols_make(text, &migrations->own_symbols);
		symbols = &migrations->own_symbols;
	}
	if (migrations->stack.known && symbols && symbols->count)
		migrations->symbols = symbols;
}

struct migrations *migrations_open(const struct sched_stream *stream, const struct kernel_symbols *symbols,
				   bool is_live)
{
	struct migrations *migrations = xcalloc(1, sizeof(*migrations));

	migrations->stream = stream;
	migrations->is_live = is_live;
	migrations->symbols = stream ? NULL : symbols;
	if (stream) {
		const struct tracedat *trace = sched_stream_trace(stream);
		migrations->is_part = trace->followed_only;
		find_stacks(migrations, trace, symbols);
	}
	return migrations;
}

void migrations_close(struct migrations *migrations)
{
	if (!migrations)
		return;
	kernel_symbols_free(&migrations->own_symbols);
	free(migrations->cpus);
	free(migrations);
}

bool migrations_have_stacks(const struct migrations *migrations)
{
	return migrations->symbols;
}

uint64_t migrations_memory(const struct migrations *migrations, uint32_t cpus)
{
	return sizeof(*migrations) + (cpus + 16) * sizeof(*migrations->cpus);
}

static __attribute__((noinline, cold)) enum status add_cpu(struct migrations *migrations, uint32_t cpu,
							   struct error *err)
{
	if (cpu >= TASK_CPUS_MAX)
		return error_set(err, STATUS_CORRUPT, NULL, "an event names CPU %u, above the maximum", cpu);
	uint32_t count = cpu + 16;
	migrations->cpus = xreallocarray(migrations->cpus, count, sizeof(*migrations->cpus));
	for (uint32_t i = migrations->cpu_count; i < count; i++)
		migrations->cpus[i] = (struct cpu_trail){
		    .waking = MIGRATION_NO_CPU, .request = {.waker_pid = -1}, .before = SCHED_OTHER_EVENT};
	migrations->cpu_count = count;
	return STATUS_OK;
}

static inline enum status reserve_cpu(struct migrations *migrations, uint32_t cpu, struct error *err)
{
	return cpu < migrations->cpu_count ? STATUS_OK : add_cpu(migrations, cpu, err);
}

static struct pending_migration *pending_at(struct migrations *migrations, uint64_t number)
{
	return &migrations->queue[number % QUEUE];
}

/* Uses the cause from the stack if it has one, otherwise the traced cause. The stack of a stopper shows only the
 * mechanism; the stack of its waker shows the reason. The waker's reason is certain only if the moved task is the waker
 * (exec, NUMA) or if it is an affinity change. */
static void settle_migration(const struct migrations *migrations, struct pending_migration *pending)
{
	struct migration *migration = &pending->migration;
	const struct migration_stack *stack = &pending->stack;

	if (migrations->is_part && migration->traced != MIGRATION_WAKEUP && migration->traced != MIGRATION_FORK)
		migration->traced = MIGRATION_UNKNOWN;
	migration->cause = migration->traced;
	migration->pull = migration->traced == MIGRATION_PULL ? migration_pull_kind(pending) : PULL_UNKNOWN;
	if (!stack->function)
		return;
	migration->function = stack->function;
	if (!stack->by_request) {
		migration->cause = stack->cause;
		migration->pull =
		    stack->pull != PULL_UNKNOWN || stack->cause != MIGRATION_PULL ? stack->pull : migration->pull;
		migration->exact = true;
		return;
	}
	const struct stopper_request *request = &pending->request;
	bool own = request->waker_pid == migration->task.pid;
	if (request->function && (own || request->cause == MIGRATION_AFFINITY)) {
		migration->cause = own && request->cause == MIGRATION_AFFINITY ? MIGRATION_SELF : request->cause;
		migration->function = request->function;
		migration->exact = true;
	} else if (migration->traced == MIGRATION_ACTIVE) {
		migration->cause = MIGRATION_UNKNOWN; /* the stack excludes this cause */
	}
}

static bool is_settled(const struct pending_migration *pending)
{
	return pending->decided && !pending->waits_for_stack;
}

static void close_settled(struct migrations *migrations)
{
	size_t kept = 0;

	for (size_t i = 0; i < migrations->open_count; i++) {
		const struct pending_migration *pending = pending_at(migrations, migrations->open[i]);
		if (!is_settled(pending))
			migrations->open[kept++] = migrations->open[i];
	}
	migrations->open_count = kept;
}

static void give_up(struct pending_migration *pending, bool is_over)
{
	pending->waits_for_stack = false;
	if (!pending->decided)
		migration_rule_give_up(pending, is_over);
}

bool migrations_next(struct migrations *migrations, struct migration *migration)
{
	if (migrations->first == migrations->behind)
		return false;
	struct pending_migration *pending = pending_at(migrations, migrations->first);
	if (!is_settled(pending)) {
		if (migrations->now_ns - pending->migration.ts_ns < PATIENCE_NS &&
		    migrations->behind - migrations->first < QUEUE / 2)
			return false;
		give_up(pending, false);
		close_settled(migrations);
	}
	settle_migration(migrations, pending);
	*migration = pending->migration;
	migrations->first++;
	return true;
}

static struct pending_migration *add(struct migrations *migrations, const struct migration *migration)
{
	if (migrations->open_count == OPEN_MAX) {
		give_up(pending_at(migrations, migrations->open[0]), false);
		close_settled(migrations);
	}
	/* The oldest migration is dropped if the caller has not read it. */
	if (migrations->behind - migrations->first == QUEUE)
		migrations->first++;
	struct pending_migration *pending = pending_at(migrations, migrations->behind);
	*pending = (struct pending_migration){.migration = *migration};
	migrations->behind++;
	return pending;
}

static void add_fork(struct migrations *migrations, const struct sched_event *event, const struct task_step *step)
{
	const struct migration migration = {
	    .ts_ns = event->ts_ns,
	    .cpu = event->cpu,
	    .from_cpu = event->cpu,
	    .to_cpu = event->wakeup.target_cpu,
	    .task = event->wakeup.task,
	    .number = step ? step->wakeup.task : TASK_NONE,
	    .by_pid = event->common_pid,
	    .traced = MIGRATION_FORK,
	    .exact = true,
	};

	add(migrations, &migration)->decided = true;
}

/* True for stop_two_cpus(): the same task asked the stoppers of both CPUs. */
static bool is_two_stoppers(const struct migrations *migrations, const struct sched_event *event)
{
	uint32_t other = event->migrate.to_cpu == event->cpu ? event->migrate.from_cpu : event->migrate.to_cpu;
	const struct stopper_request *here = &migrations->cpus[event->cpu].request;
	const struct stopper_request *there = &migrations->cpus[other].request;

	return here->known && there->known && here->waker_pid == there->waker_pid;
}

/* Adds the facts of earlier migrations of the same batch, and of the other half of a swap. */
static void look_back(const struct migrations *migrations, struct pending_migration *pending)
{
	const struct migration *migration = &pending->migration;

	for (size_t i = 0; i < migrations->open_count; i++) {
		const struct pending_migration *other = &migrations->queue[migrations->open[i] % QUEUE];
		if (other->migration.cpu != migration->cpu || other->migration.by_pid != migration->by_pid)
			continue;
		if (other->migration.to_cpu == migration->to_cpu)
			pending->facts = (pending->facts & ~FACT(OTHERS_WAIT)) | (other->facts & FACT(OTHERS_WAIT));
		else if (other->migration.to_cpu == migration->from_cpu && pending->facts & FACT(CAN_SWAP))
			pending->facts |= other->facts & FACT(SWAPPED);
	}
}

static bool is_mover(const struct migrations *migrations, int32_t pid)
{
	for (size_t i = 0; i < MOVERS; i++)
		if (migrations->movers[i] == pid)
			return pid > 0;
	return false;
}

/* Notes a task that has changed the affinity of another task. */
static void note_mover(struct migrations *migrations, const struct pending_migration *pending)
{
	bool by_stopper = pending->facts & FACT(BY_STOPPER);
	int32_t pid = by_stopper ? pending->request.waker_pid : pending->migration.by_pid;

	if (pid <= 0 || pending->migration.traced != MIGRATION_AFFINITY || is_mover(migrations, pid))
		return;
	migrations->movers[migrations->mover_next] = pid;
	migrations->mover_next = (migrations->mover_next + 1) % MOVERS;
}

static uint64_t gather_facts(const struct migrations *migrations, const struct task_states *states,
			     const struct sched_event *event, const struct task_step *step)
{
	uint64_t facts = migration_facts(states, event, step, &migrations->cpus[event->cpu]);

	if (migrations->cpus[event->migrate.from_cpu].hotplug != HOTPLUG_NONE)
		facts |= FACT(MAY_BE_HOTPLUG);
	if (migrations->under_sched_ext)
		facts |= FACT(UNDER_SCHED_EXT);
	if (is_mover(migrations, event->common_pid))
		facts |= FACT(NO_PULL);
	if (!(facts & FACT(BY_STOPPER)))
		return facts;
	if (is_two_stoppers(migrations, event))
		return facts | FACT(CAN_SWAP);
	/* When the stopper leaves its CPU idle, it pulls tasks like any other task. */
	return facts & FACT(TO_HERE) ? facts ^ FACT(BY_STOPPER) ^ FACT(STOPPER_PULLS) : facts;
}

/* Decides the migration at once, if the facts suffice. */
static void apply_rules(struct migrations *migrations, const struct task_states *states,
			const struct sched_event *event, const struct task_step *step,
			struct pending_migration *pending)
{
	struct stopper_request *request = &migrations->cpus[event->cpu].request;

	pending->facts = gather_facts(migrations, states, event, step);
	/* A stopper moves tasks on request, unless it pulls them. */
	if (pending->facts & FACT(BY_STOPPER)) {
		pending->facts |= migration_request_facts(request, &pending->migration);
		request->has_moved = true;
	}
	look_back(migrations, pending);
	migration_rule_begin(pending);
	if (pending->decided)
		note_mover(migrations, pending);
}

static void add_migration(struct migrations *migrations, const struct task_states *states,
			  const struct sched_event *event, const struct task_step *step)
{
	const struct migration migration = {
	    .ts_ns = event->ts_ns,
	    .cpu = event->cpu,
	    .from_cpu = event->migrate.from_cpu,
	    .to_cpu = event->migrate.to_cpu,
	    .task = event->migrate.task,
	    .number = step ? step->migration.task : TASK_NONE,
	    .asleep = step && step->migration.state == TASK_SLEEPING,
	    .by_pid = event->common_pid,
	    .traced = MIGRATION_UNKNOWN,
	};
	struct pending_migration *pending = add(migrations, &migration);

	pending->waits_for_stack = migrations->symbols;
	pending->decided = migrations->is_live;
	pending->event_context = event->context;
	pending->request = migrations->cpus[event->cpu].request;
	if (!migrations->is_live)
		apply_rules(migrations, states, event, step, pending);
	if (!is_settled(pending))
		migrations->open[migrations->open_count++] = migrations->behind - 1;
}

static bool is_stopper(const struct sched_task *task, uint32_t cpu)
{
	return migration_names_stopper(&task->comm, task->prio, cpu);
}

/* Notes the waker of a stopper. */
static void note_request(struct migrations *migrations, const struct sched_event *event)
{
	struct cpu_trail *stopper = &migrations->cpus[event->wakeup.target_cpu];
	bool by_waking = event->kind == SCHED_WAKING;

	/* sched_waking names the waker; sched_wakeup may follow later on another CPU. */
	if (!by_waking && stopper->request.by_waking && stopper->request.known)
		return;
	migrations->request_count += !stopper->request.known;
	stopper->request = (struct stopper_request){
	    .known = true,
	    .by_waking = by_waking,
	    .waker_pid = event->common_pid,
	    .waker_cpu = event->cpu,
	    .context = event->context,
	    .cause = MIGRATION_UNKNOWN,
	};
}

static void forget_request(struct migrations *migrations, struct cpu_trail *cpu)
{
	migrations->request_count -= cpu->request.known;
	cpu->request = (struct stopper_request){.waker_pid = -1};
}

static void watch_hotplug(struct cpu_trail *cpu, const struct sched_event *event)
{
	const struct sched_task *prev = &event->switched.prev, *next = &event->switched.next;

	if (comm_is_cpu_thread(&next->comm, "cpuhp", event->cpu))
		cpu->hotplug = HOTPLUG_THREAD_RAN;
	else if (cpu->hotplug == HOTPLUG_GOT_TASK && prev->pid > 0 && !comm_is_kernel_thread(&prev->comm) &&
		 !is_stopper(next, event->cpu))
		cpu->hotplug = HOTPLUG_NONE;
}

static void note_arrival(struct cpu_trail *cpu, const struct sched_task *task)
{
	if (cpu->hotplug == HOTPLUG_THREAD_RAN && !comm_is_kernel_thread(&task->comm))
		cpu->hotplug = HOTPLUG_GOT_TASK;
}

/* Notes that a requester has gone to sleep. In state D it may wait for the stopper. */
static void note_leaver(struct migrations *migrations, int32_t pid, enum leave_reason out)
{
	if (out == LEAVE_UNINTERRUPTIBLE || out == LEAVE_UNKNOWN || pid <= 0 || migrations->request_count == 0)
		return;
	for (uint32_t i = 0; i < migrations->cpu_count; i++)
		if (migrations->cpus[i].request.waker_pid == pid)
			migrations->cpus[i].request.waker_left = true;
}

static void watch_switch(struct migrations *migrations, const struct sched_event *event, const struct task_step *step)
{
	struct cpu_trail *cpu = &migrations->cpus[event->cpu];

	watch_hotplug(cpu, event);
	if (is_stopper(&event->switched.prev, event->cpu))
		forget_request(migrations, cpu);
	if (step_leaves_asleep(step))
		note_leaver(migrations, event->switched.prev.pid, step->slices[step->slice_count - 1].out);
}

/* Passes the event to all undecided migrations; it may decide them. */
static void tell_open(struct migrations *migrations, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step)
{
	if (migrations->open_count == 0)
		return;
	for (size_t i = 0; i < migrations->open_count; i++) {
		struct pending_migration *pending = pending_at(migrations, migrations->open[i]);
		if (event->cpu == pending->migration.cpu)
			pending->waits_for_stack = false;
		if (pending->decided)
			continue;
		migration_rule_event(pending, states, event, step);
		if (pending->decided)
			note_mover(migrations, pending);
	}
	close_settled(migrations);
}

static enum status reserve(struct migrations *migrations, const struct sched_event *event, struct error *err)
{
	enum status status = reserve_cpu(migrations, event->cpu, err);

	if (status == STATUS_OK && event->kind == SCHED_MIGRATE) {
		status = reserve_cpu(migrations, event->migrate.from_cpu, err);
		if (status == STATUS_OK)
			status = reserve_cpu(migrations, event->migrate.to_cpu, err);
	} else if (status == STATUS_OK &&
		   (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW || event->kind == SCHED_WAKING)) {
		status = reserve_cpu(migrations, event->wakeup.target_cpu, err);
	}
	return status;
}

/* Adds the stack of a stopper's waker to the request. */
static void take_request_stack(struct migrations *migrations, struct cpu_trail *cpu, const uint64_t *addresses,
			       size_t count)
{
	struct stopper_request *request = &migrations->cpus[cpu->waking].request;
	struct migration_stack stack;

	migration_stack_of_request(migrations->symbols, addresses, count, &stack);
	request->cause = stack.cause;
	request->function = stack.function;
	cpu->waking = MIGRATION_NO_CPU;
}

void migrations_stack(struct migrations *migrations, const struct sched_event *event, const uint64_t *addresses,
		      size_t count)
{
	if (event->cpu >= migrations->cpu_count)
		return;
	struct cpu_trail *cpu = &migrations->cpus[event->cpu];
	if (cpu->waking != MIGRATION_NO_CPU) {
		take_request_stack(migrations, cpu, addresses, count);
		return;
	}
	for (size_t i = 0; i < migrations->open_count; i++) {
		struct pending_migration *pending = pending_at(migrations, migrations->open[i]);
		if (!pending->waits_for_stack || pending->migration.cpu != event->cpu)
			continue;
		if (pending->migration.by_pid == event->common_pid)
			migration_stack_of_move(migrations->symbols, addresses, count, &pending->stack);
		pending->waits_for_stack = false;
	}
	close_settled(migrations);
}

/* Takes the stack if the event is a kernel_stack. */
static bool take_stack(struct migrations *migrations, const struct sched_event *event)
{
	uint64_t addresses[STACK_DEPTH_MAX];

	if (event->kind != SCHED_OTHER_EVENT || !migrations->stream || !migrations->symbols)
		return false;
	const struct ring_record *record = sched_stream_record(migrations->stream);
	if (!kernel_stack_is(&migrations->stack, record))
		return false;
	migrations_stack(migrations, event, addresses,
			 kernel_stack_read(&migrations->stack, record, addresses, STACK_DEPTH_MAX));
	return true;
}

static void note_wakeup(struct migrations *migrations, const struct sched_event *event)
{
	const struct sched_task *task = &event->wakeup.task;

	if (event->kind != SCHED_WAKEUP_NEW && is_stopper(task, event->wakeup.target_cpu))
		note_request(migrations, event);
	if (event->kind != SCHED_WAKING)
		note_arrival(&migrations->cpus[event->wakeup.target_cpu], task);
}

/* Remembers the event as the previous one of its CPU. */
static void note_event(struct cpu_trail *cpu, const struct sched_event *event)
{
	cpu->before = event->kind;
	cpu->before_pid = event->kind == SCHED_SWITCH ? event->switched.next.pid : event->common_pid;
	if (event->kind == SCHED_WAKEUP) {
		cpu->woken_prio = event->wakeup.task.prio;
		cpu->woken_cpu = event->wakeup.target_cpu;
	}
	cpu->before_ns = event->ts_ns;
}

/* False for an idle task, which means a damaged trace. */
static bool is_about_task(const struct sched_event *event, const struct task_step *step)
{
	return event->kind == SCHED_MIGRATE      ? step->changes & STEP_MIGRATION
	       : event->kind == SCHED_WAKEUP_NEW ? step->changes & STEP_WAKEUP
						 : true;
}

enum status migrations_step(struct migrations *migrations, const struct task_states *states,
			    const struct sched_event *event, const struct task_step *step, struct error *err)
{
	struct scheduler_mark scheduler;

	if ((step && !is_about_task(event, step)) || take_stack(migrations, event))
		return STATUS_OK;
	enum status status = reserve(migrations, event, err);
	if (status != STATUS_OK)
		return status;
	struct cpu_trail *cpu = &migrations->cpus[event->cpu];
	migrations->now_ns = event->ts_ns;
	tell_open(migrations, states, event, step);
	switch (event->kind) {
	case SCHED_SWITCH:
		watch_switch(migrations, event, step);
		break;
	case SCHED_WAKEUP:
		note_wakeup(migrations, event);
		break;
	case SCHED_WAKEUP_NEW:
		note_wakeup(migrations, event);
		if (event->cpu != event->wakeup.target_cpu)
			add_fork(migrations, event, step);
		break;
	case SCHED_WAKING:
		note_wakeup(migrations, event);
		cpu->waking = is_stopper(&event->wakeup.task, event->wakeup.target_cpu) ? event->wakeup.target_cpu
											: MIGRATION_NO_CPU;
		return STATUS_OK;
	case SCHED_MIGRATE:
		add_migration(migrations, states, event, step);
		note_arrival(&migrations->cpus[event->migrate.to_cpu], &event->migrate.task);
		break;
	case SCHED_LOST:
		forget_request(migrations, cpu);
		break;
	case SCHED_MARK:
		if (scheduler_mark_read(event->mark.text, event->mark.length, &scheduler))
			migrations->under_sched_ext = scheduler.has_all_tasks;
		return STATUS_OK;
	default:
		return STATUS_OK;
	}
	cpu->waking = MIGRATION_NO_CPU;
	note_event(cpu, event);
	return STATUS_OK;
}

void migrations_end(struct migrations *migrations)
{
	for (size_t i = 0; i < migrations->open_count; i++)
		give_up(pending_at(migrations, migrations->open[i]), true);
	migrations->open_count = 0;
}
