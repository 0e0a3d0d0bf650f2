/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/vm/vm_comparison.h"
#include "cmd/vm/vm_options.h"
#include "cmd/vm/vm_plan.h"
#include "cmd/vm/vm_schedulers.h"
#include "cmd/vm/vm_until.h"
#include "print/dataset_report.h"
#include "print/vm_report.h"
#include "vm/kernel/kernel_choice.h"
#include "vm/launch/jobs.h"

struct kernel_run {
	struct vm_request request;
	struct launch *launch;
	struct vm_report report;
};

struct session {
	struct vm_options *options;
	struct arguments plan_options, plan_operands;
	struct cell_choice choice;
	struct mode mode;
	struct vm_schedulers schedulers;
	struct vm_workloads workloads;
	struct seed_list runs;
	struct kernel_run *kernels;
	struct kernel_choice *choices; /* of each kernel with each scheduler */
	size_t count;
	bool compares; /* at the end */
	struct until until;
	struct vm_search search; /* of --until; else zeroed */
};

/* --- Before the first boot --- */

/* Finds mistakes in all kernels before the first one boots. */
static enum status open_all(struct session *session, struct error *err)
{
	const struct vm_options *given = session->options;
	struct vm_request request = vm_options_request(given);
	const char *releases[OPTION_LIST_MAX];
	char names[OPTION_LIST_MAX][SET_NAME_SIZE];
	enum status status = STATUS_OK;

	request.plan_options = given->shell || given->no_trace || given->until ? NULL : &session->plan_options;
	request.plan_operands = &session->plan_operands;
	request.runs = session->runs.seeds;
	request.run_count = session->runs.count;
	request.workload_count = given->shell || given->no_trace ? 0 : session->workloads.count;
	for (size_t i = 0; i < session->count && status == STATUS_OK; i++) {
		struct kernel_run *run = &session->kernels[i];
		const struct kernel_choice *choice = &session->choices[i];
		struct vm_scheduler *scheduler = &session->schedulers.items[i % session->schedulers.count];
		run->request = request;
		vm_scheduler_request(scheduler, &run->request);
		if (scheduler->guest_files.asked.count || given->collection.wanted.command)
			run->request.guest_files = &scheduler->guest_files;
		run->request.kernel = choice->image;
		run->request.label = choice->label[0] ? choice->label : NULL;
		run->request.set = choice->set;
		run->request.number = (unsigned int)i;
		status = vm_open(&run->request, &run->launch, err);
		releases[i] = names[i];
		if (status == STATUS_OK)
			vm_scheduler_set_name(scheduler, vm_release(run->launch), names[i], SET_NAME_SIZE);
	}
	if (status != STATUS_OK)
		return status;
	kernel_choices_name(session->choices, releases, session->count);
	if (session->mode.why[0])
		message_info("%s: %s",
			     session->mode.deterministic ? "deterministic guests" : "guests on wall-clock time",
			     session->mode.why);
	return status;
}

/* --- One kernel --- */

static enum status build_dataset(const struct session *session, const struct launch *launch, struct vm_report *report,
				 struct error *err)
{
	struct dataset_request request = split_options_request(&session->options->split);
	/* A comparison is not about the split. */
	const struct dataset_listener *listener = session->compares ? &dataset_details : &dataset_messages;

	if (session->options->no_dataset) {
		report->complete = report->without_dataset = true;
		return STATUS_OK;
	}
	request.output_directory = report->result.directory;
	vm_lock(launch);
	enum status status = dataset_build(&request, listener, &report->dataset, err);
	vm_unlock(launch);

	message_progress_end();
	report->complete = status == STATUS_OK;
	return status;
}

static void show_kept_traces(const struct vm_result *result)
{
	if (result->traces)
		message_info("%llu complete trace%s kept; picknext build -o %s makes a dataset of them",
			     (unsigned long long)result->traces, result->traces == 1 ? "" : "s", result->directory);
	if (result->incomplete)
		message_info("%llu file%s not complete and %s named .incomplete in %s/raw",
			     (unsigned long long)result->incomplete, result->incomplete == 1 ? " is" : "s are",
			     result->incomplete == 1 ? "is" : "are", result->directory);
}

/* ran: STATUS_OK if all boots ended, of whatever kernel. */
static void end_kernel(struct session *session, size_t index, enum status ran)
{
	struct kernel_run *run = &session->kernels[index];
	struct error err = {0};
	enum status status = vm_end(run->launch, &run->report.result, &err);

	run->report.ran = true;
	if (ran != STATUS_OK || status != STATUS_OK)
		show_kept_traces(&run->report.result);
	else if (cell_choice_is_all(&session->choice) && !run->request.shell && !run->request.untraced)
		status = build_dataset(session, run->launch, &run->report, &err);
	if (status != STATUS_OK)
		run->report.exit_code = message_error(&err);
}

