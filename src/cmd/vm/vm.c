/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/known_workloads.h"
#include "cmd/split_options.h"
#include "cmd/vm/vm_comparison.h"
#include "cmd/vm/vm_plan.h"
#include "cmd/vm/vm_session.h"
#include "cmd/vm/vm_until.h"
#include "compare/adaptive.h"
#include "print/dataset_report.h"
#include "print/vm_report.h"
#include "vm/launch/jobs.h"
#include "vm/plan/cell_list.h"

#define COMPARE_MARGIN_PERCENT 5 /* the default of picknext compare */

struct vm_call {
	const struct call *call;
	struct vm_session session;
	struct cell_choice choice;
	struct vm_report *reports; /* of each set */
	bool has_results;          /* datasets, and of several sets the comparison */
	struct until until;
	struct vm_search search; /* of --until; else zeroed */
};

static const struct vm_options *options_of(const struct vm_call *vm)
{
	return vm->session.options;
}

static bool compares(const struct vm_call *vm)
{
	return vm->has_results && vm->session.count > 1;
}

/* --- One kernel set --- */

static enum status build_dataset(const struct vm_call *vm, const struct launch *launch, struct vm_report *report,
				 struct error *err)
{
	const struct split_options split = {SPLIT_DEFAULTS, .allow_lossy = options_of(vm)->allow_lossy,
					    .allow_failed = options_of(vm)->allow_failed};
	struct dataset_request request = split_options_request(&split);
	/* A comparison is not about the split. */
	const struct dataset_listener *listener = compares(vm) ? &dataset_details : &dataset_messages;

