/* SPDX-License-Identifier: MIT
 *
 * A whole trace, binary or text, through the task machine and all that is computed from its steps. What the machine
 * promises of its steps and its lists must hold whatever the trace says; two runs are fed one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/run_metrics.h"
#include "data/row_kind.h"
#include "fuzz/tracedat_mutator.h"
#include "measure/affinity.h"
#include "measure/idle_waiting.h"
#include "measure/inversions.h"
#include "measure/role_account.h"
#include "measure/top.h"
#include "measure/worst_waits.h"
#include "trace/format/tracedat.h"
#include "trace/role_table.h"
#include "trace/source.h"
#include "trace/task_states.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

struct consumers {
	struct task_states states;
	struct idle_waiting waiting;
	struct inversions inversions;
	struct worst_waits worst;
	struct cgroups cgroups; /* none: nothing is known */
	struct affinity affinity;
	struct top top;
	struct run_metrics_scope scope;
	struct run_metrics_work *metrics;
	struct role_account *roles;
	struct decisions decisions;
	uint64_t cpu_time_ns; /* by slices */
};

static bool is_dat(const uint8_t *data, size_t size)
{
	return size > TRACEDAT_MAGIC_SIZE && memcmp(data, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE) == 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return is_dat(data, size) ? tracedat_mutate(data, size, max_size, seed)
				  : LLVMFuzzerMutate(data, size, max_size);
}

static void check_slice(struct consumers *all, const struct task_slice *slice)
{
	const struct task_states *states = &all->states;

	if (slice->task >= states->task_count || slice->comm >= states->comms.count ||
	    slice->cpu >= states->cpu_count || slice->end_ns < slice->start_ns || slice->out >= LEAVE_KINDS)
		abort();
	all->cpu_time_ns += slice->end_ns - slice->start_ns;
	affinity_add(&all->affinity, slice);
}

static void check_step(struct consumers *all, const struct sched_event *event, const struct task_step *step)
{
	const struct task_states *states = &all->states;

	if (step->slice_count > 2 || ((step->changes & (STEP_SLICE | STEP_LOSS)) == 0 && step->slice_count))
		abort();
	for (unsigned int i = 0; i < step->slice_count; i++)
		check_slice(all, &step->slices[i]);
	if (step->changes & STEP_RUN &&
	    (step->started >= states->task_count || states->cpus[event->cpu].current != step->started))
		abort();
	if (step->changes & STEP_WAIT && (step->wait.task >= states->task_count || step->wait.cause >= WAIT_CAUSES ||
					  step->wait.end_ns < step->wait.since_ns))
		abort();
	if (step->changes & STEP_WAKEUP && step->wakeup.task >= states->task_count)
		abort();
	if (step->changes & STEP_MIGRATION &&
	    (step->migration.task >= states->task_count || step->migration.to_cpu >= states->cpu_count))
		abort();
}

/* The tasks that wait for a CPU are in its list, each once, and say so themselves. */
static void check_lists(const struct task_states *states)
{
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++) {
		uint32_t count = 0;
		uint32_t previous = TASK_NONE;
		for (uint32_t at = states->cpus[cpu].runnable_first; at != TASK_NONE; at = states->tasks[at].next) {
			const struct task *task = &states->tasks[at];
			if (task->state != TASK_RUNNABLE || task->epoch != states->epoch || task->cpu != cpu ||
			    task->previous != previous || count++ > states->task_count)
				abort();
			previous = at;
		}
		if (count != states->cpus[cpu].runnable)
			abort();
		uint32_t current = states->cpus[cpu].current;
		if (current != TASK_NONE && (current >= states->task_count || cpu >= states->seen_cpus))
			abort();
		if (states->cpus[cpu].seen && cpu >= states->seen_cpus)
			abort();
	}
}

static void check_cut(struct consumers *all, const struct task_slice *slice)
{
	run_metrics_cut(all->metrics, &all->states, slice);
}

/* Migrations of any cause but a fork, of which there are no more than new tasks. */
static void feed_metrics(struct consumers *all, const struct sched_event *event, const struct task_step *step)
{
	static const enum migration_cause causes[] = {MIGRATION_WAKEUP, MIGRATION_PULL, MIGRATION_ACTIVE,
						      MIGRATION_UNKNOWN};
	const struct migration migration = {
	    .ts_ns = event->ts_ns,
	    .number = step->migration.task,
	    .cause = causes[event->ts_ns % (sizeof(causes) / sizeof(*causes))],
	};

	run_metrics_step(all->metrics, &all->states, event, step);
	role_account_step(all->roles, &all->states, event, step);
	if (step->changes & STEP_MIGRATION)
		run_metrics_migration(all->metrics, &all->states, &migration);
}

