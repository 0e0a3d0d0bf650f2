/* SPDX-License-Identifier: MIT
 *
 * vm_run(): one process per run, and this one, which starts them and shows what they do. */
#include "vm/launch/vm.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "runs/recipe.h"
#include "vm/launch/guest_run.h"
#include "vm/launch/jobs.h"
#include "vm/launch/launch_prepare.h"
#include "vm/launch/launch_record.h"
#include "vm/launch/progress.h"
#include "vm/launch/session.h"

#define POLL_MS 250 /* a process may end without closing its channel */

/* --- Messages --- */

/* Report a workload that the kernel cannot run once per kernel; with --verbose, once per boot. */
static void show_warning(const struct session *session, const struct turn *turn, const char *text)
{
	struct launch *launch = launch_of(session, turn);
	const struct skipped_workload *skipped = skipped_workloads_add(&launch->skipped, turn->run, text);

	if (!skipped)
		message_warning("%s", text);
	else if (skipped->boots == 1)
		message_warning("%s: %s", launch->result.set, skipped->text);
	else
		message_detail("%s", text);
}

static void tell_trace(const struct session *session, const struct turn *turn, const char *name)
{
	const struct vm_watch *watch = session->watch;
	const struct launch *launch = launch_of(session, turn);
	char path[PATH_MAX];

	if (watch->arrived && file_join(path, sizeof(path), launch->raw, name, NULL) == STATUS_OK)
		watch->arrived(watch->context, turn->set, turn->run, path);
}

static void hear_line(struct session *session, struct turn *turn, const struct guest_line *line)
{
	char trace[sizeof(line->name)];

	if (line->kind == GUEST_LINE_TRACE) {
		snprintf(trace, sizeof(trace), "%.*s.dat", (int)(strlen(line->name) - strlen(".json")), line->name);
		tell_trace(session, turn, trace);
	} else if (line->kind == GUEST_LINE_PROGRESS) {
		if ((size_t)line->done + 1 != turn->part)
			progress_part(session, turn, (size_t)line->done + 1);
		turn->at = *line;
	}
}

static void show_messages(struct session *session, struct turn *turn)
{
	struct run_message message;

	while (run_process_message(&turn->process, &message)) {
		if (message.is_line)
			hear_line(session, turn, &message.line);
		else if (message.kind == MESSAGE_WARNING)
			show_warning(session, turn, message.text);
		else if (message.kind == MESSAGE_INFO)
			message_info("%s", message.text);
	}
	progress_show(session);
}

static void show_done(const struct session *session, const struct turn *turn, const struct run_outcome *record)
{
	const struct launch *launch = launch_of(session, turn);
	char guest[64] = "", left[64];

	if (launch->options->shell)
		return;
	if (launch->options->deterministic)
		snprintf(guest, sizeof(guest), ", %.3f s of the guest's time", record->virtual_s);
	progress_time_left(session, left, sizeof(left));
	message_detail("%s, %s %u: %llu trace%s, %.1f s%s; boot %zu of %zu%s", launch->result.set,
		       launch->options->deterministic ? "seed" : "run", turn->run, (unsigned long long)record->traces,
		       record->traces == 1 ? "" : "s", record->total_s, guest, session->done, session->needed, left);
}

static void show_failure(const struct launch *launch, const struct run_report *report)
{
	char text[2048];

	error_text(&report->error, text, sizeof(text));
	if (launch->set->run_count > 1)
		message_warning("%s", text);
	if (!report->console_tail[0] || message_level() == MESSAGE_QUIET)
		return;
	message_info("last lines of %s:", report->output[0] ? "its output" : "the console");
	fputs(report->console_tail, stderr); /* escaped */
}

/* --- The end of a boot --- */

/* The traces of a run that has a record. */
static void tell_traces(const struct session *session, const struct turn *turn)
{
	struct run_record record;

	if (!session->watch->arrived)
		return;
	if (run_record_load(launch_of(session, turn)->result.directory, turn->run, &record))
		for (size_t i = 0; i < record.file_count; i++)
			if (file_name_ends(record.files[i].name, ".dat"))
				tell_trace(session, turn, record.files[i].name);
	run_record_free(&record);
}

static void tell_end(struct session *session, const struct turn *turn, const struct run_outcome *record,
		     const struct error *died)
{
	const struct launch *launch = launch_of(session, turn);
	const struct vm_watch *watch = session->watch;
	const struct vm_ended_run boot = {.order = (size_t)(turn - session->turns),
					  .launch = turn->set,
					  .run = turn->run,
					  .raw = launch->raw,
					  .error = died,
					  .fault = record->fault};

	tell_traces(session, turn);
	if (watch->ended && watch->ended(watch->context, &boot))
		session->found = true;
}

