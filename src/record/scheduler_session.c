/* SPDX-License-Identifier: MIT */
#include "record/scheduler_session.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"

#define RESET_ON_FORK 0x40000000 /* SCHED_RESET_ON_FORK of sched(7): child processes are normal tasks */

static bool is_started(const struct scheduler_session *session)
{
	return session->choice->text && session->choice->spec.kind != SCHEDULER_NONE;
}

/* System calls, because musl's functions for these only return ENOSYS. */
static bool become_realtime(void)
{
	const struct sched_param lowest = {.sched_priority = 1};

	return syscall(SYS_sched_setscheduler, 0, SCHED_FIFO | RESET_ON_FORK, &lowest) == 0;
}

/* isolcpus= without flags, or with the flag "domain", takes a CPU out of the scheduler's domains. */
static const char *find_isolation(const struct cpu_layout *cpus)
{
	static const char argument[] = "isolcpus=";
	char line[4096];

	if (CPU_COUNT(&cpus->isolated) == 0)
		return "none";
	if (!file_read_line("/proc/cmdline", line, sizeof(line)))
		return "domain";
	const char *value = strstr(line, argument);
	if (!value)
		return "domain";
	value += sizeof(argument) - 1;
	size_t length = strcspn(value, " ");
	if (isdigit((unsigned char)*value) || memmem(value, length, "domain", strlen("domain")))
		return "domain";
	return "affinity";
}

enum status scheduler_session_check(const struct scheduler_choice *choice, struct error *err)
{
	struct utsname kernel;

	if (!choice->text || choice->spec.kind == SCHEDULER_NONE || access(SCHED_EXT_DIRECTORY, F_OK) == 0)
		return STATUS_OK;
	uname(&kernel);
	error_set(err, STATUS_UNSUPPORTED, "--scheduler", "this machine's kernel (%s) has no sched_ext",
		  kernel.release);
	return error_remedy(err,
			    "boot one with CONFIG_SCHED_CLASS_EXT, or use a guest: picknext vm -k 7.3 --scheduler");
}

enum status scheduler_session_begin(struct scheduler_session *session, const struct scheduler_choice *choice,
				    const struct cpu_layout *cpus, const char *directory, unsigned int first_run,
				    struct error *err)
{
	char name[64];

	*session = (struct scheduler_session){.choice = choice, .isolation = find_isolation(cpus)};
	if (!choice->text)
		return STATUS_OK;
	scheduler_spec_text(&choice->spec, &session->name);
	if (cpus->tracer_cpu < 0) {
		session->is_realtime = become_realtime();
		if (!session->is_realtime)
			message_warning(
			    "the tracer cannot become a real-time task, so it runs under the chosen scheduler too");
	}
	if (!is_started(session))
		return STATUS_OK;
	session->process.spec = &choice->spec;
	snprintf(name, sizeof(name), "scheduler_run%u.log", first_run);
	enum status status = file_join(session->process.output, sizeof(session->process.output), directory, name, err);
	if (status == STATUS_OK) {
		unlink(session->process.output);
		status = scheduler_process_start(&session->process, err);
	}
	if (status == STATUS_OK)
		message_info("scheduler %s is enabled: %s%s", session->name.data, session->process.enabled.ops,
			     scheduler_session_is_partial(session) ? ", for tasks with the policy SCHED_EXT only" : "");
	return status;
}

/* An ejection between two runs affects neither of them. */
static enum status start_anew(struct scheduler_session *session, struct error *err)
{
	if (!session->ejected) {
		scheduler_process_explain(&session->process, session->reason, sizeof(session->reason));
		message_warning("scheduler %s was ejected between two runs: %s; starting it again", session->name.data,
				session->reason);
	}
	scheduler_process_stop(&session->process);
	return scheduler_process_start(&session->process, err);
}

enum status scheduler_session_before(struct scheduler_session *session, struct error *err)
{
	enum status status = STATUS_OK;

	scheduler_state_read(SCHED_EXT_DIRECTORY, &session->before);
	if (is_started(session) && !scheduler_was_kept(&session->process.enabled, &session->before)) {
		status = start_anew(session, err);
		scheduler_state_read(SCHED_EXT_DIRECTORY, &session->before);
	}
	session->is_known = session->choice->text || scheduler_is_enabled(&session->before);
	session->ejected = false;
	session->reason[0] = '\0';
	return status;
}