	if (!vm->has_results || !options_of(vm)->dataset) {
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

/* ran: STATUS_OK if all boots ended, of whatever set. */
static void end_set(struct vm_call *vm, size_t index, enum status ran)
{
	const struct vm_set *one = &vm->session.sets[index];
	const struct launch_options *launch = &options_of(vm)->launch;
	struct vm_report *report = &vm->reports[index];
	struct error err = {0};
	enum status status = vm_end(one->launch, &report->result, &err);

	report->ran = true;
	if (ran != STATUS_OK || status != STATUS_OK)
		show_kept_traces(&report->result);
	else if (cell_choice_is_all(&vm->choice) && !launch->shell && !launch->no_trace)
		status = build_dataset(vm, one->launch, report, &err);
	if (status != STATUS_OK)
		report->exit_code = message_error(&err);
}

/* --- After the last set --- */

static void print_reports(const struct vm_call *vm)
{
	bool any = false;

	for (size_t i = 0; i < vm->session.count; i++)
		any |= vm->reports[i].complete;
	for (size_t i = 0; any && i < vm->session.count; i++)
		if (vm->reports[i].ran)
			vm_report_print(&vm->reports[i], i, compares(vm));
	if (any && options_of(vm)->collection.command)
		printf("Output of the command: %s/*/raw/*.log\n", options_of(vm)->launch.output);
}

/* Only complete sets are compared. */
static int compare_all(const struct vm_call *vm)
{
	const char *directories[OPTION_LIST_MAX];

	for (size_t i = 0; i < vm->session.count; i++) {
		directories[i] = vm->reports[i].result.directory;
		if (vm->reports[i].complete)
			continue;
		message_info("not compared: %s is not complete", vm->session.sets[i].kernel.set);
		return 0;
	}
	return vm_comparison_print(vm->call, directories, vm->session.count);
}

static int end_all(struct vm_call *vm, enum status ran)
{
	const struct launch_options *launch = &options_of(vm)->launch;
	const bool is_all = cell_choice_is_all(&vm->choice);
	int exit_code = 0;

	for (size_t i = 0; i < vm->session.count; i++) {
		end_set(vm, i, ran);
		if (exit_code == 0)
			exit_code = vm->reports[i].exit_code;
	}
	if (ran == STATUS_OK && exit_code == 0 && !is_all)
		message_info("this part of the cells exists; picknext check %s shows what is missing of the plan",
			     launch->output);
	if (!launch->shell && !launch->no_trace && is_all && message_level() != MESSAGE_QUIET)
		print_reports(vm);
	return exit_code;
}

/* --- Runs until all is decided --- */

static bool has_failed(const struct vm_call *vm)
{
	struct vm_result result;

	for (size_t i = 0; i < vm->session.count; i++)
		if (vm_end(vm->session.sets[i].launch, &result, NULL) != STATUS_OK)
			return true;
	return false;
}

/* *decided: further runs need not be made. */
static enum status judge_look(const struct vm_call *vm, size_t runs, size_t next, double elapsed_s, bool *decided,
			      struct error *err)
{
	const struct vm_options *options = options_of(vm);
	const struct run_range *range = &options->range;
	const struct comparison_choice choice = {.margin_percent = COMPARE_MARGIN_PERCENT};
	struct run_set_options reading = {.allow_failed = options->allow_failed};
	char *directories[OPTION_LIST_MAX];
	struct adaptive_state state;
	struct vm_result result;
	char paths[OPTION_LIST_MAX][PATH_MAX];

	for (size_t i = 0; i < vm->session.count; i++) {
		vm_end(vm->session.sets[i].launch, &result, NULL);
		snprintf(paths[i], sizeof(paths[i]), "%s", result.directory);
		directories[i] = paths[i];
	}
	run_set_options_add_known(&reading);
	enum status status = adaptive_read(directories, vm->session.count, &reading, &choice,
					   adaptive_rate(range->min, range->max, runs), &state, err);
	if (status != STATUS_OK)
		return status;
	const bool is_late = options->budget_s && elapsed_s / (double)runs * (double)next > (double)options->budget_s;
	*decided = state.decided == state.workloads || is_late;
	message_info("%zu run%s of each kernel: %zu of %zu workloads decided%s", runs, runs == 1 ? "" : "s",
		     state.decided, state.workloads,
		     state.decided == state.workloads ? ""
		     : is_late                        ? "; the budget has no more runs"
						      : "");
	return STATUS_OK;
}

/* Boots to each number of runs at which the comparison may be looked at. The runs are those of a call with that many.
 */
static enum status boot_looks(struct vm_call *vm, struct launch *const *launches, unsigned int jobs, struct error *err)
{
	const struct run_range *range = &options_of(vm)->range;
	const double begin_s = clock_seconds(CLOCK_MONOTONIC);
	size_t looks[ADAPTIVE_LOOKS_MAX];
	const size_t count = adaptive_looks(range->min, range->max, looks);
	enum status status = STATUS_OK;
	bool decided = false;

	for (size_t i = 0; i < count && status == STATUS_OK && !decided; i++) {
		for (size_t set = 0; set < vm->session.count; set++)
			vm->session.sets[set].set.run_count = looks[i];
		status = vm_run(launches, vm->session.count, jobs, NULL, NULL, err);
		vm->session.options->launch.force = false;
		decided = i + 1 == count || options_of(vm)->launch.dry_run || (status == STATUS_OK && has_failed(vm));
		if (status == STATUS_OK && !decided)
			status = judge_look(vm, looks[i], looks[i + 1], clock_seconds(CLOCK_MONOTONIC) - begin_s,
					    &decided, err);
	}
	return status;
}

static int boot_all(struct vm_call *vm)
{
	const struct vm_options *options = options_of(vm);
	const struct launch_options *launch = &options->launch;
	struct launch *launches[OPTION_LIST_MAX];
	struct error err;

	for (size_t i = 0; i < vm->session.count; i++)
		launches[i] = vm->session.sets[i].launch;
	if (options->plan)
		return vm_plan_print(options, &vm->choice, launches, vm->session.count);
	const unsigned int jobs =
	    launch->dry_run ? 1 : jobs_choose(launch->jobs, launch->deterministic, launch->guest.memory_mb);
	const bool is_range = options->range.min < options->range.max;
	enum status status = is_range ? boot_looks(vm, launches, jobs, &err)
				      : vm_run(launches, vm->session.count, jobs, &vm->choice,
					       options->until ? &vm->search : NULL, &err);
	if (launch->dry_run || status == STATUS_USAGE)
		return status == STATUS_OK ? 0 : message_error(&err);
	if (options->until)
		return status == STATUS_OK ? until_print(&vm->until, &vm->session) : message_error(&err);
	int exit_code = end_all(vm, status);
	if (status != STATUS_OK)
		return message_error(&err);
	return exit_code == 0 && compares(vm) ? compare_all(vm) : exit_code;
}

/* --- Before the first boot --- */

static enum status prepare(struct vm_call *vm, struct error *err)
{
	const struct vm_options *options = options_of(vm);
	const struct launch_options *launch = &options->launch;
	enum status status = options->cells ? cell_choice_parse(options->cells, &vm->choice, err) : STATUS_OK;

	if (status == STATUS_OK && vm->choice.only_missing && !options->plan)
		status = error_set(err, STATUS_USAGE, NULL, "--cells missing is for --plan; vm makes what is missing");
	if (status == STATUS_OK)
		status = vm_session_begin(&vm->session, err);
	if (status != STATUS_OK)
		return status;
	vm->reports = xcalloc(vm->session.count, sizeof(*vm->reports));
	vm->has_results = cell_choice_is_all(&vm->choice) && !options->plan && !options->no_results && !launch->shell &&
			  !launch->no_trace && !launch->dry_run && !options->until;
	if (compares(vm))
		status = vm_comparison_check(launch->output, err);
	if (status == STATUS_OK && options->until)
		status = until_begin(options, &vm->until, &vm->search, err);
	return status == STATUS_OK ? vm_session_open(&vm->session, err) : status;
}

static int run_vm(const struct call *call)
{
	struct vm_call vm = {.call = call, .session = {.options = call->values, .words = call->words}};
	struct error err = {0};

	interrupt_catch();
	enum status status = collection_request_set_command(&vm.session.options->collection, &call->operands, &err);
	if (status != STATUS_OK && call->operands.count > 0 && access(call->operands.items[0], F_OK) == 0)
		error_remedy(&err, "give each kernel with -k; a command after --");
	if (status == STATUS_OK)
		status = prepare(&vm, &err);
	int exit_code = status == STATUS_OK ? boot_all(&vm) : message_error(&err);
	vm_session_close(&vm.session);
	free(vm.reports);
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
	"what differs between the kernels; out/report.html has the same with charts. It needs no root. Choose\n"
	"workloads with -w, and fewer or more boots with -r.\n\n"
	"If QEMU 10 is installed (or picknext fetch qemu was run) and KVM does not work, guests are deterministic: the "
	"same\n"
	"kernel and seed give the same trace, whatever else the host does. Otherwise they run on real time.\n\n"
	"DIR/LABEL/ has raw/ (trace.dat and JSON of each run), console/ and engine/ with the logs of each boot,\n"
	"and vm.json; with --dataset also the CSV files of picknext build. A run that is there already with the same "
	"inputs is not repeated: an\n"
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
    .run = run_vm,
};
