/* SPDX-License-Identifier: MIT */
#include "record/until.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/own_tasks.h"
#include "base/pattern.h"
#include "record/host_facts.h"
#include "record/live.h"

/* Tasks use memory even after their end. Above this number, all tasks are forgotten, and with them the waits that go
 * on. */
enum { TASKS_MAX = 100000, FAIR_PRIO_MIN = 100, FAIR_PRIO_MAX = 139 };

#define ANY_CAUSE                                                                                                      \
	{                                                                                                              \
		[WAIT_WAKEUP] = true, [WAIT_NEW] = true, [WAIT_PREEMPTED] = true, [WAIT_RUNNABLE] = true               \
	}

const struct until_wait until_waits[] = {
    {.name = "wait", .causes = ANY_CAUSE},
    {.name = "wakeup_latency", .causes = {[WAIT_WAKEUP] = true, [WAIT_NEW] = true}},
    {.name = "preempted_wait", .causes = {[WAIT_PREEMPTED] = true, [WAIT_RUNNABLE] = true}},
    {.name = "starved", .causes = ANY_CAUSE, .is_fair = true},
    {.name = NULL},
};

/* --- Conditions --- */

static enum status refuse_condition(const char *text, const char *wrong, struct error *err)
{
	struct buffer names = {0};

	for (const struct until_wait *wait = until_waits; wait->name; wait++)
		buffer_printf(&names, "%s%s", wait == until_waits ? "" : ", ", wait->name);
	error_set(err, STATUS_USAGE, "--until", "'%s' %s", text, wrong);
	error_remedy(err,
		     "write [TASK:]WAIT > TIME, such as 'wait > 20ms' or 'postgres*: wakeup_latency > 5ms'; WAIT "
		     "is one of %s",
		     names.data);
	buffer_free(&names);
	return STATUS_USAGE;
}

/* Returns what is wrong with the text, or NULL. */
static const char *parse_condition(const char *text, struct until_condition *until)
{
	struct condition *condition = &until->condition;
	const char *wrong = condition_split(text, condition);

	if (wrong)
		return wrong;
	until->wait = until_waits;
	while (until->wait->name && strcmp(until->wait->name, condition->name) != 0)
		until->wait++;
	if (!until->wait->name)
		return "names no wait";
	if (condition->is_less)
		return "is met by any wait that begins: it needs > or >=";
	const size_t length = strlen(condition->number);
	if (length == 0 || condition->number[length - 1] < 'a' || condition->number[length - 1] > 'z' ||
	    !number_parse_with_unit(condition->number, "ns", &condition->limit) || condition->limit < 0)
		return "does not end in a time with its unit";
	return NULL;
}

enum status until_parse(const struct option_list *texts, struct until *until, struct error *err)
{
	for (size_t i = 0; i < texts->count; i++) {
		const char *wrong = parse_condition(texts->items[i], &until->conditions[until->count++]);
		if (wrong)
			return refuse_condition(texts->items[i], wrong, err);
	}
	return STATUS_OK;
}

enum status until_check_events(const struct capture_settings *settings, struct error *err)
{
	static const char *const needed[] = {"sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task"};

	for (size_t i = 0; settings->event_count && i < sizeof(needed) / sizeof(*needed); i++) {
		size_t at = 0;
		while (at < settings->event_count && strcmp(settings->events[at].name, needed[i]) != 0)
			at++;
		if (at == settings->event_count)
			return error_set(err, STATUS_USAGE, "--until", "needs the event %s: add it to --events",
					 needed[i]);
	}
	return STATUS_OK;
}

const char *until_cause(const struct until_moment *moment)
{
	static const char *const causes[WAIT_CAUSES] = {
	    [WAIT_WAKEUP] = "wakeup", [WAIT_NEW] = "new", [WAIT_PREEMPTED] = "preempted", [WAIT_RUNNABLE] = "runnable"};

	return causes[moment->cause];
}

double until_longest_s(const struct until *until)
{
	double longest_ns = 0;

	for (size_t i = 0; i < until->count; i++)
		if (until->conditions[i].condition.limit > longest_ns)
			longest_ns = until->conditions[i].condition.limit;
	return longest_ns / 1e9;
}

/* --- Judging --- */

static bool is_own(const struct until *until, const struct task *task, const struct sched_comm *comm)
{
	return until->own_pid >= 0 ? task->pid == until->own_pid : comm_is_one_of(comm, OWN_TASK_TRACER);
}

static bool fits(const struct until_condition *condition, const struct task *task, const struct until_moment *moment)
{
	const char *subject = condition->condition.subject;
	char name[sizeof(moment->comm.bytes) + 1];

	if (!condition->wait->causes[moment->cause] ||
	    (condition->wait->is_fair && (task->prio < FAIR_PRIO_MIN || task->prio > FAIR_PRIO_MAX)) ||
	    !condition_meets(&condition->condition, (double)(moment->end_ns - moment->since_ns)))
		return false;
	if (strcmp(subject, "*") == 0)
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)moment->comm.length, moment->comm.bytes);
	return pattern_fits(subject, name);
}

static void judge_wait(struct until *until, const struct task *task, struct until_moment moment)
{
	for (size_t i = 0; i < until->count && !until->moment.condition; i++)
		if (fits(&until->conditions[i], task, &moment) && !is_own(until, task, &moment.comm)) {
			moment.condition = &until->conditions[i];
			until->moment = moment;
		}
}