/* --- After the last kernel --- */

static void print_reports(const struct session *session)
{
	bool any = false;

	for (size_t i = 0; i < session->count; i++)
		any |= session->kernels[i].report.complete;
	for (size_t i = 0; any && i < session->count; i++)
		if (session->kernels[i].report.ran)
			vm_report_print(&session->kernels[i].report, i, session->compares);
}

/* Only complete sets are compared. */
static int compare_all(const struct session *session, const struct call *call)
{
	const char *directories[OPTION_LIST_MAX];

	for (size_t i = 0; i < session->count; i++) {
		directories[i] = session->kernels[i].report.result.directory;
		if (session->kernels[i].report.complete)
			continue;
		message_info("not compared: %s is not complete", session->choices[i].set);
		return 0;
	}
	return vm_comparison_print(call, directories, session->count);
}

static int boot_all(struct session *session, const struct call *call)
{
	struct launch *launches[OPTION_LIST_MAX];
	struct error err;
	int exit_code = 0;

	for (size_t i = 0; i < session->count; i++)
		launches[i] = session->kernels[i].launch;
	const struct vm_options *options = session->options;
	if (options->plan)
		return vm_plan_print(options, &session->choice, launches, session->count);
	const unsigned int jobs =
	    options->dry_run ? 1 : jobs_choose(options->jobs, options->deterministic, options->memory_mb);
	enum status status =
	    vm_run(launches, session->count, jobs, &session->choice, options->until ? &session->search : NULL, &err);
	if (session->options->dry_run || status == STATUS_USAGE)
		return status == STATUS_OK ? 0 : message_error(&err);
	if (session->options->until)
		return status == STATUS_OK
			   ? until_print(call, &session->until, session->choices[session->until.launch].set,
					 session->runs.count)
			   : message_error(&err);
	for (size_t i = 0; i < session->count; i++) {
		end_kernel(session, i, status);
		if (exit_code == 0)
			exit_code = session->kernels[i].report.exit_code;
	}
	if (status == STATUS_OK && exit_code == 0 && !cell_choice_is_all(&session->choice))
		message_info("this part of the cells is there; picknext check %s says what is missing of the plan",
			     options->output);
	return status == STATUS_OK ? exit_code : message_error(&err);
}

static int run_all(struct session *session, const struct call *call)
{
	int exit_code = boot_all(session, call);

	if (session->options->shell || session->options->dry_run || session->options->no_trace ||
	    session->options->until || !cell_choice_is_all(&session->choice) || session->options->plan)
		return exit_code;
	if (message_level() != MESSAGE_QUIET)
		print_reports(session);
	if (session->compares && exit_code == 0)
		exit_code = compare_all(session, call);
	return exit_code;
}

/* Each kernel with each scheduler has a set of runs. */
static enum status combine(struct session *session, struct error *err)
{
	const struct vm_schedulers *schedulers = &session->schedulers;
	const size_t kernels = session->count;
	struct kernel_choice *all = NULL;

	session->count = kernels * schedulers->count;
	if (session->count > OPTION_LIST_MAX)
		return error_set(err, STATUS_USAGE, NULL, "%zu kernels with %zu schedulers are more than %d sets",
				 kernels, schedulers->count, OPTION_LIST_MAX);
	all = vm_schedulers_expand(schedulers, session->choices, kernels);
	session->kernels = calloc(session->count, sizeof(*session->kernels));
	if (!all || !session->kernels) {
		free(all);
		return error_system(err, ENOMEM, NULL, "cannot start");
	}
	free(session->choices);
	session->choices = all;
	return STATUS_OK;
}

/* All that the kernels have in common. */
static enum status start(struct session *session, const struct call *call, struct error *err)
{
	struct vm_options *options = session->options;
	enum status status = vm_options_contradictions(options, err);

