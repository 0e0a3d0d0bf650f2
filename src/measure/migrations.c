/* SPDX-License-Identifier: MIT */
#include "measure/migrations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/migration_rules.h"
#include "trace/scheduler_mark.h"

/* Maximum number of undecided migrations, in time order. Beyond that the oldest is returned undecided. */
enum { QUEUE = 1024, OPEN_MAX = 64, MOVERS = 32 };

/* Later events belong to another cause. A virtual CPU can stop for seconds. */
#define PATIENCE_NS UINT64_C(10000000000)

struct migrations {
	bool has_stacks, stacks_only;
	bool under_sched_ext; /* since the last mark of a scheduler */
	bool is_part;         /* migrations_follow() */
	struct cpu_trail *cpus;
	uint32_t cpu_count;
	struct pending_migration queue[QUEUE];
	uint64_t first, behind;  /* positions in the queue, modulo QUEUE */
	uint64_t open[OPEN_MAX]; /* positions of migrations that wait for further events */
	size_t open_count;
	uint32_t request_count; /* CPUs with a known request */
	int32_t movers[MOVERS]; /* PIDs of tasks that changed the affinity of others, the latest ones */
	size_t mover_next;
	uint64_t now_ns;
};

enum status migrations_open(bool has_stacks, bool stacks_only, struct migrations **migrations, struct error *err)
{
	*migrations = calloc(1, sizeof(**migrations));
	if (!*migrations)
		return error_system(err, ENOMEM, NULL, "cannot follow migrations");
	(*migrations)->has_stacks = has_stacks;
	(*migrations)->stacks_only = stacks_only;
	return STATUS_OK;
}

void migrations_follow(struct migrations *migrations)
{
	migrations->is_part = true;
}