/* Gives up on a kernel if a boot failed and none has left a trace. */
static void leave_out_others(struct launch *launch, const struct run_report *report)
{
	struct run_outcome sum;

	run_outcomes_sum(&launch->outcomes, &sum);
	launch->gives_up = launch->gives_up || (report->outcome.traces == 0 && sum.traces == 0);
}

static void note_failure(struct session *session, struct launch *launch, const struct turn *turn,
			 struct run_report *report)
{
	if (!report->error.where[0])
		guest_run_name(launch, turn->run, report->error.where, sizeof(report->error.where));
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
	launch->failed[launch->failed_count++] = turn->run;
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

static void show_end(struct session *session, const struct turn *turn, struct run_report *report)
{
	struct launch *launch = launch_of(session, turn);
	char name[112];

	if (report->status != STATUS_OK)
		note_failure(session, launch, turn, report);
	else
		show_done(session, turn, &report->outcome);
	guest_run_name(launch, turn->run, name, sizeof(name));
	if (report->outcome.fault[0])
		message_warning("%s: the guest's kernel reports: %s", name, report->outcome.fault);
}

/* Lets other processes have the run. */
static void close_run(struct session *session, struct turn *turn)
{
	run_claims_release(&launch_of(session, turn)->claims, turn->run);
	run_process_free(&turn->process);
	turn->state = TURN_CLOSED;
}

static void end_run(struct session *session, struct turn *turn)
{
	struct launch *launch = launch_of(session, turn);
	struct run_report *report = turn->process.report;

	show_messages(session, turn);
	report->outcome.run = turn->run;
	if (!report->is_finished)
		record_crashed_child(launch, report);
	session->done++;
	session->running--;
	launch->boots++;
	if (report->status == STATUS_OK)
		progress_part(session, turn, 0);
	if (report->release[0])
		memcpy(launch->result.release, report->release, sizeof(launch->result.release));
	run_outcomes_put(&launch->outcomes, &report->outcome);
	show_end(session, turn, report);
	if (report->status == STATUS_OK || report->status == STATUS_GUEST)
		tell_end(session, turn, &report->outcome, report->status == STATUS_OK ? NULL : &report->error);
	close_run(session, turn);
}

/* --- All boots --- */

static bool must_stop(const struct session *session)
{
	return session->error.status != STATUS_OK || session->found || interrupt_signal();
}

static void tell_existing(struct session *session, const struct turn *turn)
{
	tell_end(session, turn, run_outcomes_find(&launch_of(session, turn)->outcomes, turn->run), NULL);
}

/* Another process has made it meanwhile. */
static void note_existing(struct session *session, struct launch *launch, const struct turn *turn)
{
	struct run_record record;

	session->needed--;
	if (run_record_load(launch->result.directory, turn->run, &record)) {
		run_outcomes_put(&launch->outcomes, &record.outcome);
		tell_existing(session, turn);
	}
	run_record_free(&record);
}

/* True if this process makes the run now; then the run is claimed. */
static bool take_open(struct session *session, size_t index)
{
	const struct turn *turn = &session->turns[index];
	struct launch *launch = launch_of(session, turn);

	if (!launch->options->shell && run_claims_take(&launch->claims, turn->run) == CLAIM_OTHERS)
		return false;
	session->turns[index].state = TURN_CLOSED;
	if (launch_has_run(launch, turn->run)) {
		note_existing(session, launch, turn);
	} else if (launch->gives_up) {
		session->needed--;
		launch->runs_left_out++;
	} else {
		return true;
	}
	run_claims_release(&launch->claims, turn->run);
	return false;
}

static bool take_run(struct session *session, size_t index)
{
	if (session->turns[index].state == TURN_EXISTS) {
		session->turns[index].state = TURN_CLOSED;
		tell_existing(session, &session->turns[index]);
	}
	return session->turns[index].state == TURN_OPEN && take_open(session, index);
}

static bool has_open(struct session *session)
{
	while (session->first_open < session->turn_count && session->turns[session->first_open].state == TURN_CLOSED)
		session->first_open++;
	return session->first_open < session->turn_count;
}

static struct turn *next_run(struct session *session)
{
	if (!has_open(session))
		return NULL;
	for (size_t i = session->first_open; i < session->turn_count && !session->found; i++)
		if (take_run(session, i))
			return &session->turns[i];
	return NULL;
}

/* Whether other processes make the runs that are left. */
static bool must_wait(struct session *session)
{
	bool waits = !must_stop(session) && has_open(session);

	if (waits && !session->has_waited)
		message_info("another process makes the remaining boots; waiting for it");
	session->has_waited = session->has_waited || waits;
	return waits;
}

static void start_run(struct session *session, struct turn *turn)
{
	enum status status = run_process_start(&turn->process, launch_of(session, turn), turn->run, &session->error);

	if (status != STATUS_OK) {
		run_process_free(&turn->process);
		return;
	}
	turn->state = TURN_RUNS;
	progress_start(turn);
	session->running++;
}

static void start_runs(struct session *session)
{
	while (session->running < session->jobs && !must_stop(session)) {
		struct turn *turn = next_run(session);
		if (!turn)
			return;
		start_run(session, turn);
	}
}

static void wait_for_events(const struct session *session)
{
	struct pollfd list[JOBS_MAX + 1];
	nfds_t count = 0;

	if (!interrupt_signal())
		list[count++] = (struct pollfd){.fd = interrupt_fd(), .events = POLLIN};
	for (const struct turn *turn = NULL; (turn = next_running(session, turn));)
		list[count++] = (struct pollfd){.fd = turn->process.channel, .events = POLLIN};
	poll(list, count, POLL_MS);
}

static void forward_signal(struct session *session)
{
	if (!interrupt_signal() || session->forwarded)
		return;
	session->forwarded = interrupt_signal();
	for (const struct turn *turn = NULL; (turn = next_running(session, turn));)
		run_process_signal(&turn->process, session->forwarded);
}

static void step_session(struct session *session)
{
	wait_for_events(session);
	forward_signal(session);
	for (struct turn *turn = NULL; (turn = next_running(session, turn));)
		if (run_process_ended(&turn->process))
			end_run(session, turn);
		else
			show_messages(session, turn);
	progress_report(session);
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
			message_info("%s: no boot left a trace; %zu more %s skipped", launch->result.set,
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

enum status vm_check(struct launch *const *launches, size_t count, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		if (launches[i]->is_checked)
			continue;
		status = launch_choose_machine(launches[i], err);
		if (status == STATUS_OK && launches[i]->options->dry_run)
			launch_print_command(launches[i]);
		else if (status == STATUS_OK)
			status = launch_look_up(launches[i], err);
		launches[i]->is_checked = status == STATUS_OK;
	}
	return status;
}

/* All launches are checked before the directories of the first one are made. */
static enum status prepare(struct launch *const *launches, size_t count, struct error *err)
{
	const bool dry_run = launches[0]->options->dry_run;
	enum status status = vm_check(launches, count, err);

	for (size_t i = 0; i < count && status == STATUS_OK && !dry_run; i++)
		status = launch_begin(launches[i], err);
	for (size_t i = 0; i < count && status == STATUS_OK && !dry_run && !launches[i]->options->shell; i++)
		status = launch_record_set(launches[i], err);
	for (size_t i = 0; i < count && status == STATUS_OK && !dry_run; i++)
		status = launch_renew_values(launches[i], err);
	return status;
}

/* Counts only the runs of the set that this process shall make or find. */
static void announce_set(const struct session *session, size_t number)
{
	struct launch *launch = session->launches[number];
	size_t counts[TURN_CLOSED + 1] = {0};

	for (size_t i = 0; i < session->turn_count; i++)
		counts[session->turns[i].state] += session->turns[i].set == number;
	if (counts[TURN_OPEN])
		launch_announce(launch);
	if (counts[TURN_EXISTS])
		message_info("%s: %zu of %zu runs are there already with the same inputs; --force repeats them",
			     launch->result.set, counts[TURN_EXISTS], counts[TURN_EXISTS] + counts[TURN_OPEN]);
}

static void announce(const struct session *session)
{
	const size_t workloads = session->launches[0]->set->workload_count;
	char jobs[64] = "";

	if (session->needed == 0 || workloads == 0)
		return;
	if (session->jobs > 1 && session->needed > 1)
		snprintf(jobs, sizeof(jobs), ", %zu at a time",
			 session->jobs < session->needed ? session->jobs : session->needed);
	message_info("%s%zu boot%s%s, %zu workload%s%s", session->watch->is_search ? "at most " : "", session->needed,
		     session->needed == 1 ? "" : "s", jobs, workloads, workloads == 1 ? "" : "s",
		     session->needed == 1 ? "" : " in each");
}

/* The first run of each set, then the second of each, and so on: a drift of the host affects all sets alike, and a
 * launch that ends early has runs of all sets. */
static struct turn *list_turns(struct launch *const *launches, size_t launch_count, size_t *count)
{
	size_t rounds = 0, all = 0;

	for (size_t i = 0; i < launch_count; i++) {
		const size_t runs = launches[i]->set->run_count;
		all += runs;
		rounds = runs > rounds ? runs : rounds;
	}
	struct turn *turns = xcalloc(all + 1, sizeof(*turns));
	*count = 0;
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < launch_count; i++)
			if (round < launches[i]->set->run_count)
				turns[(*count)++] = (struct turn){.set = i, .run = launches[i]->set->runs[round]};
	return turns;
}

/* "head/3", the value of --boot. */
static void name_boot(const struct launch *launch, uint32_t run, char *name, size_t size)
{
	snprintf(name, size, "%s/%u", launch->result.set, run);
}

/* only: the name of the only run, or NULL. */
static enum status choose_turns(struct session *session, const char *only, struct error *err)
{
	size_t chosen = 0;
	char name[128];