/* A metric is not known, or it is one that can be. */
static void check_values(const struct run_metrics *metrics)
{
	for (const struct metric *metric = metric_table(); metric->name; metric++) {
		const double value = metrics->values[metric_index(metric)];
		const double max = strcmp(metric->unit, "%") == 0               ? 100.000001
				   : strcmp(metric->name, "fairness_jain") == 0 ? 1.000001
										: INFINITY;
		if (!isnan(value) && !(value >= 0 && isfinite(value) && value <= max))
			abort();
	}
}

static void check_percent(double value)
{
	if (!isnan(value) && !(value >= 0 && value <= 100.000001))
		abort();
}

static void check_role_account(struct consumers *all)
{
	struct role_results results;

	role_account_end(all->roles, all->states.last_ns, &results);
	role_account_free(all->roles);
	check_percent(results.role_share_error);
	check_percent(results.cgroup_share_error);
	check_percent(results.quota_share);
}

static void check_metrics(struct consumers *all)
{
	struct run_metrics whole, steady;

	run_metrics_end(all->metrics, &all->states, &whole, &steady);
	check_values(&whole);
	check_values(&steady);
	if (whole.duration_ns > all->states.last_ns - all->states.first_ns ||
	    steady.begin_ns < whole.begin_ns * !!steady.duration_ns || steady.duration_ns > whole.duration_ns ||
	    steady.distributions[RUN_SLICES].count > whole.distributions[RUN_SLICES].count)
		abort();
	run_metrics_free(&whole);
	run_metrics_free(&steady);
}

/* The candidates are in order, each once, and the chosen one is among them if it is listed. */
static void check_decision(struct consumers *all, const struct sched_event *event, const struct task_step *step)
{
	const struct role_table none = {.count = 0};
	const struct trace_labels labels = {{"", "", "", "", "", "", "", ""}};
	const struct columns columns = pick_rows.columns(NULL);
	struct row_writer writer;
	const struct decision *decision = decisions_step(&all->decisions, &all->states, event, step);
	struct dataset_row values = {.event = event, .decision = decision, .states = &all->states, .roles = &none};
	struct buffer row = {0};

	if (!decision)
		return;
	if (!decision->listed || decision->listed > decision->candidate_count ||
	    decision->listed > DECISION_CANDIDATES_MAX || decision->others_idle > all->states.cpu_count)
		abort();
	if (decision->chosen == UINT32_MAX ? decision->candidate_count <= DECISION_CANDIDATES_MAX
					   : decision->candidates[decision->chosen].task != decision->chosen_task)
		abort();
	for (uint32_t i = 0; i < decision->listed; i++) {
		const struct decision_candidate *it = &decision->candidates[i];
		if (it->task >= all->states.task_count || it->since_ns > decision->ts_ns ||
		    (i && it->since_ns < it[-1].since_ns))
			abort();
	}
	row_writer_begin(&writer, &columns, &labels);
	row_writer_add(&writer, &values, decision->listed, &row);
	row_writer_free(&writer);
	buffer_free(&row);
}

static void check_roles(const struct task_states *states)
{
	struct role_table roles;

	role_table_make(&roles, states);
	for (uint32_t i = 0; i < roles.count; i++)
		if (!*roles.roles[i] || strpbrk(roles.roles[i], " ,\"\r\n"))
			abort();
	role_table_free(&roles);
}

/* No task runs on the CPU of a wait for longer than that, and no CPU hides for longer than it was seen. */
static void check_worst(const struct consumers *all)
{
	for (uint32_t i = 0; i < all->worst.count; i++) {
		const struct worst_wait *wait = &all->worst.list[i];
		if (wait->end_ns < wait->since_ns || wait->ran_ns > wait->end_ns - wait->since_ns ||
		    wait->task >= all->states.task_count)
			abort();
	}
	for (uint32_t cpu = 0; cpu < all->states.cpu_count; cpu++)
		if (all->states.cpus[cpu].observed_hidden_ns > all->states.cpus[cpu].observed_ns)
			abort();
}

static void end_run(struct consumers *all)
{
	struct task_states *states = &all->states;
	struct task_slice slice;

	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		if (task_states_end_cpu(states, cpu, states->last_ns, &slice))
			check_slice(all, &slice), check_cut(all, &slice);
	check_metrics(all);
	check_role_account(all);
	idle_waiting_end(&all->waiting, states, states->last_ns);
	inversions_end(&all->inversions, states, states->last_ns);
	worst_waits_end(&all->worst, &all->cgroups, states, states->last_ns);
	check_worst(all);
	top_finish(&all->top, states, states->last_ns);
	/* No task runs for longer than its CPU was looked at. */
	uint64_t observed = 0;
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		observed += states->cpus[cpu].observed_ns - states->cpus[cpu].observed_absent_ns[CPU_UNKNOWN] -
			    states->cpus[cpu].observed_absent_ns[CPU_BETWEEN];
	if (all->cpu_time_ns != observed)
		abort();
}

