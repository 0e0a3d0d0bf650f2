/* SPDX-License-Identifier: MIT
 *
 * vm_run(): one process per run, and this one, which starts them, shows what they do, and writes each vm.json. A cell
 * is the place of a run in the list of the plan. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "vm/launch/guest_run.h"
#include "vm/launch/jobs.h"
#include "vm/launch/launch_prepare.h"
#include "vm/launch/launch_record.h"
#include "vm/launch/run_process.h"
#include "vm/plan/plan.h"
#include "vm/plan/run_record.h"

#define POLL_MS        250 /* a process may end without closing its channel */
#define REPORT_EVERY_S 180 /* where no progress is shown, as in a log */

enum run_place {
	RUN_OPEN,   /* to be made, perhaps by another process */
	RUN_EXISTS, /* it was made before; to be judged in its turn */
	RUN_CLOSED, /* this process has started it or left it out, or it is of another part of the plan */
};

struct slot {
	struct run_process process;
	const struct cell *cell; /* NULL: free */
	double begin_s;
	char progress[512];
};

struct session {
	struct launch *const *launches;
	size_t launch_count;
	const struct vm_search *search;   /* or NULL */
	bool found;                       /* it has fired */
	const struct cell_choice *choice; /* or NULL */
	struct cell *cells;
	enum run_place *places; /* of each cell */
	size_t cell_count, first_open;
	size_t needed; /* those that did not exist at the start */
	size_t done;   /* boots of this process */
	bool has_waited;
	double boots_s;    /* that they took together */
	double reported_s; /* when a line last reported the progress */
	struct slot slots[JOBS_MAX];
	unsigned int jobs, running;
	int forwarded;      /* the signal that was passed on, or 0 */
	struct error error; /* that ends all */
};

static struct launch *launch_of(const struct session *session, const struct cell *cell)
{
	return session->launches[cell->set];
}

/* --- Progress --- */

