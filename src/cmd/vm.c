/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/dataset_report.h"
#include "cmd/vm_options.h"
#include "cmd/vm_report.h"

struct kernel_run {
	struct vm_request request;
	struct launch *launch; /* until it ran */
	struct vm_report report;
};

struct session {
	struct vm_options *options;
	struct arguments collect; /* for the collection in the guest */
	struct guest_files guest_files;
	struct seed_list seeds;
	struct kernel_run *kernels;
	size_t count;
};

/* --- Before the first boot --- */

/* Finds mistakes in all kernels before the first one boots. */
static enum status open_all(struct session *session, struct error *err)
{
	const struct vm_options *given = session->options;
	struct vm_request request = vm_options_request(given);
	enum status status = vm_options_check(given, &session->guest_files, err);

	request.collect_arguments = (const char *const *)session->collect.items;
	request.guest_files = given->added.count || given->collection.wanted.command ? &session->guest_files : NULL;
	request.seeds = session->seeds.seeds;
	request.seed_count = session->seeds.count;
	for (size_t i = 0; i < session->count && status == STATUS_OK; i++) {
		struct kernel_run *run = &session->kernels[i];
		run->request = request;
		run->request.kernel = given->kernels.items[i];
		status = vm_open(&run->request, &run->launch, err);
	}
	return status;
}

/* --- One kernel --- */

static enum status build_dataset(const struct session *session, struct vm_report *report, struct error *err)
{
	struct dataset_request request = split_options_request(&session->options->split);

	request.output_directory = report->result.directory;
	enum status status = dataset_build(&request, &dataset_messages, &report->dataset, err);

	message_progress_end();
	report->built = status == STATUS_OK;
	return status;
}

static void show_kept_traces(const struct vm_result *result)
{
	if (result->console_tail[0])
		message_info("last lines of %s:\n%.*s", result->output[0] ? "its output" : "the console",
			     (int)strlen(result->console_tail) - 1, result->console_tail);
	if (result->traces)
		message_info("%u complete trace%s kept; picknext build -o %s makes a dataset of them", result->traces,
			     result->traces == 1 ? "" : "s", result->directory);
	if (result->incomplete)
		message_info("%u file%s not complete and %s named .incomplete in %s/raw", result->incomplete,
			     result->incomplete == 1 ? " is" : "s are", result->incomplete == 1 ? "is" : "are",
			     result->directory);
}

static enum status run_kernel(struct session *session, size_t index)
{
	struct kernel_run *run = &session->kernels[index];
	const char *taken[OPTION_LIST_MAX];
	struct error err = {0};

	for (size_t i = 0; i < index; i++)
		taken[i] = session->kernels[i].report.result.directory;
	run->request.taken = taken;
	run->request.taken_count = index;
	run->report.ran = true;
	enum status status = vm_run(run->launch, &run->report.result, &err);
	vm_close(run->launch);
	run->launch = NULL;
	if (status != STATUS_OK)
		show_kept_traces(&run->report.result);
	else if (!run->request.shell && !run->request.dry_run && !run->request.untraced)
		status = build_dataset(session, &run->report, &err);
	if (status != STATUS_OK)
		run->report.exit_code = message_error(&err);
	return status;
}

/* --- After the last kernel --- */

static void print_reports(const struct session *session)
{
	bool any = false;

	for (size_t i = 0; i < session->count; i++)
		any |= session->kernels[i].report.built;
	for (size_t i = 0; any && i < session->count; i++)
		if (session->kernels[i].report.ran)
			vm_report_print(&session->kernels[i].report, i);
}

static int run_all(struct session *session)
{
	int exit_code = 0;

	for (size_t i = 0; i < session->count; i++) {
		enum status status = run_kernel(session, i);
		if (status == STATUS_INTERRUPTED || exit_code == 0)
			exit_code = session->kernels[i].report.exit_code;
		if (status == STATUS_INTERRUPTED || status == STATUS_SYSTEM)
			break;
	}
	if (session->options->shell || session->options->dry_run || session->options->no_trace)
		return exit_code;
	if (message_level() != MESSAGE_QUIET)
		print_reports(session);
	return exit_code;
}