	for (size_t i = 0; i < session->turn_count; i++) {
		struct turn *turn = &session->turns[i];
		const struct launch *launch = launch_of(session, turn);
		name_boot(launch, turn->run, name, sizeof(name));
		const bool is_chosen = !only || strcmp(only, name) == 0;
		turn->state = !is_chosen ? TURN_CLOSED : launch_has_run(launch, turn->run) ? TURN_EXISTS : TURN_OPEN;
		chosen += is_chosen;
		session->needed += turn->state == TURN_OPEN;
	}
	if (chosen)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, "--boot", "this command has no boot %s", only);
	return error_remedy(err, "--plan lists the boots of a command");
}

enum status vm_run(struct launch *const *launches, size_t count, unsigned int jobs, const char *only,
		   const struct vm_watch *watch, struct error *err)
{
	static const struct vm_watch nobody = {.context = NULL};
	enum status status = prepare(launches, count, err);

	if (status != STATUS_OK || launches[0]->options->dry_run)
		return status;
	struct session *session = xcalloc(1, sizeof(*session));
	session->launches = launches;
	session->launch_count = count;
	session->watch = watch ? watch : &nobody;
	session->jobs = jobs > JOBS_MAX ? JOBS_MAX : jobs;
	progress_begin(session);
	session->turns = list_turns(launches, count, &session->turn_count);
	status = choose_turns(session, only, err);
	for (size_t i = 0; status == STATUS_OK && i < count; i++)
		announce_set(session, i);
	if (status == STATUS_OK) {
		announce(session);
		status = boot_all(session, err);
	}
	free(session->turns);
	progress_free(session);
	free(session);
	return status;
}