static double now_s(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

/* The boots that are left times the mean time of those before; "" before the first has ended. */
static void estimate_time_left(const struct session *session, char *text, size_t size)
{
	const size_t left = session->needed - session->done;

	text[0] = '\0';
	if (left == 0 || session->done == 0 || session->search)
		return;
	const double rounds = ceil((double)left / (session->jobs < left ? session->jobs : (double)left));
	format_time_left(session->boots_s / (double)session->done * rounds, text, size);
}

static void show_progress(const struct session *session)
{
	struct buffer text = {0};
	char left[64];

	if (session->launches[0]->options->shell || !message_progress_wanted())
		return;
	/* Nothing is left to estimate of a single boot. */
	estimate_time_left(session, left, sizeof(left));
	if (session->needed > 1)
		buffer_printf(&text, "%zu of %zu boots done%s", session->done, session->needed, left);
	for (unsigned int i = 0; i < session->jobs; i++) {
		const struct slot *slot = &session->slots[i];
		if (!slot->cell)
			continue;
		const struct launch *launch = launch_of(session, slot->cell);
		/* If several boots run, only the workload fits. */
		size_t shown = session->running > 1 ? strcspn(slot->progress, ",") : strlen(slot->progress);
		buffer_printf(&text, "%s%s %u: %.*s", text.length ? " | " : "", launch->result.set, slot->cell->run,
			      (int)shown, slot->progress);
	}
	if (text.length)
		message_progress("%s", text.data);
	buffer_free(&text);
}

/* What the kernel cannot run is not its run's: it is shown once for all boots, and of each one with --verbose. */
static void show_warning(const struct session *session, const struct slot *slot, const char *text)
{
	struct launch *launch = launch_of(session, slot->cell);
	const struct skipped_workload *skipped = skipped_workloads_add(&launch->skipped, slot->cell->run, text);

	if (!skipped)
		message_warning("%s", text);
	else if (skipped->boots == 1)
		message_warning("%s: %s", launch->result.set, skipped->text);
	else
		message_detail("%s", text);
}

static void show_messages(const struct session *session, struct slot *slot)
{
	enum message_kind kind;
	char text[2048];

	while (run_process_message(&slot->process, &kind, text, sizeof(text))) {
		if (kind == MESSAGE_PROGRESS)
			snprintf(slot->progress, sizeof(slot->progress), "%.500s", text);
		else if (kind == MESSAGE_WARNING)
			show_warning(session, slot, text);
		else
			message_info("%s", text);
	}
	show_progress(session);
}

static void show_done(const struct session *session, const struct cell *cell, const struct run_outcome *record)
{
	const struct launch *launch = launch_of(session, cell);
	char guest[64] = "", left[64];

	if (launch->options->shell)
		return;
	if (launch->options->deterministic)
		snprintf(guest, sizeof(guest), ", %.3f s of the guest's time", record->virtual_s);
	estimate_time_left(session, left, sizeof(left));
	message_detail("%s, %s %u: %llu trace%s, %.1f s%s; boot %zu of %zu%s", launch->result.set,
		       launch->options->deterministic ? "seed" : "run", cell->run, (unsigned long long)record->traces,
		       record->traces == 1 ? "" : "s", record->total_s, guest, session->done, session->needed, left);
}

static void report_progress(struct session *session)
{
	char left[64];

	if (message_progress_wanted() || message_level() == MESSAGE_VERBOSE || session->done == session->needed ||
	    now_s() - session->reported_s < REPORT_EVERY_S)
		return;
	session->reported_s = now_s();
	estimate_time_left(session, left, sizeof(left));
	message_info("%zu of %zu boots done%s", session->done, session->needed, left);
}

static void show_failure(const struct launch *launch, const struct run_report *report)
{
	char text[2048];

	error_text(&report->error, text, sizeof(text));
	if (launch->run_count > 1)
		message_warning("%s", text);
	if (!report->console_tail[0] || message_level() == MESSAGE_QUIET)
		return;
	message_info("last lines of %s:", report->output[0] ? "its output" : "the console");
	fputs(report->console_tail, stderr); /* escaped */
}

/* --- The end of a boot --- */

static void judge(struct session *session, const struct cell *cell, const struct run_outcome *record,
		  const struct error *died)
{
	const struct launch *launch = launch_of(session, cell);
	const struct vm_ended_run boot = {.order = (size_t)(cell - session->cells),
					  .launch = cell->set,
					  .run = cell->run,
					  .raw = launch->raw,
					  .error = died,
					  .fault = record->fault};

	if (session->search && session->search->fires(session->search->context, &boot))
		session->found = true;
}

/* A kernel that leaves no trace the first time is not booted again. */
static void leave_out_others(struct launch *launch, const struct run_report *report)
{
	struct run_outcome sum;

	run_outcomes_sum(&launch->outcomes, &sum);
	launch->gives_up = launch->gives_up || (report->outcome.traces == 0 && sum.traces == 0);
}

static void note_failure(struct session *session, struct launch *launch, const struct cell *cell,
			 struct run_report *report)
{
	if (!report->error.where[0])
		guest_run_name(launch, cell->run, report->error.where, sizeof(report->error.where));
	if (report->status != STATUS_GUEST) {
		if (session->error.status == STATUS_OK)
			session->error = report->error;
		return;
	}
	if (launch->failed_count == 0) {
		launch->error = report->error;
		memcpy(launch->death, report->death, sizeof(launch->death));
	}
	launch->death_count += report->death[0] && strcmp(report->death, launch->death) == 0;
	launch->failed[launch->failed_count++] = cell->run;
	show_failure(launch, report);
	leave_out_others(launch, report);
}

/* A child that died could neither remove its files nor record its boot. */
static void record_crashed_child(const struct launch *launch, const struct run_report *report)
{
	struct error err;

	launch_remove_staging(launch, report->outcome.run);
	if (!launch->options->shell)
		launch_record_run(launch, report, &err);
}

static void show_end(struct session *session, const struct cell *cell, struct run_report *report)
{
	struct launch *launch = launch_of(session, cell);
	char name[112];

	if (report->status != STATUS_OK)
		note_failure(session, launch, cell, report);
	else
		show_done(session, cell, &report->outcome);
	report_progress(session);
	guest_run_name(launch, cell->run, name, sizeof(name));
	if (report->outcome.fault[0])
		message_warning("%s: the guest's kernel reports: %s", name, report->outcome.fault);
}

/* Writes vm.json, and lets other processes have the cell. */
static void close_run(struct session *session, struct slot *slot)
{
	struct launch *launch = launch_of(session, slot->cell);
	struct error err;

	run_claims_release(&launch->claims, slot->cell->run);
	if (!launch->options->shell && launch_record_set(launch, &err) != STATUS_OK &&
	    session->error.status == STATUS_OK)
		session->error = err;
	run_process_free(&slot->process);
	slot->cell = NULL;
}

static void end_run(struct session *session, struct slot *slot)
{
	const struct cell *cell = slot->cell;
	struct launch *launch = launch_of(session, cell);
	struct run_report *report = slot->process.report;

	show_messages(session, slot);
	report->outcome.run = cell->run;
	if (!report->is_finished)
		record_crashed_child(launch, report);
	session->done++;
	session->running--;
	launch->boots++;
	session->boots_s += now_s() - slot->begin_s;
	if (report->release[0])
		memcpy(launch->result.release, report->release, sizeof(launch->result.release));
	run_outcomes_put(&launch->outcomes, &report->outcome);
	show_end(session, cell, report);
	if (report->status == STATUS_OK || report->status == STATUS_GUEST)
		judge(session, cell, &report->outcome, report->status == STATUS_OK ? NULL : &report->error);
	close_run(session, slot);
}

/* --- All boots --- */

static bool must_stop(const struct session *session)
{
	return session->error.status != STATUS_OK || session->found || interrupt_signal();
}

static void judge_existing(struct session *session, const struct cell *cell)
{
	judge(session, cell, run_outcomes_find(&launch_of(session, cell)->outcomes, cell->run), NULL);
}

/* Another process has made it meanwhile. */
static void note_existing(struct session *session, struct launch *launch, const struct cell *cell)
{
	struct run_record record;

	session->needed--;
	if (run_record_load(launch->result.directory, cell->run, &record)) {
		run_outcomes_put(&launch->outcomes, &record.outcome);
		judge_existing(session, cell);
	}
	run_record_free(&record);
}

/* Whether the cell is to be made here and now; then it is claimed. */
static bool take_open(struct session *session, size_t index)
{
	const struct cell *cell = &session->cells[index];
	struct launch *launch = launch_of(session, cell);

	if (!launch->options->shell && run_claims_take(&launch->claims, cell->run) == CLAIM_OTHERS)
		return false;
	session->places[index] = RUN_CLOSED;
	if (launch_has_run(launch, cell->run)) {
		note_existing(session, launch, cell);
	} else if (launch->gives_up) {
		session->needed--;
		launch->runs_left_out++;
	} else {
		return true;
	}
	run_claims_release(&launch->claims, cell->run);
	return false;
}

static bool take_run(struct session *session, size_t index)
{
	if (session->places[index] == RUN_EXISTS) {
		session->places[index] = RUN_CLOSED;
		judge_existing(session, &session->cells[index]);
	}
	return session->places[index] == RUN_OPEN && take_open(session, index);
}

static bool has_open(struct session *session)
{
	while (session->first_open < session->cell_count && session->places[session->first_open] == RUN_CLOSED)
		session->first_open++;
	return session->first_open < session->cell_count;
}

static const struct cell *next_run(struct session *session)
{
	if (!has_open(session))
		return NULL;
	for (size_t i = session->first_open; i < session->cell_count && !session->found; i++)
		if (take_run(session, i))
			return &session->cells[i];
	return NULL;
}

/* Whether other processes make the cells that are left. */
static bool must_wait(struct session *session)
{
	bool waits = !must_stop(session) && has_open(session);

	if (waits && !session->has_waited)
		message_info("the boots that are left are made by another process; waiting for it");
	session->has_waited = session->has_waited || waits;
	return waits;
}

static void start_run(struct session *session, struct slot *slot, const struct cell *cell)
{
	enum status status = run_process_start(&slot->process, launch_of(session, cell), cell->run, &session->error);

	if (status != STATUS_OK) {
		run_process_free(&slot->process);
		return;
	}
	snprintf(slot->progress, sizeof(slot->progress), "starting");
	slot->cell = cell;
	slot->begin_s = now_s();
	session->running++;
}

static void start_runs(struct session *session)
{
	for (unsigned int i = 0; i < session->jobs && !must_stop(session); i++) {
		if (session->slots[i].cell)
			continue;
		const struct cell *cell = next_run(session);
		if (!cell)
			return;
		start_run(session, &session->slots[i], cell);
	}
}

static void wait_for_events(const struct session *session)
{
	struct pollfd list[JOBS_MAX + 1];
	nfds_t count = 0;

	if (!interrupt_signal())
		list[count++] = (struct pollfd){.fd = interrupt_fd(), .events = POLLIN};
	for (unsigned int i = 0; i < session->jobs; i++)
		if (session->slots[i].cell)
			list[count++] = (struct pollfd){.fd = session->slots[i].process.channel, .events = POLLIN};
	poll(list, count, POLL_MS);
}

static void forward_signal(struct session *session)
{
	if (!interrupt_signal() || session->forwarded)
		return;
	session->forwarded = interrupt_signal();
	for (unsigned int i = 0; i < session->jobs; i++)
		if (session->slots[i].cell)
			run_process_signal(&session->slots[i].process, session->forwarded);
}

static void step_session(struct session *session)
{
	wait_for_events(session);
	forward_signal(session);
	for (unsigned int i = 0; i < session->jobs; i++) {
		struct slot *slot = &session->slots[i];
		if (!slot->cell)
			continue;
		if (run_process_ended(&slot->process))
			end_run(session, slot);
		else
			show_messages(session, slot);
	}
}

static enum status boot_all(struct session *session, struct error *err)
{
	for (;;) {
		start_runs(session);
		if (session->running == 0 && !must_wait(session))
			break;
		step_session(session);
	}
	message_progress_end();
	for (size_t i = 0; i < session->launch_count; i++) {
		const struct launch *launch = session->launches[i];
		if (launch->runs_left_out)
			message_info("%s: its first boot left no trace; %zu more %s left out", launch->result.set,
				     launch->runs_left_out, launch->runs_left_out == 1 ? "is" : "are");
	}
	if (interrupt_check(err) != STATUS_OK) {
		if (!session->launches[0]->set->again &&
		    (session->done < session->needed || session->error.status != STATUS_OK))
			message_info("the same command continues with the runs that are missing");
		return STATUS_INTERRUPTED;
	}
	if (session->error.status != STATUS_OK)
		*err = session->error;
	return session->error.status;
}

/* --- Before the first boot --- */

/* All launches are checked before the directories of the first one are made. */
static enum status prepare(struct launch *const *launches, size_t count, struct error *err)
{
	const bool dry_run = launches[0]->options->dry_run;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		status = launch_choose_machine(launches[i], err);
		if (status == STATUS_OK && dry_run)
			launch_print_command(launches[i]);
		else if (status == STATUS_OK)
			status = launch_look_up(launches[i], err);
	}
	for (size_t i = 0; i < count && status == STATUS_OK && !dry_run; i++)
		status = launch_begin(launches[i], err);
	for (size_t i = 0; i < count && status == STATUS_OK && !dry_run; i++)
		status = launch_renew_values(launches[i], err);
	return status;
}

