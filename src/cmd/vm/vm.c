/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/command.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/known_workloads.h"
#include "cmd/split_options.h"
#include "cmd/vm/default_set.h"
#include "cmd/vm/vm_session.h"
#include "compare/adaptive.h"
#include "compare/run_gate.h"
#include "print/print.h"
#include "print/rules_print.h"
#include "print/vm_report.h"
#include "vm/launch/jobs.h"
#include "vm/plan/plan.h"
#include "vm/plan/plan_check.h"
#include "vm/plan/run_claims.h"
#include "workloads/table.h"

#define PAGE "report.html"

/* --until: seeds are tried until one shows a fault. */
struct until {
	struct compare_gate gate;
	struct run_set_options reading;
	bool found, has_died;
	size_t order, launch; /* of the first one in order that was found */
	uint32_t seed;
	char reason[1024];
	struct error error; /* a trace could not be read */
};

struct vm_call {
	const struct call *call;
	struct arguments words; /* of the call, and the workloads if it names none */
	struct vm_session session;
	struct cell_choice choice;
	struct launch *launches[OPTION_LIST_MAX];
	struct vm_report *reports; /* of each set */
	bool has_results;          /* datasets, and of several sets the comparison */
	struct until until;
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
	const struct split_options split = {SPLIT_DEFAULTS, .allowed = options_of(vm)->allowed};
	struct dataset_request request = split_options_request(&split);

	request.has_details_only = compares(vm); /* which is not about the split */
	if (!vm->has_results || !options_of(vm)->dataset) {
		report->complete = report->without_dataset = true;
		return STATUS_OK;
	}
	request.output_directory = report->result.directory;
	run_claims_lock_set(vm_claims(launch));
	enum status status = dataset_build(&request, &report->dataset, err);
	run_claims_unlock_set(vm_claims(launch));
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
	else if (cell_choice_is_all(&vm->choice) && launch_records(launch))
		status = report->result.traces
			     ? build_dataset(vm, one->launch, report, &err)
			     : error_set(&err, STATUS_UNSUPPORTED, one->kernel.set,
					 "each workload was skipped, for the reasons that its boot warns of");
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

/* Of a single kernel set: whether its decisions are those of the published rule. */
static void print_rule(const struct vm_call *vm)
{
	const char *name = vm->session.sets[0].kernel.set;
	char *paths[] = {vm->reports[0].result.directory};
	struct rules_reading reading;
	const struct pass_consumer consumer = rules_reading_begin(&reading);
	struct pass pass = {0};
	struct buffer text = {0};
	struct error err = {0};

	if (pass_read(NULL, paths, 1, &consumer, &pass, &err) == STATUS_OK) {
		rules_print_findings(&reading, &pass, name, &text);
		puts(text.data);
	} else {
		message_info("%s: decisions are not judged: %s", name, err.what);
	}
	pass_free(&pass);
	rules_reading_free(&reading);
	buffer_free(&text);
}

/* Runs the command on the directories, with those of vm's options that it has too. page: for --output, or NULL. */
static int run_on(const struct call *call, const struct command *command, const char *page,
		  const char *const *directories, size_t count)
{
	const struct vm_options *options = call->values;
	struct arguments line = {0};
	char *words[OPTION_LIST_MAX + 8]; /* the parser moves operands among them */

	arguments_add(&line, "%s", command->name);
	arguments_add(&line, "--allow=incomplete%s%s", options->allowed & ALLOW_LOSSY ? ",lossy" : "",
		      options->allowed & ALLOW_FAILED ? ",failed" : ""); /* vm says itself what is missing */
	if (message_level() == MESSAGE_QUIET)
		arguments_add(&line, "--quiet");
	if (page)
		arguments_option(&line, "--output", "%s", page);
	arguments_add(&line, "--");
	for (size_t i = 0; i < count; i++)
		arguments_add(&line, "%s", directories[i]);
	memcpy(words, line.items, (line.count + 1) * sizeof(*words));
	int exit_code = command_run_arguments(call->groups, command, (int)line.count, words);
	arguments_free(&line);
	return exit_code;
}

/* What picknext compare and picknext report make of the sets, of which the first is the base. */
static int print_comparison(const struct call *call, const char *const *directories, size_t count)
{
	const struct vm_options *options = call->values;
	char page[PATH_MAX];
	struct error err;

	int exit_code = run_on(call, &command_compare, NULL, directories, count);
	if (exit_code != 0)
		return exit_code;
	if (file_join(page, sizeof(page), options->launch.output, PAGE, &err) != STATUS_OK)
		return message_error(&err);
	exit_code = run_on(call, &command_report, page, directories, count);
	if (exit_code == 0)
		printf("Report with charts: %s\n", page);
	return exit_code;
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
	return print_comparison(vm->call, directories, vm->session.count);
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
	if (launch_records(launch) && is_all && message_level() != MESSAGE_QUIET)
		print_reports(vm);
	return exit_code;
}

/* --- Runs until all is decided --- */

/* Compares what is there. */
static enum status judge_look(void *context, size_t runs, bool is_late, bool *enough, struct error *err)
{
	const struct vm_call *vm = context;
	const struct vm_options *options = options_of(vm);
	const struct comparison_choice choice = {.margin_percent = COMPARISON_MARGIN_PERCENT};
	const double rate = adaptive_rate(options->range.min, options->range.max, runs);
	struct run_set_options reading = {.allowed = options->allowed & ALLOW_FAILED};
	char *directories[OPTION_LIST_MAX];
	struct adaptive_state state;

