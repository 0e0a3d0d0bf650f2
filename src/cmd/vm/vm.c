/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/output_file.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/known_workloads.h"
#include "cmd/split_options.h"
#include "cmd/vm/default_set.h"
#include "cmd/vm/first_word.h"
#include "cmd/vm/reached.h"
#include "cmd/vm/vm_session.h"
#include "compare/run_gate.h"
#include "print/print.h"
#include "print/rules_print.h"
#include "print/vm_report.h"
#include "vm/launch/jobs.h"
#include "vm/plan/run_claims.h"
#include "workloads/table.h"

#define PAGE "report.html"

/* --until: boots seeds until one of them shows a fault. */
struct until {
	struct compare_gate gate;
	struct run_set_options reading;
	bool found, has_died;
	size_t order, launch; /* index of the first boot in order that showed a fault, and of its launch */
	uint32_t seed;
	char reason[1024];
	struct error error; /* of a trace that could not be read */
};

struct vm_call {
	const struct call *call;
	struct arguments words; /* arguments of the call, with the workloads if it names none */
	struct vm_session session;
	struct launch *launches[OPTION_LIST_MAX];
	struct reached_request reached;
	struct vm_report *reports; /* one for each set */
	bool has_results;          /* make the datasets and, for several sets, the comparison */
	struct until until;
	struct first_word first_word; /* of a comparison with keys */
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