/* With --scheduler, the chosen scheduler (or none) must be enabled both before and after the run. Without it, the
 * machine's scheduler must stay the same. */
static bool has_changed(const struct scheduler_session *session)
{
	const struct scheduler_state *before = &session->before, *after = &session->after;
	bool was_enabled = scheduler_is_enabled(before);

	if (before->enable_seq != after->enable_seq || was_enabled != scheduler_is_enabled(after))
		return true;
	return session->choice->text && was_enabled != is_started(session);
}

void scheduler_session_after(struct scheduler_session *session)
{
	if (session->ejected)
		return;
	scheduler_state_read(SCHED_EXT_DIRECTORY, &session->after);
	session->ejected = has_changed(session);
	session->is_known = session->is_known || session->ejected;
}

static void explain_foreign(const struct scheduler_session *session, char *reason, size_t size)
{
	const char *before = session->before.ops, *after = session->after.ops;

	if (!before[0])
		snprintf(reason, size, "another scheduler was enabled: %s", after[0] ? after : "unknown name");
	else if (session->choice->text && session->before.enable_seq == session->after.enable_seq)
		snprintf(reason, size, "another scheduler was enabled: %s", before);
	else
		snprintf(reason, size, "it has ended; picknext did not start it");
}

void scheduler_session_mark(const struct scheduler_state *state, char text[SCHEDULER_MARK_SIZE])
{
	struct scheduler_mark mark = {.is_enabled = scheduler_is_enabled(state),
				      .has_all_tasks = state->switch_all,
				      .enable_seq = state->enable_seq};

	snprintf(mark.ops, sizeof(mark.ops), "%s", state->ops);
	scheduler_mark_write(&mark, text);
}

static void explain_ejection(struct scheduler_session *session)
{
	if (!session->ejected || session->reason[0])
		return;
	if (is_started(session))
		scheduler_process_explain(&session->process, session->reason, sizeof(session->reason));
	else
		explain_foreign(session, session->reason, sizeof(session->reason));
}

void scheduler_session_judge(struct scheduler_session *session)
{
	scheduler_session_after(session);
	explain_ejection(session);
	session->event_count = 0;
	if (session->ejected)
		return;
	scheduler_events_subtract(&session->before, &session->after);
	for (size_t i = 0; i < session->after.event_count; i++)
		session->events[session->event_count++] =
		    (struct run_scheduler_event){session->after.events[i].name, session->after.events[i].count};
}

struct run_scheduler scheduler_session_describe(struct scheduler_session *session)
{
	const struct scheduler_state *before = &session->before, *after = &session->after;

	if (!session->is_known)
		return (struct run_scheduler){0};
	return (struct run_scheduler){
	    .is_known = true,
	    .given = session->choice->text ? session->name.data : NULL,
	    .ops = before->ops[0] ? before->ops : NULL,
	    .subs = before->subs[0] ? before->subs : NULL,
	    .state = after->state[0] ? after->state : NULL,
	    .enable_seq = before->enable_seq,
	    .enable_seq_after = after->enable_seq,
	    .switch_all = before->switch_all,
	    .nr_rejected = after->nr_rejected - before->nr_rejected,
	    .isolation = session->isolation,
	    .tracer_policy = session->is_realtime ? "fifo" : "normal",
	    .ejection = session->ejected ? session->reason : NULL,
	    .events = session->events,
	    .event_count = session->event_count,
	};
}

enum status scheduler_session_report(struct scheduler_session *session, const char *id, struct error *err)
{
	if (!session->ejected)
		return STATUS_OK;
	const char *name = session->name.data       ? session->name.data
			   : session->before.ops[0] ? session->before.ops
						    : "none";
	if (session->count++ == 0)
		snprintf(session->first, sizeof(session->first), "%s: scheduler %s was ejected: %s", id, name,
			 session->reason);
	message_warning("%s: scheduler %s was ejected: %s; this run does not count as its run", id, name,
			session->reason);
	if (!session->choice->stop_on_ejection)
		return STATUS_OK;
	return error_set(err, STATUS_GUEST, id, "scheduler %s was ejected: %s", name, session->reason);
}

void scheduler_session_end(struct scheduler_session *session)
{
	const struct sched_param none = {0};

	scheduler_process_stop(&session->process);
	if (session->is_realtime)
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none);
	buffer_free(&session->name);
}

bool scheduler_session_is_partial(const struct scheduler_session *session)
{
	return is_started(session) && !session->process.enabled.switch_all;
}