	if (status == STATUS_OK)
		status = vm_plan_check(options, &session->choice, err);
	if (status != STATUS_OK)
		return status;
	session->count = options->kernels.count ? options->kernels.count : 1;
	session->choices = calloc(session->count, sizeof(*session->choices));
	if (!session->choices)
		return error_system(err, ENOMEM, NULL, "cannot start");
	status = kernel_choices_parse(options->kernels.items, options->kernels.count, session->choices, err);
	if (status == STATUS_OK)
		status = vm_options_mode(options, session->choices[0].image, &session->mode, err);
	if (status == STATUS_OK)
		status = vm_options_runs(options, &session->runs, err);
	if (status == STATUS_OK)
		status = vm_options_check(options, &session->workloads, err);
	if (status == STATUS_OK)
		status = vm_schedulers_begin(options, &session->schedulers, err);
	if (status == STATUS_OK)
		status = combine(session, err);
	if (status != STATUS_OK)
		return status;
	vm_plan_words(call, &session->plan_options, &session->plan_operands);
	session->compares = session->count > 1 && cell_choice_is_all(&session->choice) && !options->plan &&
			    !options->no_compare && !options->no_trace && !options->dry_run && !options->until;
	if (session->compares && vm_comparison_check(options, err) != STATUS_OK)
		return err->status;
	if (options->until && until_begin(options, &session->until, &session->search, err) != STATUS_OK)
		return err->status;
	return session->plan_options.failed || session->plan_operands.failed
		   ? error_system(err, ENOMEM, NULL, "cannot start")
		   : STATUS_OK;
}

static int run(const struct call *call)
{
	struct session session = {.options = call->values};
	struct error err = {0};
	int exit_code;

	interrupt_catch();
	enum status status = collection_options_command(&call->operands, &session.options->collection, &err);
	if (status != STATUS_OK && call->operands.count > 0 && access(call->operands.items[0], F_OK) == 0)
		error_remedy(&err, "give each kernel with -k; a command after --");
	if (status == STATUS_OK)
		status = start(&session, call, &err);
	if (status == STATUS_OK)
		status = open_all(&session, &err);
	exit_code = status == STATUS_OK ? run_all(&session, call) : message_error(&err);
	arguments_free(&session.plan_options);
	arguments_free(&session.plan_operands);
	for (size_t i = 0; session.kernels && i < session.count; i++)
		vm_close(session.kernels[i].launch);
	vm_schedulers_free(&session.schedulers);
	free(session.kernels);
	free(session.choices);
	return exit_code;
}

const struct command command_vm = {
    .name = "vm",
    .summary = "boot kernels in guests, record workloads, compare the kernels",
    .operands = "[-- COMMAND...]",
    .operands_max = SIZE_MAX,
    .details =
	"  picknext vm -k base=bzImage.old -k patched=~/linux -o out\n\n"
	"This boots each kernel six times, records in every boot how the scheduler runs the workloads, and ends "
	"with\n"
	"what differs between the kernels; out/report.html has the same with charts. It needs no root. The first "
	"lines\n"
	"say how long it may take. Choose workloads with -w, and fewer or more boots with -r.\n\n"
	"If QEMU 10 is installed (or picknext fetch qemu was run) and KVM does not work, guests are deterministic: the "
	"same\n"
	"kernel and seed give the same trace, whatever else the host does. Otherwise they run on real time.\n\n"
	"DIR/LABEL/ has raw/ (trace.dat and JSON of each run), the CSV files of picknext build, console/ and engine/ "
	"with\n"
	"the logs of each boot, and vm.json. A run that is there already with the same inputs is not repeated: an\n"
	"interrupted command continues when it is given again. --force repeats all.\n\n"
	"COMMAND is traced instead of workloads, or in addition to them with -w exec:NAME. It is added to the guest "
	"with\n"
	"its libraries; give other programs and files that it uses with --add. If it fails, vm ends with exit code "
	"6.\n\n"
	"More: picknext help guest, picknext help deterministic, picknext help metrics.",
    .examples =
	"  picknext vm -k base=bzImage.old -k patched=~/linux -o out        # two kernels, out/base and out/patched\n"
	"  picknext vm -k bzImage -w hackbench_pipe_small -r 5 -o out       # one kernel, one workload\n"
	"  picknext vm --seeds 1-10 -k bzImage -o out                       # then: picknext verify out\n"
	"  picknext vm -k bzImage -- hackbench -g 2 -l 100                  # your own program\n"
	"  picknext vm -k bzImage -w cpu_bound_4p --until 'slice_p99_us > 20000' -o out   # a rare fault as one seed\n"
	"  picknext vm -k bzImage -a taskset -a ./load.json -- rt-app ./load.json\n"
	"  picknext vm -k bzImage -a /usr/lib/python3.11 -a model.py:/m.py -- python3 /m.py\n"
	"  picknext vm -k bzImage -a perf --no-trace -- sh -c 'perf sched record -- sleep 1; perf sched latency'\n"
	"  picknext vm -k bzImage -a trace-cmd --shell                      # try it by hand in the guest\n"
	"  picknext vm -k bzImage --dry-run                                 # only the command line",
    .options = vm_option_rows,
    .values_size = sizeof(struct vm_options),
    .run = run,
};