	for (size_t i = 0; i < vm->session.count; i++)
		directories[i] = (char *)vm_directory(vm->launches[i]);
	run_set_options_add_known(&reading);
	enum status status = adaptive_read(directories, vm->session.count, &reading, &choice, rate, &state, err);
	if (status != STATUS_OK)
		return status;
	*enough = state.decided == state.workloads;
	message_info("%zu run%s of each kernel: %zu of %zu workloads decided%s", runs, runs == 1 ? "" : "s",
		     state.decided, state.workloads, is_late && !*enough ? "; the budget has no more runs" : "");
	return STATUS_OK;
}

static enum status boot_looks(struct vm_call *vm, unsigned int jobs, struct error *err)
{
	const struct vm_options *options = options_of(vm);
	size_t runs[ADAPTIVE_LOOKS_MAX];
	const struct vm_looks looks = {.runs = runs,
				       .count = adaptive_looks(options->range.min, options->range.max, runs),
				       .budget_s = (double)options->budget_s,
				       .judge = judge_look,
				       .context = vm};

	return vm_run_looks(vm->launches, vm->session.count, jobs, &looks, err);
}

/* --- Until a seed shows a fault --- */

static void find(struct until *until, const struct vm_ended_run *boot, const char *reason)
{
	if (until->found && until->order < boot->order)
		return;
	until->found = true;
	until->order = boot->order;
	until->launch = boot->launch;
	until->seed = boot->run;
	until->has_died = boot->error != NULL;
	snprintf(until->reason, sizeof(until->reason), "%s", reason);
}

static bool fires(void *context, const struct vm_ended_run *boot)
{
	struct until *until = context;
	char text[1024] = "";

	if (boot->error)
		error_text(boot->error, text, sizeof(text));
	else if (boot->fault[0])
		snprintf(text, sizeof(text), "the guest's kernel reports: %s", boot->fault);
	else if (run_gate_judge(&until->gate, boot->raw, boot->run, &until->reading, text, sizeof(text),
				&until->error) != STATUS_OK)
		return true;
	if (text[0])
		find(until, boot, text);
	return text[0] != '\0';
}

static enum status begin_until(const struct vm_options *options, struct until *until, struct error *err)
{
	run_set_options_add_known(&until->reading);
	until->reading.allowed = ALLOW_FAILED;
	return run_gate_parse(options->until, "--until", &options->launch.values, &until->gate, err);
}

/* Prints the command that repeats the boot that was found. */
static void print_command(const struct until *until, const struct vm_session *session)
{
	struct recipe one = {0};
	struct buffer text = {0};

	const struct vm_set *set = &session->sets[until->launch];

	vm_recipe(set->launch, &set->recipe, &one);
	recipe_add_option(&one, "--seeds=%u", until->seed);
	recipe_add_option(&one, "--output-dir=%s-seed%u", session->options->launch.output, until->seed);
	recipe_forget_directory(&one); /* it is this one */
	recipe_quote(&one, &text);
	printf("Repeat it with:\n  %s\n", text.data);
	recipe_free(&one);
	buffer_free(&text);
}

static int print_until(const struct until *until, const struct vm_session *session)
{
	const size_t tried = session->runs.count;

	if (until->error.status != STATUS_OK)
		return message_error(&until->error);
	if (!until->found) {
		printf("No fault with %zu seed%s: '%s' does not fire, and no guest died.\n", tried,
		       tried == 1 ? "" : "s", until->gate.text);
		return 0;
	}
	if (until->has_died)
		printf("%s\n", until->reason);
	else
		printf("%s, seed %u: %s\n", session->sets[until->launch].kernel.set, until->seed, until->reason);
	print_command(until, session);
	return until->has_died ? 6 : 1;
}

/* --- The plan --- */

/* Marks the cells that exist; *left_out is to be freed. */
static enum status leave_out(const struct plan *plan, bool **left_out, struct error *err)
{
	struct plan_check check = {0};
	enum status status = STATUS_OK;