static void read_run(struct consumers *all, struct sched_source *source)
{
	static struct run_role roles[] = {{.name = "alpha", .nice = -5, .cgroup = "a/b"},
					  {.name = "beta", .policy = "idle", .cgroup = "c"},
					  {.name = "worker"}};
	static struct run_cgroup groups[] = {{"a", 200, 0, 0}, {"a/b", 10, 3000000, 10000000}, {"c", 1, 0, 0}};
	const struct run_work work = {.roles = roles, .role_count = 3, .cgroups = groups, .cgroup_count = 3};
	struct task_states *states = &all->states;
	struct sched_event event;
	struct task_step step;
	uint64_t last_ns = 0;
	unsigned int count = 0;

	task_states_begin(states, sched_source_leave_reasons(source), sched_source_scope(source));
	all->metrics = run_metrics_begin(&all->scope);
	all->roles = role_account_begin(&work);
	if (!all->metrics)
		abort();
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		if (sched_source_starts_late(source, cpu) && task_states_late_start(states, cpu, NULL) != STATUS_OK)
			abort();
	while (sched_source_next(source, &event, NULL) == STATUS_OK) {
		if (event.ts_ns < last_ns)
			abort();
		last_ns = event.ts_ns;
		enum status status = task_states_step(states, &event, &step, NULL);
		if (status == STATUS_CORRUPT)
			break;
		if (status != STATUS_OK)
			abort();
		check_step(all, &event, &step);
		feed_metrics(all, &event, &step);
		check_decision(all, &event, &step);
		if (count++ % 8 == 0)
			check_lists(states);
		if (count == 200)
			top_finish(&all->top, states, event.ts_ns), top_restart(&all->top, event.ts_ns);
		idle_waiting_step(&all->waiting, states, event.cpu, event.ts_ns, &step);
		inversions_step(&all->inversions, states, event.cpu, event.ts_ns, &step);
		worst_waits_step(&all->worst, &all->cgroups, states, &step);
		top_step(&all->top, states, &event, &step);
	}
	end_run(all);
	check_roles(states);
	struct losses losses = {0};
	uint64_t max_ns;
	sched_source_losses(source, &losses);
	losses_free(&losses);
	sched_source_backwards(source, &max_ns);
	sched_source_malformed(source);
	sched_source_overwritten(source);
}

static void look_at(struct consumers *all)
{
	char text[64];
	uint32_t tasks[8];

	for (uint32_t task = 0; task < all->affinity.count; task++) {
		const struct affinity_task *of = &all->affinity.tasks[task];
		int score = affinity_score(of->runs, 1, of->changes);
		if (score < -1 || score > 10000)
			abort();
	}
	for (uint32_t task = 0; task < all->affinity.ran.tasks; task++) {
		cpu_sets_list(&all->affinity.ran, task, text, sizeof(text));
		cpu_sets_mask(&all->affinity.ran, task, text, sizeof(text));
		if (strlen(text) >= sizeof(text))
			abort();
	}
	for (unsigned int share = 0; share <= 1000; share += 250)
		distribution_percentile(&all->waiting.all, share);
	if (top_order(&all->top, &all->states, tasks, 8) > 8)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t cpus[TASK_CPUS_MAX / 64] = {3};
	static const int32_t roots[] = {1, 2, 3, 100, 101, 200, 1000};
	struct consumers all = {.waiting.may_use = size % 2 ? idle_waiting_any_cpu : NULL,
				.top.own_pid = 7,
				.worst.max = 3,
				.scope = {.task_names = size % 4 < 2 ? "alpha beta worker" : NULL,
					  .tasks = (uint32_t)(size % 5),
					  .roots = roots,
					  .root_count = size % 8 < 6 ? 0 : sizeof(roots) / sizeof(roots[0]),
					  .cpus = size % 8 < 4 ? cpus : NULL,
					  .throughput = NAN}};
	struct sched_source *source;
	struct tracedat trace;
	bool dat = is_dat(data, size);

	if (dat && tracedat_parse(data, size, "fuzz", &trace, NULL) != STATUS_OK)
		return 0;
	for (int runs = 0; runs < 2; runs++) {
		enum status status = dat ? sched_source_open_dat(&trace, "fuzz", &source, NULL)
					 : sched_source_open_text((const char *)data, size, "fuzz", &source, NULL);
		if (status != STATUS_OK)
			break;
		read_run(&all, source);
		sched_source_close(source);
	}
	look_at(&all);
	task_states_free(&all.states);
	idle_waiting_free(&all.waiting);
	inversions_free(&all.inversions);
	worst_waits_free(&all.worst);
	affinity_free(&all.affinity);
	top_free(&all.top);
	decisions_free(&all.decisions);
	if (dat)
		tracedat_free(&trace);
	return 0;
}