/* Counts only the runs of the set that this process shall make or find. */
static void announce_set(const struct session *session, size_t number)
{
	struct launch *launch = session->launches[number];
	size_t counts[RUN_CLOSED + 1] = {0};

	for (size_t i = 0; i < session->cell_count; i++)
		counts[session->places[i]] += session->cells[i].set == number;
	if (counts[RUN_OPEN])
		launch_announce(launch);
	if (counts[RUN_EXISTS])
		message_info("%s: %zu of %zu runs are there already with the same inputs; --force repeats them",
			     launch->result.set, counts[RUN_EXISTS], counts[RUN_EXISTS] + counts[RUN_OPEN]);
}

/* The number of boots. */
static void announce(const struct session *session)
{
	const size_t workloads = session->launches[0]->set->workload_count;
	char jobs[64] = "";

	if (session->needed == 0 || workloads == 0)
		return;
	if (session->jobs > 1 && session->needed > 1)
		snprintf(jobs, sizeof(jobs), ", %zu at a time",
			 session->jobs < session->needed ? session->jobs : session->needed);
	message_info("%s%zu boot%s%s, %zu workload%s%s", session->search ? "at most " : "", session->needed,
		     session->needed == 1 ? "" : "s", jobs, workloads, workloads == 1 ? "" : "s",
		     session->needed == 1 ? "" : " in each");
}