	request.has_details_only = compares(vm); /* a comparison follows, and it does not depend on the split */
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

/* Ends a set. ran: STATUS_OK if all boots of all sets ended. */
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
	else if (!options_of(vm)->boot && launch_records(launch))
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

/* For a single set: prints if its decisions follow the published rule. */
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

/* Runs compare or report on the directories, with the options that vm has in common with it. page: for --output, or
 * NULL. */
static int run_on(const struct call *call, const struct command *command, const char *page,
		  const char *const *directories, size_t count)
{
	const struct vm_options *options = call->values;
	struct arguments line = {0};
	char *words[OPTION_LIST_MAX + 8]; /* the option parser moves operands among them */

	arguments_add(&line, "%s", command->name);
	arguments_add(&line, "--allow=incomplete%s%s", options->allowed & ALLOW_LOSSY ? ",lossy" : "",
		      options->allowed & ALLOW_FAILED ? ",failed" : ""); /* vm itself reports missing runs */
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

/* Compares the sets and writes the report; the first set is the base. */
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
	int exit_code = 0;

	for (size_t i = 0; i < vm->session.count; i++) {
		end_set(vm, i, ran);
		if (exit_code == 0)
			exit_code = vm->reports[i].exit_code;
	}
	if (launch_records(launch) && !options_of(vm)->boot && message_level() != MESSAGE_QUIET)
		print_reports(vm);
	return exit_code;
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

/* Prints the command that repeats the boot with the fault. */
static void print_command(const struct until *until, const struct vm_session *session)
{
	struct recipe one = {0};
	struct buffer text = {0};

	const struct vm_set *set = &session->sets[until->launch];

	vm_recipe(set->launch, &set->recipe, &one);
	recipe_add_option(&one, "--seeds=%u", until->seed);
	recipe_add_option(&one, "--output-dir=%s-seed%u", session->options->launch.output, until->seed);
	recipe_forget_directory(&one); /* the user repeats it in the same directory */
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
		       tried == 1 ? "" : "s", until->gate.condition.text);
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

static int print_plan(const struct vm_call *vm)
{
	struct buffer out = {0};
	struct error err;

	if (vm_plan(vm->launches, vm->session.count, &vm->session.plan, &out, &err) == STATUS_OK)
		return print_buffer(&out);
	buffer_free(&out);
	return message_error(&err);
}

/* --- All --- */

static enum status boot(struct vm_call *vm, unsigned int jobs, struct error *err)
{
	struct vm_watch watch = {.context = NULL};

	if (options_of(vm)->until)
		watch = (struct vm_watch){.ended = fires, .is_search = true, .context = &vm->until};
	else if (compares(vm) && keys_are_wanted(options_of(vm)->collection.keys)) {
		first_word_begin(&vm->first_word, &vm->session);
		watch = first_word_watch(&vm->first_word);
	}
	return vm_run(vm->launches, vm->session.count, jobs, options_of(vm)->boot, &watch, err);
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
	if (vm->reached.words) {
		if (vm_check(vm->launches, vm->session.count, &err) != STATUS_OK)
			return message_error(&err);
		const int reached_code = reached_boot(vm->call, &vm->session, &vm->reached);
		if (reached_code != 0)
			return reached_code;
	}
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

/* Checks before the boots that the report can be written. */
static enum status check_page(const char *directory, struct error *err)
{
	char page[PATH_MAX];
	enum status status = file_join(page, sizeof(page), directory, PAGE, err);

	return status == STATUS_OK ? output_check(page, err) : status;
}

/* Checks the number of sets before the boots, which can take hours. */
static enum status check_count(const struct vm_call *vm, struct error *err)
{
	if (vm->session.count <= COMPARISON_SETS_MAX)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, "--kernel", "%zu sets of runs; at most %d can be compared", vm->session.count,
		  COMPARISON_SETS_MAX);
	return error_remedy(err, "add --no-results, and compare some of them afterwards");
}

/* Warns before the boots, which can take hours. */
static void note_few_runs(const struct vm_call *vm)
{
	const struct vm_options *options = options_of(vm);
	const size_t runs = vm->session.runs.count;

	if (vm->session.count > 1 && runs && runs < COMPARISON_RUNS_MIN && !options->no_results && !options->until &&
	    !options->plan && !options->boot && launch_records(&options->launch))
		message_info("%zu run%s per kernel: values only, no verdicts (those need -r %d)", runs,
			     runs == 1 ? "" : "s", COMPARISON_RUNS_MIN);
}

/* True if a pattern (NAME, SYSTEM:NAME or SYSTEM, with wildcards) may select sched_switch. */
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
	enum status status = vm_session_begin(&vm->session, err);

	if (status != STATUS_OK)
		return status;
	vm->reports = xcalloc(vm->session.count, sizeof(*vm->reports));
	vm->has_results = !options->boot && !options->plan && !options->no_results && launch_records(launch) &&
			  !launch->dry_run && !options->until;
	if (compares(vm))
		status = check_count(vm, err);
	if (status == STATUS_OK && compares(vm))
		status = check_page(launch->output, err);
	if (status == STATUS_OK && options->until)
		status = begin_until(options, &vm->until, err);
	if (status == STATUS_OK)
		status = reached_find(&vm->session, &vm->reached, err);
	if (status == STATUS_OK)
		status = vm_session_open(&vm->session, err);
	if (status == STATUS_OK)
		note_few_runs(vm);
	if (status == STATUS_OK)
		note_no_switches(options);
	return status;
}

/* With --dataset, they are those of collect. */
static const char *default_workload(const struct vm_options *options, size_t number)
{
	const struct workload *workload;

	if (!options->dataset)
		return vm_default_workload(number);
	for (size_t i = 0; (workload = workload_at(i)); i++)
		if (!workload->only_named && number-- == 0)
			return workload->name;
	return NULL;
}

/* Adds the default workloads to the words, so that a version with other defaults repeats the recipe with the same ones.
 * In deterministic guests they are recorded with keys. */
static void name_workloads(struct vm_call *vm)
{
	const struct vm_options *options = options_of(vm);
	const struct collection_request *wanted = &options->collection;
	/* These mixes switch so seldom that recording keys changes little. */
	const bool has_keys = !options->dataset && !wanted->keys && wanted->events.count == 0;
	struct buffer names = {0};
	const char *name;

	if (wanted->names || wanted->command || !launch_records(&options->launch))
		return;
	for (size_t i = 0; (name = default_workload(options, i)); i++)
		buffer_printf(&names, "%s%s", names.length ? "," : "", name);
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
	reached_free(&vm.reached);
	first_word_free(&vm.first_word);
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
	"With keys, what a kernel does against a rule that the first one keeps is printed as soon as a trace shows "
	"it.\n"
	"Choose workloads with -w (picknext list shows which run by default), and fewer or more boots with -r.\n"
	"why and check-rule need --keys, which only deterministic guests without -w and COMMAND have by default.\n\n"
	"If QEMU 10 is installed (or picknext fetch qemu was run) and KVM does not work, guests are deterministic: the "
	"same\n"
	"kernel and seed give the same trace, whatever else the host does. Otherwise they run on real time.\n\n"
	"DIR/LABEL/ has raw/ (trace.dat and JSON of each run), console/ and engine/ with the logs of each boot,\n"
	"boots/ (how each ended), and vm.json; with --dataset also the CSV files of picknext build. A run that is "
	"there already with the same "
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