	if (file_same(plan->directory, plan->directory))
		status = plan_check_make(plan, plan->directory, false, &check, err);
	*left_out = check.count ? xcalloc(check.count, sizeof(**left_out)) : NULL;
	for (size_t i = 0; i < check.count; i++)
		(*left_out)[i] = check.cells[i].state == CELL_WHOLE;
	plan_check_free(&check);
	return status;
}

static int print_plan(const struct vm_call *vm)
{
	struct cell_choice shown = vm->choice;
	bool *left_out = NULL;
	struct buffer out = {0};
	struct plan plan;
	struct error err;
	enum status status = vm_plan(vm->launches, vm->session.count, &plan, &err);

	if (status == STATUS_OK && shown.only_missing)
		status = leave_out(&plan, &left_out, &err);
	shown.left_out = left_out;
	if (status == STATUS_OK)
		(strcmp(options_of(vm)->plan, "json") == 0 ? plan_write_json : plan_write_text)(&plan, &shown, &out);
	free(left_out);
	plan_free(&plan);
	if (status == STATUS_OK)
		return print_buffer(&out);
	buffer_free(&out);
	return message_error(&err);
}

/* --- All --- */

static enum status boot(struct vm_call *vm, unsigned int jobs, struct error *err)
{
	const struct vm_search search = {.fires = fires, .context = &vm->until};

	if (options_of(vm)->range.min < options_of(vm)->range.max)
		return boot_looks(vm, jobs, err);
	return vm_run(vm->launches, vm->session.count, jobs, &vm->choice, options_of(vm)->until ? &search : NULL, err);
}

static int boot_all(struct vm_call *vm)
{
	const struct vm_options *options = options_of(vm);
	const struct launch_options *launch = &options->launch;
	struct error err;

	for (size_t i = 0; i < vm->session.count; i++)
		vm->launches[i] = vm->session.sets[i].launch;
	if (options->plan)
		return print_plan(vm);
	const unsigned int jobs =
	    launch->dry_run ? 1 : jobs_choose(launch->jobs, launch->deterministic, launch->guest.memory_mb);
	enum status status = boot(vm, jobs, &err);
	if (launch->dry_run || status == STATUS_USAGE)
		return status == STATUS_OK ? 0 : message_error(&err);
	if (options->until)
		return status == STATUS_OK ? print_until(&vm->until, &vm->session) : message_error(&err);
	int exit_code = end_all(vm, status);
	if (status != STATUS_OK)
		return message_error(&err);
	if (exit_code == 0 && compares(vm))
		exit_code = compare_all(vm);
	if (vm->has_results && !compares(vm) && vm->reports[0].complete && keys_are_wanted(options->collection.keys))
		print_rule(vm);
	return exit_code;
}

/* --- Before the first boot --- */

/* Whether the report may be written. */
static enum status check_page(const char *directory, struct error *err)
{
	char page[PATH_MAX];
	enum status status = file_join(page, sizeof(page), directory, PAGE, err);

	return status == STATUS_OK ? output_check(page, err) : status;
}

/* Before hours of boots, not after them. */
static enum status check_count(const struct vm_call *vm, struct error *err)
{
	if (vm->session.count <= COMPARISON_SETS_MAX)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, "--kernel", "%zu sets of runs; at most %d can be compared", vm->session.count,
		  COMPARISON_SETS_MAX);
	return error_remedy(err, "add --no-results, and compare some of them afterwards");
}