static void list_cells(struct session *session)
{
	struct plan plan = {0};

	for (size_t i = 0; i < session->launch_count; i++)
		launch_add_to_plan(session->launches[i], &plan);
	session->cells = plan_cells(&plan, &session->cell_count);
	session->places = xcalloc(session->cell_count + 1, sizeof(*session->places));
	plan_free(&plan);
}

static enum status choose_cells(struct session *session, struct error *err)
{
	size_t chosen = 0;

	for (size_t i = 0; i < session->cell_count; i++) {
		const struct launch *launch = launch_of(session, &session->cells[i]);
		if (session->choice && !cell_choice_has(session->choice, i, session->cells[i].id)) {
			session->places[i] = RUN_CLOSED;
			continue;
		}
		chosen++;
		if (launch_has_run(launch, session->cells[i].run)) {
			session->places[i] = RUN_EXISTS;
			continue;
		}
		session->needed++;
	}
	if (chosen || !session->choice || !session->choice->id)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, "--cells", "this command has no cell %s", session->choice->id);
	return error_remedy(err, "its inputs have changed since it was planned, or other options were given");
}

enum status vm_run(struct launch *const *launches, size_t count, unsigned int jobs, const struct cell_choice *choice,
		   const struct vm_search *search, struct error *err)
{
	const bool is_first = !launches[0]->has_begun;
	enum status status = prepare(launches, count, err);

	if (status != STATUS_OK || launches[0]->options->dry_run)
		return status;
	struct session *session = xcalloc(1, sizeof(*session));
	session->launches = launches;
	session->launch_count = count;
	session->search = search;
	session->choice = choice && !cell_choice_is_all(choice) ? choice : NULL;
	session->jobs = jobs > JOBS_MAX ? JOBS_MAX : jobs;
	session->reported_s = now_s();
	list_cells(session);
	status = choose_cells(session, err);
	for (size_t i = 0; status == STATUS_OK && is_first && i < count; i++)
		announce_set(session, i);
	if (status == STATUS_OK) {
		announce(session);
		status = boot_all(session, err);
	}
	free(session->places);
	free(session->cells);
	free(session);
	return status;
}