/* --seed is the old name of --split-seed, but with --deterministic --seeds is more likely meant. */
static enum status apply_bare_seed(struct vm_options *options, struct error *err)
{
	if (options->bare_seed == BARE_SEED_NONE)
		return STATUS_OK;
	options->split.seed = options->bare_seed;
	if (!options->deterministic)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, NULL, "--seed is ambiguous with --deterministic");
	return error_remedy(err, "use --seeds LIST for the guest, --split-seed N for the dataset");
}

static int run(const struct call *call)
{
	struct session session = {.options = call->values};
	struct error err = {0};
	int exit_code;

	interrupt_catch();
	enum status status = apply_bare_seed(session.options, &err);
	if (status == STATUS_OK)
		status = collection_options_command(&call->operands, &session.options->collection, &err);
	if (status == STATUS_OK)
		status = vm_options_seeds(session.options, &session.seeds, &err);
	if (status == STATUS_OK) {
		session.count = session.options->kernels.count;
		vm_options_collection(&session.options->collection, &session.collect);
		session.kernels = calloc(session.count + 1, sizeof(*session.kernels));
		if (!session.kernels || session.collect.failed)
			status = error_system(&err, ENOMEM, NULL, "cannot start");
	}
	if (status == STATUS_OK)
		status = open_all(&session, &err);
	exit_code = status == STATUS_OK ? run_all(&session) : message_error(&err);
	arguments_free(&session.collect);
	for (size_t i = 0; session.kernels && i < session.count; i++)
		vm_close(session.kernels[i].launch);
	guest_files_free(&session.guest_files);
	free(session.kernels);
	return exit_code;
}

const struct command command_vm = {
    .name = "vm",
    .summary = "boot kernels in virtual machines, trace workloads, make datasets",
    .operands = "[-- COMMAND...]",
    .operands_max = SIZE_MAX,
    .details =
	"Needs no root. Each kernel boots with picknext's initramfs, N CPUs for the workload and one isolated CPU for\n"
	"the tracer. DIR/RELEASE/ then has raw/ (trace.dat and JSON of each run), the CSV files of picknext build,\n"
	"console.log, and vm.json, which records how the kernel was run.\n\n"
	"COMMAND is traced instead of workloads, or in addition to them with -w exec:NAME. It is a program of this\n"
	"machine and added automatically; programs that it starts and files that it reads must be given with --add.\n"
	"Shared libraries and interpreters of programs are added, too, but not what they open later: plugins, Python\n"
	"modules, configuration. Files keep their paths. COMMAND runs as root, in this directory if a relative path\n"
	"was given. Its output is in raw/NAME_runN.log. If it fails, vm ends with exit code 6.\n\n"
	"Host load makes a guest slower. vm.json has the share of time that the guest's CPUs waited for a host CPU\n"
	"(host_wait_share); a notice reports 5 % or more.\n\n"
	"--deterministic gives the same trace each time: QEMU counts instructions, one per nanosecond, and its CPUs\n"
	"take turns; each seed gives another schedule. Which task runs when is meaningful there, latencies in\n"
	"microseconds are not: see the README. console.log is that of the last seed.",
    .examples =
	"  picknext vm -k vmlinuz-6.1 -k vmlinuz-6.12 --scale 0.05 -o out   # two kernels, one command\n"
	"  picknext vm -k bzImage -w hackbench_pipe_small -r 5 -o out       # your own kernel\n"
	"  picknext vm --deterministic --seeds 1-10 -k bzImage --scale 0.005 -o out   # then: picknext verify out\n"
	"  picknext vm -k bzImage -- hackbench -g 2 -l 100                  # your own program, 3 runs\n"
	"  picknext vm -k bzImage -a taskset -a ./load.json -- rt-app ./load.json\n"
	"  picknext vm -k bzImage -a /usr/lib/python3.11 -a model.py:/m.py -- python3 /m.py\n"
	"  picknext vm -k bzImage -a perf --no-trace -- sh -c 'perf sched record -- sleep 1; perf sched latency'\n"
	"  picknext vm -k bzImage -a trace-cmd --shell                      # try it by hand in the guest\n"
	"  picknext vm -k bzImage --dry-run                                 # only the command line",
    .options = vm_option_rows,
    .values_size = sizeof(struct vm_options),
    .run = run,
};