void migrations_close(struct migrations *migrations)
{
	if (migrations)
		free(migrations->cpus);
	free(migrations);
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
	struct cpu_trail *cpus = realloc(migrations->cpus, count * sizeof(*cpus));
	if (!cpus)
		return error_system(err, ENOMEM, NULL, "cannot follow %u CPUs", count);
	for (uint32_t i = migrations->cpu_count; i < count; i++)
		cpus[i] =
		    (struct cpu_trail){.stopper_pid = -1, .waking = MIGRATION_NO_CPU, .request = {.waker_pid = -1}};
	migrations->cpus = cpus;
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
	if (!stack->function)
		return;
	migration->function = stack->function;
	if (!stack->by_request) {
		migration->cause = stack->cause;
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
		migration->cause = MIGRATION_UNKNOWN; /* the stack rules it out */
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

static void add_fork(struct migrations *migrations, const struct sched_event *event,
		     const struct migration_context *context)
{
	const struct migration migration = {
	    .ts_ns = event->ts_ns,
	    .cpu = event->cpu,
	    .from_cpu = event->cpu,
	    .to_cpu = event->wakeup.target_cpu,
	    .task = event->wakeup.task,
	    .number = context->number,
	    .by_pid = event->common_pid,
	    .traced = MIGRATION_FORK,
	    .exact = true,
	};

	add(migrations, &migration)->decided = true;
}

/* stop_two_cpus(): the same task asked the stoppers of both CPUs. */
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

/* The task has changed the affinity of another task. */
static void note_mover(struct migrations *migrations, const struct pending_migration *pending)
{
	bool by_stopper = pending->facts & FACT(BY_STOPPER);
	int32_t pid = by_stopper ? pending->request.waker_pid : pending->migration.by_pid;

	if (pid <= 0 || pending->migration.traced != MIGRATION_AFFINITY || is_mover(migrations, pid))
		return;
	migrations->movers[migrations->mover_next] = pid;
	migrations->mover_next = (migrations->mover_next + 1) % MOVERS;
}

static uint64_t gather_facts(const struct migrations *migrations, const struct sched_event *event,
			     const struct migration_context *context)
{
	uint64_t facts = migration_facts(event, context, &migrations->cpus[event->cpu]);

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

/* A stopper moves tasks as it was asked to, unless it pulls them. */
static void note_request_use(struct stopper_request *request, struct pending_migration *pending)
{
	pending->request = *request;
	if (!(pending->facts & FACT(BY_STOPPER)))
		return;
	pending->facts |= migration_request_facts(request, &pending->migration);
	request->has_moved = true;
}

static void add_migration(struct migrations *migrations, const struct sched_event *event,
			  const struct migration_context *context)
{
	const struct migration migration = {
	    .ts_ns = event->ts_ns,
	    .cpu = event->cpu,
	    .from_cpu = event->migrate.from_cpu,
	    .to_cpu = event->migrate.to_cpu,
	    .task = event->migrate.task,
	    .number = context->number,
	    .by_pid = event->common_pid,
	    .traced = MIGRATION_UNKNOWN,
	};
	struct pending_migration *pending = add(migrations, &migration);

	pending->waits_for_stack = migrations->has_stacks;
	pending->decided = migrations->stacks_only;
	pending->event_context = event->context;
	pending->facts = gather_facts(migrations, event, context);
	if (pending->facts & (FACT(BY_STOPPER) | FACT(STOPPER_PULLS)))
		note_request_use(&migrations->cpus[event->cpu].request, pending);
	look_back(migrations, pending);
	if (!migrations->stacks_only)
		migration_rule_begin(pending);
	if (pending->decided)
		note_mover(migrations, pending);
	if (!is_settled(pending))
		migrations->open[migrations->open_count++] = migrations->behind - 1;
}

/* Its name and the highest priority. */
static bool is_stopper(const struct sched_task *task, uint32_t cpu)
{
	return task->prio == 0 && comm_is_cpu_thread(&task->comm, "migration", cpu);
}

static void note_request(struct migrations *migrations, uint32_t cpu, const struct sched_event *event,
			 const struct sched_task *task, bool by_waking)
{
	struct cpu_trail *stopper = &migrations->cpus[cpu];
	stopper->stopper_pid = task->pid;
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
		 next->pid != cpu->stopper_pid)
		cpu->hotplug = HOTPLUG_NONE;
}

static void note_arrival(struct cpu_trail *cpu, const struct sched_task *task)
{
	if (cpu->hotplug == HOTPLUG_THREAD_RAN && !comm_is_kernel_thread(&task->comm))
		cpu->hotplug = HOTPLUG_GOT_TASK;
}

static void watch_switch(struct migrations *migrations, const struct sched_event *event,
			 const struct migration_context *context)
{
	struct cpu_trail *cpu = &migrations->cpus[event->cpu];
	int32_t prev = event->switched.prev.pid;

	if (is_stopper(&event->switched.next, event->cpu))
		cpu->stopper_pid = event->switched.next.pid;
	watch_hotplug(cpu, event);
	if (prev == cpu->stopper_pid)
		forget_request(migrations, cpu);
	if (!context->sleeps || context->uninterruptible || prev <= 0 || migrations->request_count == 0)
		return;
	for (uint32_t i = 0; i < migrations->cpu_count; i++)
		if (migrations->cpus[i].request.waker_pid == prev)
			migrations->cpus[i].request.waker_left = true;
}

/* Passes the event to all undecided migrations; it may decide them. */
static void tell_open(struct migrations *migrations, const struct sched_event *event, bool sleeps)
{
	if (migrations->open_count == 0)
		return;
	for (size_t i = 0; i < migrations->open_count; i++) {
		struct pending_migration *pending = pending_at(migrations, migrations->open[i]);
		if (event->cpu == pending->migration.cpu)
			pending->waits_for_stack = false;
		if (pending->decided)
			continue;
		migration_rule_event(pending, event, sleeps, migrations->cpus);
		if (pending->decided)
			note_mover(migrations, pending);
	}
	close_settled(migrations);
}

static uint64_t waiting_since(const struct task_states *states, uint32_t cpu, uint32_t but)
{
	uint64_t since_ns = UINT64_MAX;
	uint32_t task = states->cpus[cpu].runnable_first;

	for (int looked = 0; task != TASK_NONE && looked < 64; task = states->tasks[task].next, looked++)
		if (task != but && states->tasks[task].since_ns < since_ns)
			since_ns = states->tasks[task].since_ns;
	return since_ns;
}

/* A CPU that goes idle has taken all tasks off its queue that sleep there (delayed dequeue). */
static bool was_idle_since(const struct task_states *states, uint32_t cpu, uint64_t since_ns)
{
	uint32_t idle = states->cpus[cpu].idle;

	return idle != TASK_NONE && states->tasks[idle].was_seen && states->tasks[idle].since_ns >= since_ns;
}

/* After the task has left. */
static bool has_no_task(const struct task_states *states, uint32_t cpu)
{
	uint32_t current = states->cpus[cpu].current;

	return current != TASK_NONE && states->tasks[current].is_idle && states->cpus[cpu].runnable == 0;
}

bool migration_context_of(const struct task_states *states, const struct sched_event *event,
			  const struct task_step *step, struct migration_context *context)
{
	*context = (struct migration_context){
	    .state = TASK_UNKNOWN,
	    .current_prio = TASK_PRIO_UNKNOWN,
	    .others_wait_ns = UINT64_MAX,
	};
	if (event->kind == SCHED_SWITCH && step->slice_count) {
		enum leave_reason out = step->slices[step->slice_count - 1].out;
		context->sleeps = !leave_reason_is_runnable(out);
		context->uninterruptible = out == LEAVE_UNINTERRUPTIBLE || out == LEAVE_UNKNOWN;
	}
	if (step->changes & STEP_WAKEUP)
		context->number = step->wakeup.task;
	if (step->changes & STEP_MIGRATION) {
		uint32_t current = states->cpus[event->cpu].current;
		if (current != TASK_NONE) {
			context->current_prio = states->tasks[current].prio;
			context->in_ksoftirqd = comm_is_cpu_thread(task_comm(states, current), "ksoftirqd", event->cpu);
		}
		context->state = step->migration.state;
		context->left_runnable = states->tasks[step->migration.task].cause == WAIT_RUNNABLE;
		context->may_be_queued =
		    context->state == TASK_SLEEPING &&
		    !was_idle_since(states, step->migration.from_cpu, states->tasks[step->migration.task].since_ns);
		context->was_alone = has_no_task(states, step->migration.from_cpu);
		context->number = step->migration.task;
		context->others_wait_ns = waiting_since(states, step->migration.to_cpu, step->migration.task);
	}
	return event->kind == SCHED_MIGRATE      ? step->changes & STEP_MIGRATION
	       : event->kind == SCHED_WAKEUP_NEW ? step->changes & STEP_WAKEUP
						 : true;
}

static enum status reserve(struct migrations *migrations, const struct sched_event *event, struct error *err)
{
	enum status status = reserve_cpu(migrations, event->cpu, err);

	if (status == STATUS_OK && event->kind == SCHED_MIGRATE) {
		status = reserve_cpu(migrations, event->migrate.from_cpu, err);
		if (status == STATUS_OK)
			status = reserve_cpu(migrations, event->migrate.to_cpu, err);
	} else if (status == STATUS_OK && (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW)) {
		status = reserve_cpu(migrations, event->wakeup.target_cpu, err);
	}
	return status;
}

enum status migrations_event(struct migrations *migrations, const struct sched_event *event,
			     const struct migration_context *context, struct error *err)
{
	struct scheduler_mark scheduler;
	enum status status = reserve(migrations, event, err);

	if (status != STATUS_OK)
		return status;
	struct cpu_trail *cpu = &migrations->cpus[event->cpu];
	migrations->now_ns = event->ts_ns;
	tell_open(migrations, event, context->sleeps);
	switch (event->kind) {
	case SCHED_SWITCH:
		watch_switch(migrations, event, context);
		break;
	case SCHED_WAKEUP:
		if (is_stopper(&event->wakeup.task, event->wakeup.target_cpu))
			note_request(migrations, event->wakeup.target_cpu, event, &event->wakeup.task, false);
		note_arrival(&migrations->cpus[event->wakeup.target_cpu], &event->wakeup.task);
		break;
	case SCHED_WAKEUP_NEW:
		note_arrival(&migrations->cpus[event->wakeup.target_cpu], &event->wakeup.task);
		if (event->cpu != event->wakeup.target_cpu)
			add_fork(migrations, event, context);
		break;
	case SCHED_MIGRATE:
		add_migration(migrations, event, context);
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
	cpu->after_wakeup = event->kind == SCHED_WAKEUP;
	cpu->after_switch = event->kind == SCHED_SWITCH;
	cpu->after_pid = event->kind == SCHED_SWITCH ? event->switched.next.pid : event->common_pid;
	if (event->kind == SCHED_WAKEUP) {
		cpu->woken_prio = event->wakeup.task.prio;
		cpu->woken_cpu = event->wakeup.target_cpu;
	}
	cpu->last_ns = event->ts_ns;
	return STATUS_OK;
}

enum status migrations_waking(struct migrations *migrations, const struct sched_event *event,
			      const struct sched_task *task, uint32_t target_cpu, struct error *err)
{
	enum status status = reserve_cpu(migrations, event->cpu, err);

	if (status == STATUS_OK)
		status = reserve_cpu(migrations, target_cpu, err);
	if (status != STATUS_OK)
		return status;
	migrations->now_ns = event->ts_ns;
	tell_open(migrations, event, false);
	migrations->cpus[event->cpu].waking = MIGRATION_NO_CPU;
	if (is_stopper(task, target_cpu)) {
		note_request(migrations, target_cpu, event, task, true);
		migrations->cpus[event->cpu].waking = target_cpu;
	}
	return STATUS_OK;
}

void migrations_stack(struct migrations *migrations, const struct sched_event *event,
		      const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count)
{
	struct migration_stack stack;

	if (event->cpu >= migrations->cpu_count)
		return;
	struct cpu_trail *cpu = &migrations->cpus[event->cpu];
	if (cpu->waking != MIGRATION_NO_CPU) {
		struct stopper_request *request = &migrations->cpus[cpu->waking].request;
		migration_stack_of_request(symbols, addresses, count, &stack);
		request->cause = stack.cause;
		request->function = stack.function;
		cpu->waking = MIGRATION_NO_CPU;
		return;
	}
	for (size_t i = 0; i < migrations->open_count; i++) {
		struct pending_migration *pending = pending_at(migrations, migrations->open[i]);
		if (!pending->waits_for_stack || pending->migration.cpu != event->cpu)
			continue;
		if (pending->migration.by_pid == event->common_pid)
			migration_stack_of_move(symbols, addresses, count, &pending->stack);
		pending->waits_for_stack = false;
	}
	close_settled(migrations);
}

void migrations_end(struct migrations *migrations)
{
	for (size_t i = 0; i < migrations->open_count; i++)
		give_up(pending_at(migrations, migrations->open[i]), true);
	migrations->open_count = 0;
}