static bool has_failed(struct launch *const *launches, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (launches[i]->failed_count)
			return true;
	return false;
}

enum status vm_run_looks(struct launch *const *launches, size_t count, unsigned int jobs, const struct vm_looks *looks,
			 struct error *err)
{
	const double begin_s = now_s();
	enum status status = STATUS_OK;
	bool ends = false;

	for (size_t i = 0; i < looks->count && status == STATUS_OK && !ends; i++) {
		for (size_t set = 0; set < count; set++)
			launches[set]->run_count = looks->runs[i];
		status = vm_run(launches, count, jobs, NULL, NULL, err);
		for (size_t set = 0; set < count; set++)
			launches[set]->force = false;
		ends = i + 1 == looks->count || launches[0]->options->dry_run || has_failed(launches, count);
		if (status != STATUS_OK || ends)
			break;
		const double all_s = (now_s() - begin_s) / (double)looks->runs[i] * (double)looks->runs[i + 1];
		const bool is_late = looks->budget_s > 0 && all_s > looks->budget_s;
		status = looks->judge(looks->context, looks->runs[i], is_late, &ends, err);
		ends |= is_late;
	}
	return status;
}

/* That a workload is skipped holds for all boots of a kernel set, unless this is reported. */
static void report_skipped(const struct launch *launch)
{
	for (size_t i = 0; i < launch->skipped.count; i++) {
		const struct skipped_workload *one = &launch->skipped.items[i];
		if (one->boots < launch->boots)
			message_warning("%s: in %zu of %zu boots %s", launch->result.set, one->boots, launch->boots,
					one->text);
	}
}

enum status vm_end(const struct launch *launch, struct vm_result *result, struct error *err)
{
	const char *kind = launch->options->deterministic ? "seed" : "run";
	struct run_outcome sum;
	char failed[200] = "";

	report_skipped(launch);
	run_outcomes_sum(&launch->outcomes, &sum);
	*result = launch->result;
	result->traces = sum.traces;
	result->incomplete = sum.incomplete_files;
	const struct host_wait wait = {.is_known = sum.vcpu_time_known, .time = sum.vcpu_time};
	result->host_wait_share = host_wait_share(&wait);
	if (launch->failed_count == 0)
		return STATUS_OK;
	if (launch->run_count == 1) {
		*err = launch->error;
		return err->status;
	}
	if (launch->death_count == launch->failed_count) {
		error_set(err, STATUS_GUEST, NULL, "%s dies: %s, %zu of %zu boots", launch->result.set, launch->death,
			  launch->failed_count, launch->run_count - launch->runs_left_out);
		return error_remedy(err, "%s", launch->error.remedy);
	}
	for (size_t i = 0, used = 0; i < launch->failed_count && used < sizeof(failed); i++)
		used +=
		    (size_t)snprintf(failed + used, sizeof(failed) - used, "%s%u", i ? ", " : "", launch->failed[i]);
	error_set(err, STATUS_GUEST, launch->result.set, "%zu of %zu boots failed: %s %s", launch->failed_count,
		  launch->run_count, kind, failed);
	return error_remedy(err, "the same command repeats only what is missing");
}