/* Said before hours of boots, not after them. */
static void note_few_runs(const struct vm_call *vm)
{
	const struct vm_options *options = options_of(vm);
	const size_t runs = vm->session.runs.count;

	if (vm->session.count > 1 && runs && runs < COMPARISON_RUNS_MIN && !options->no_results && !options->until &&
	    launch_records(&options->launch))
		message_info("no verdict will come of %zu run%s of each kernel: a comparison needs %d", runs,
			     runs == 1 ? "" : "s", COMPARISON_RUNS_MIN);
}

/* NAME, SYSTEM:NAME or SYSTEM, with wildcards. */
static bool may_be_switches(const char *names)
{
	char name[256];

	for (size_t length; *names; names += length + (names[length] != '\0')) {
		length = strcspn(names, ",");
		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		const char *colon = strchr(name, ':');
		if (strcmp(name, "sched") == 0 || fnmatch(colon ? colon + 1 : name, "sched_switch", 0) == 0)
			return true;
	}
	return false;
}

static void note_no_switches(const struct vm_options *options)
{
	const struct option_list *events = &options->collection.events;
	size_t i = 0;

	while (i < events->count && !may_be_switches(events->items[i]))
		i++;
	if (events->count && i == events->count)
		message_warning(
		    "--events without sched_switch: neither a comparison nor an analysis can use the traces");
}

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
	vm->has_results = cell_choice_is_all(&vm->choice) && !options->plan && !options->no_results &&
			  launch_records(launch) && !launch->dry_run && !options->until;
	if (compares(vm))
		status = check_count(vm, err);
	if (status == STATUS_OK && compares(vm))
		status = check_page(launch->output, err);
	if (status == STATUS_OK && options->until)
		status = begin_until(options, &vm->until, err);
	if (status == STATUS_OK)
		status = vm_session_open(&vm->session, err);
	if (status == STATUS_OK)
		note_few_runs(vm);
	if (status == STATUS_OK)
		note_no_switches(options);
	return status;
}

/* A recipe names its workloads, so that a version with another default repeats it with the same ones. Those of a
 * dataset are those of collect. The default workloads of a deterministic guest are recorded with keys. */
static void name_workloads(struct vm_call *vm)
{
	const struct vm_options *options = options_of(vm);
	const struct collection_request *wanted = &options->collection;
	/* The mixes switch so seldom that keys change little. */
	const bool has_keys = !options->dataset && !wanted->keys && wanted->events.count == 0;
	const struct workload *workload;
	struct buffer names = {0};

	if (wanted->names || wanted->command || !launch_records(&options->launch))
		return;
	for (size_t i = 0; (workload = workload_at(i)); i++)
		if (options->dataset ? !workload->only_named : workload_is_vm_default(workload))
			buffer_printf(&names, "%s%s", names.length ? "," : "", workload->name);
	arguments_add(&vm->words, "%s", vm->call->words[0]);
	arguments_add(&vm->words, "--workload=%s", names.data);
	if (has_keys)
		arguments_add(&vm->words, "--keys=if-possible");
	for (char *const *word = vm->call->words + 1; *word; word++)
		arguments_add(&vm->words, "%s", *word);
	buffer_free(&names);
	vm->session.words = vm->words.items;
	vm->session.options->collection.names = strchr(vm->words.items[1], '=') + 1;
	if (has_keys)
		vm->session.options->collection.keys = "if-possible";
}

static int run_vm(const struct call *call)
{
	struct vm_call vm = {.call = call, .session = {.options = call->values, .words = call->words}};
	struct error err = {0};

	interrupt_catch();
	enum status status = collection_request_set_command(&vm.session.options->collection, &call->operands, &err);
	if (status != STATUS_OK)
		error_remedy(
		    &err, "give each kernel with -k (-k NAME=KERNEL names it), workloads with -w, a command after --");
	name_workloads(&vm);
	if (status == STATUS_OK)
		status = prepare(&vm, &err);
	int exit_code = status == STATUS_OK ? boot_all(&vm) : message_error(&err);
	for (size_t i = 0; i < vm.session.count && vm.reports; i++)
		dataset_summary_free(&vm.reports[i].dataset);
	vm_session_close(&vm.session);
	arguments_free(&vm.words);
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
	"This boots each kernel six or seven times, records in every boot how the scheduler runs the workloads, and "
	"ends "
	"with\n"
	"what differs between the kernels; out/report.html begins with the same, and has charts. It needs no root.\n"
	"Choose workloads with -w (picknext list shows which run by default), and fewer or more boots with -r.\n"
	"why and check-rule need --keys, which only deterministic guests without -w and COMMAND have by default.\n\n"
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