void until_judge_step(struct until *until, const struct task_states *states, const struct task_step *step)
{
	const struct task_wait *wait = &step->wait;

	if (until->moment.condition || !(step->changes & STEP_WAIT))
		return;
	const struct until_moment moment = {.comm = states->comms.comms[wait->comm],
					    .pid = states->tasks[wait->task].pid,
					    .cpu = wait->cpu,
					    .cause = wait->cause,
					    .since_ns = wait->since_ns,
					    .end_ns = wait->end_ns};
	judge_wait(until, &states->tasks[wait->task], moment);
}

void until_judge_waiting(struct until *until, const struct task_states *states, uint64_t now_ns)
{
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++) {
		const struct task_cpu *queue = &states->cpus[cpu];
		if (queue->current == queue->idle)
			continue;
		for (uint32_t number = queue->runnable_first; number != TASK_NONE;
		     number = states->tasks[number].next) {
			const struct task *task = &states->tasks[number];
			const struct until_moment moment = {.comm = *task_comm(states, number),
							    .pid = task->pid,
							    .cpu = cpu,
							    .cause = (enum wait_cause)task->cause,
							    .goes_on = true,
							    .since_ns = task->since_ns,
							    .end_ns = now_ns};
			if (task_state_of(states, task) == TASK_RUNNABLE && task->since_ns < now_ns)
				judge_wait(until, task, moment);
		}
	}
}

/* --- Reading --- */

static enum status next_page(void *context, size_t index, const uint8_t **page, struct error *err)
{
	struct until *until = context;
	const struct spool_part *part = &until->spool->parts[index];
	const size_t size = until->session->page_size;

	if (part->fd < 0 || until->read[index] + size > part->bytes)
		return STATUS_END;
	const ssize_t got = pread(part->fd, until->page + index * size, size, (off_t)until->read[index]);
	if (got != (ssize_t)size)
		return error_system(err, got < 0 ? errno : EIO, until->spool->directory, "cannot read back");
	until->read[index] += size;
	*page = until->page + index * size;
	return STATUS_OK;
}

static void render_state(const void *context, uint64_t prev_state, char *text, size_t size)
{
	sched_state_text(context, prev_state, text, size);
}

void until_begin(struct until *until, const struct capture_session *session, const struct spool *spool)
{
	until->session = session;
	until->spool = spool;
	until->own_pid = has_kernel_pids() ? (int32_t)getpid() : -1;
	until->read = xcalloc(spool->cpu_count, sizeof(*until->read));
	until->gaps_ns = xcalloc(spool->cpu_count, sizeof(*until->gaps_ns));
	until->page = xcalloc(spool->cpu_count, session->page_size);
}

/* The scope of the trace is known once tracing has begun. */
static enum status open_stream(struct until *until, struct error *err)
{
	enum status status = live_trace_make(until->session, &until->header, &until->trace, err);

	until->source = (struct page_source){next_page, until};
	if (status == STATUS_OK)
		status = sched_stream_open_live(&until->trace, "the recording", &until->source, &until->stream, err);
	if (status != STATUS_OK)
		return status;
	sched_stream_tell_gaps(until->stream);
	trace_scope_open(&until->scope, &until->trace);
	until->outs = (struct leave_reason_table){.text = render_state, .context = until->stream};
	task_states_begin(&until->states, &until->outs, &until->scope);
	return STATUS_OK;
}

static void note_loss(struct until *until, const struct sched_event *event)
{
	if (event->cpu >= until->spool->cpu_count)
		return;
	uint64_t *gap_ns = &until->gaps_ns[event->cpu];
	if (event->kind == SCHED_GAP) {
		*gap_ns = event->ts_ns;
		return;
	}
	const struct loss place = {.cpu = event->cpu,
				   .events = event->lost.count_known ? event->lost.count : 0,
				   .after_ns = *gap_ns,
				   .before_ns = event->ts_ns};
	losses_add_place(&until->losses, &place);
}

static void forget_tasks(struct until *until)
{
	task_states_free(&until->states);
	task_states_begin(&until->states, &until->outs, &until->scope);
}

enum status until_read(struct until *until, uint64_t now_ns, struct error *err)
{
	struct sched_event event;
	struct task_step step;
	enum status status = until->stream ? STATUS_OK : open_stream(until, err);

	if (status != STATUS_OK)
		return status;
	sched_stream_go_on(until->stream, now_ns);
	while ((status = sched_stream_next(until->stream, &event, err)) == STATUS_OK) {
		status = task_states_step(&until->states, &event, &step, err);
		if (status != STATUS_OK)
			return status;
		if (event.kind == SCHED_GAP || event.kind == SCHED_LOST)
			note_loss(until, &event);
		until_judge_step(until, &until->states, &step);
	}
	if (status != STATUS_END)
		return status;
	until->now_ns = now_ns;
	until_judge_waiting(until, &until->states, now_ns);
	if (until->states.task_count > TASKS_MAX)
		forget_tasks(until);
	return STATUS_OK;
}

void until_end(struct until *until)
{
	sched_stream_close(until->stream);
	until->stream = NULL;
	task_states_free(&until->states);
	trace_scope_free(&until->scope);
	tracedat_free(&until->trace);
	buffer_free(&until->header);
	free(until->read);
	free(until->gaps_ns);
	free(until->page);
	until->read = until->gaps_ns = NULL;
	until->page = NULL;
}

void until_free(struct until *until)
{
	losses_free(&until->losses);
}