/* --- The plan --- */

/* The command of one run: the words of all sets, the runs of its set, and --boot. */
static void write_command(const struct launch *launch, const struct recipe *words, uint32_t run, struct buffer *out)
{
	const struct kernel_set *set = launch->set;
	const struct arguments program = {.items = (char *[]){program_invocation_name}, .count = 1};
	struct recipe command = {0};
	struct buffer seeds = {0};
	char name[128];

	vm_recipe(launch, words, &command);
	recipe_add_option(&command, "--output-dir=%s", launch->options->output);
	seed_list_write(set->runs, set->run_count, &seeds);
	if (launch->options->deterministic)
		recipe_add_option(&command, "--seeds=%s", seeds.data);
	else
		recipe_add_option(&command, "--runs=%zu", set->run_count);
	name_boot(launch, run, name, sizeof(name));
	recipe_add_option(&command, "--boot=%s", name);
	arguments_quote(&program, " ", out);
	buffer_text(out, " ");
	arguments_quote(&command.words, " ", out);
	buffer_text(out, "\n");
	buffer_free(&seeds);
	recipe_free(&command);
}

enum status vm_plan(struct launch *const *launches, size_t count, const struct recipe *words, struct buffer *out,
		    struct error *err)
{
	size_t turn_count;
	enum status status = vm_check(launches, count, err);

	if (status != STATUS_OK)
		return status;
	struct turn *turns = list_turns(launches, count, &turn_count);
	for (size_t i = 0; i < turn_count; i++) {
		const struct launch *launch = launches[turns[i].set];
		if (!launch_has_run(launch, turns[i].run))
			write_command(launch, words, turns[i].run, out);
	}
	free(turns);
	return STATUS_OK;
}

/* --- The result --- */

/* A skipped workload is reported once, for all boots of the set. Reports here if only some boots skipped it. */
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
	result->host_wait_share = run_outcome_wait_share(&sum);
	if (launch->failed_count == 0)
		return STATUS_OK;
	if (launch->set->run_count == 1) {
		*err = launch->error;
		return err->status;
	}
	if (launch->death_count == launch->failed_count) {
		error_set(err, STATUS_GUEST, NULL, "%s dies: %s, %zu of %zu boots", launch->result.set, launch->death,
			  launch->failed_count, launch->set->run_count - launch->runs_left_out);
		return error_remedy(err, "%s", launch->error.remedy);
	}
	for (size_t i = 0, used = 0; i < launch->failed_count && used < sizeof(failed); i++)
		used +=
		    (size_t)snprintf(failed + used, sizeof(failed) - used, "%s%u", i ? ", " : "", launch->failed[i]);
	error_set(err, STATUS_GUEST, launch->result.set, "%zu of %zu boots failed: %s %s", launch->failed_count,
		  launch->set->run_count, kind, failed);
	return error_remedy(err, "the same command repeats only what is missing");
}
