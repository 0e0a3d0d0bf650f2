/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_options.h"

#include <stdio.h>
#include <string.h>

#include "compare/comparison_rows.h"
#include "compare/family_test.h"
#include "compare/metric.h"
#include "vm/launch/jobs.h"
#include "vm/launch/output_values.h"

#define VM_RUNS 6 /* with five runs, no p-value is small enough for one workload of five */

const struct option vm_option_rows[] = {
    OPTION(struct vm_options, kernels, "kernel", .letter = 'k', .argument = "[LABEL=]IMAGE|DIR", .scope = OPTION_OF_SET,
	   .help = "kernel to boot: a bzImage (vmlinuz), an ELF vmlinux, an Image of arm64, a\n"
		   "directory with one, such as a kernel tree after make, or the name of one that was\n"
		   "fetched (6.12, 6.12-arm64), which also decides the architecture of the guest;\n"
		   "repeatable. LABEL names its set of runs (default: the release; RELEASE-2 if two\n"
		   "kernels have the same).\n"
		   "In a kernel tree the default is that tree's"),
    OPTION(struct vm_options, launch.output, "output-dir", .letter = 'o', .argument = "DIR", .fallback = "traces",
	   .scope = OPTION_OF_CALL, .help = "output directory; each kernel writes to DIR/LABEL"),
    OPTION(struct vm_options, launch.jobs, "jobs", .letter = 'j', .argument = "N", .min = 1, .max = JOBS_MAX,
	   .scope = OPTION_OF_CALL,
	   .help = "guests that run side by side (default: as many as have a free CPU and memory;\n"
		   "1 with --mode wall-clock, where they would disturb each other)"),
    OPTION_CHOICES(struct vm_options, launch.mode, "mode", "auto|deterministic|wall-clock|kvm|tcg", .argument = "MODE",
		   .fallback = "auto", .scope = OPTION_OF_HOST | OPTION_RESOLVED,
		   .help = "deterministic: QEMU counts instructions instead of time: same kernel and seed,\n"
			   "same trace, byte for byte; timed workloads do a fixed amount of work.\n"
			   "wall-clock: real time, with KVM if a short test boot with it works, else TCG;\n"
			   "kvm, tcg: real time with this accelerator. auto: deterministic if there is a\n"
			   "QEMU 10, KVM does not work, and no option needs the wall clock"),
    OPTION(struct vm_options, seeds, "seeds", .argument = "LIST", .scope = OPTION_OF_CALL,
	   .help = "seeds of deterministic guests instead of 1 to N, such as 1-10 or 1,2,7; the seed\n"
		   "is the number of the run"),
    OPTION(struct vm_options, until, "until", .argument = "GATE", .scope = OPTION_OF_CALL,
	   .help = "boot seeds until GATE fires at a run, such as 'involuntary_share > 40%', or until\n"
		   "the guest dies or its kernel reports a fault (WARNING, BUG, a stall); print the\n"
		   "command that repeats it. Limit: --seeds, --runs, or seeds 1 to 1000"),
    OPTION(struct vm_options, reached, "reached", .argument = "WHAT", .scope = OPTION_OF_CALL,
	   .help = "boot the last kernel once more, and count how often each workload executes a\n"
		   "change: a patch file, FILE:LINE, or functions, separated by commas; repeatable.\n"
		   "Lines and inlined functions need gdb and a kernel tree with debug information.\n"
		   "The comparison begins with the result; gate: compare --fail-if 'reached < 1'"),
    OPTION(struct vm_options, dataset, "dataset", .scope = OPTION_OF_CALL,
	   .help = "build the dataset of each kernel too, as picknext build does: the CSV files and the\n"
		   "split into training and test data"),
    OPTION(struct vm_options, no_results, "no-results", .scope = OPTION_OF_CALL,
	   .help = "record only: picknext compare and report make the comparison of several kernels\n"
		   "and report.html later"),
    OPTION(struct vm_options, plan, "plan", .scope = OPTION_OF_CALL,
	   .help = "do not boot; print one line per missing boot: the command that makes it on any\n"
		   "machine, such as a job of GNU parallel (picknext help shards)"),
    OPTION(struct vm_options, boot, "boot", .argument = "LABEL/N", .scope = OPTION_OF_CALL,
	   .help = "make only run N of the kernel LABEL, as the commands of --plan do"),
    OPTION(struct vm_options, launch.force, "force", .scope = OPTION_OF_CALL,
	   .help = "repeat all runs, and replace runs with other inputs"),
    OPTION(struct vm_options, launch.dry_run, "dry-run", .scope = OPTION_OF_CALL,
	   .help = "print the command line instead of booting"),
    OPTION_TITLE("Workloads and their recording"),
    OPTION(struct vm_options, runs, "runs", .letter = 'r', .argument = "N", .min = 1, .max = SEED_LIST_MAX,
	   .scope = OPTION_OF_CALL,
	   .help = "boots of each kernel, each with one run of each workload: seeds 1 to N\n"
		   "of deterministic guests (default: 6; 7 with 12 to 42 workloads)"),
    COLLECTION_OPTION_ROWS(struct vm_options, collection, GUEST_SCALE),
    COUNT_OPTION_ROW(struct vm_options, collection, .hidden = true),
    OPTION(struct vm_options, added, "add", .letter = 'a', .argument = "WHAT", .scope = OPTION_OF_HOST,
	   .help = "add a program of PATH, a file or a directory at the same path in the\n"
		   "guest, a relative one in /root, where COMMAND starts; HOST:GUEST adds it at\n"
		   "another path; repeatable"),
    OPTION(struct vm_options, schedulers, "scheduler", .argument = "SCHEDULER", .scope = OPTION_OF_SET,
	   .help = "boot each kernel under this scheduler of sched_ext: none (the kernel's own),\n"
		   "builtin:NAME (picknext list --schedulers), or 'PROGRAM ARGUMENTS', which is\n"
		   "added to the guest; repeatable, none first to compare with it\n"
		   "(picknext help sched_ext)"),
    OPTION(struct vm_options, launch.values, "value", .argument = "NAME=REGEX", .scope = OPTION_OF_HOST,
	   .help = "use a number in COMMAND's output as a metric of each run, in comparison, gates and\n"
		   "report: the group of REGEX (extended), or else the whole match, in the last line\n"
		   "that matches, such as 'latency_us=max: ([0-9.]+)'; repeatable. -v shows the output"),
    OPTION(struct vm_options, launch.no_trace, "no-trace", .help = "run COMMAND in the guest without recording"),
    OPTION(struct vm_options, launch.shell, "shell",
	   .help = "a BusyBox shell in the guest instead of a collection; exit or Ctrl+] ends it"),
    OPTION(struct vm_options, launch.cpus, "cpus", .argument = "N", .fallback = "2", .min = 1, .max = 64,
	   .scope = OPTION_OF_HOST, .help = "CPUs for the workload; the guest has one more, isolated, for the tracer"),
    OPTION(struct vm_options, launch.topology_words, "topology", .argument = "KEY=N,...", .scope = OPTION_OF_HOST,
	   .once = true, .help = TOPOLOGY_HELP),
    OPTION(struct vm_options, launch.guest_words, "guest", .argument = "KEY=VALUE,...", .scope = OPTION_OF_HOST,
	   .help = GUEST_OPTIONS_HELP),
    OPTION(struct vm_options, allowed, "allow", .argument = "WHAT,...", .choices = ALLOW_RUNS, .scope = OPTION_OF_CALL,
	   .help = "include in datasets and comparison what is refused otherwise: traces that lost\n"
		   "events, runs whose command failed"),
    {.name = NULL},
};

const struct command vm_recipe_command = {.name = "vm",
					  .operands = "[-- COMMAND...]",
					  .operands_max = SIZE_MAX,
					  .options = vm_option_rows,
					  .values_size = sizeof(struct vm_options)};

/* --- Options that exclude each other --- */

/* Two options that exclude each other, or an option without one that it needs. */
struct contradiction {
	bool is_given;
	const char *text, *remedy;
};

static enum status refuse_any(const struct contradiction *rows, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].is_given)
			continue;
		error_set(err, STATUS_USAGE, NULL, "%s", rows[i].text);
		return rows[i].remedy ? error_remedy(err, "%s", rows[i].remedy) : STATUS_USAGE;
	}
	return STATUS_OK;
}

static enum status check_contradictions(const struct vm_options *options, struct error *err)
{
	const struct launch_options *launch = &options->launch;
	const struct collection_request *collection = &options->collection;
	const bool chooses = options->plan || options->boot;
	const bool is_timed = strcmp(launch->mode, "auto") != 0 && !launch->deterministic;
	const struct contradiction rows[] = {
	    {launch->shell && options->kernels.count > 1, "--shell takes one kernel at a time", NULL},
	    {launch->shell && collection->command, "--shell takes no command", "run it in the shell"},
	    {launch->shell && collection->names, "--shell and --workload are mutually exclusive", NULL},
	    {launch->shell && options->schedulers.count, "--shell takes no scheduler",
	     "add its program with --add and start it in the shell"},
	    {launch->no_trace && !collection->command, "--no-trace needs a command to run: -- COMMAND...", NULL},
	    {launch->values.count && !collection->command, "--value needs a command to run: -- COMMAND...", NULL},
	    {launch->values.count && launch->no_trace, "--no-trace and --value are mutually exclusive", NULL},
	    {launch->no_trace && options->until, "--no-trace and --until are mutually exclusive", NULL},
	    {collection->scheduler.stop_on_ejection && options->schedulers.count == 0,
	     "--stop-on-ejection needs --scheduler", NULL},
	    {is_timed && options->seeds, "--seeds is for deterministic guests only", NULL},
	    {is_timed && options->until, "--until is for deterministic guests only", NULL},
	    {chooses && launch->shell, "--shell and --plan or --boot are mutually exclusive", NULL},
	    {chooses && launch->no_trace, "--no-trace and --plan or --boot are mutually exclusive", NULL},
	    {chooses && options->until, "--until and --plan or --boot are mutually exclusive", NULL},
	    {options->reached.count && (chooses || options->until || launch->dry_run || !launch_records(launch)),
	     "--reached and --plan, --boot, --until, --dry-run, --shell or --no-trace are mutually exclusive", NULL},
	    {chooses && launch->dry_run, "--dry-run and --plan or --boot are mutually exclusive", NULL},
	    {options->plan && options->boot, "--plan and --boot are mutually exclusive", NULL},
	    {options->plan && launch->force, "--plan and --force are mutually exclusive",
	     "remove the runs that are to be repeated"},
	    {options->dataset && options->no_results, "--dataset and --no-results are mutually exclusive", NULL},
	};

	return refuse_any(rows, sizeof(rows) / sizeof(rows[0]), err);
}

static enum status refuse_metrics(const struct option_list *values, struct error *err)
{
	char name[64];

	for (size_t i = 0; i < values->count; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(values->items[i], "="), values->items[i]);
		if (metric_find(name))
			return error_set(err, STATUS_USAGE, "--value", "%s is a metric already; choose another name",
					 name);
	}
	return STATUS_OK;
}

enum status vm_options_check(struct vm_options *options, struct error *err)
{
	enum status status = launch_options_check(&options->launch, err);

	if (status == STATUS_OK)
		status = check_contradictions(options, err);
	if (status == STATUS_OK)
		status = output_values_check(&options->launch.values, err);
	return status == STATUS_OK ? refuse_metrics(&options->launch.values, err) : status;
}

/* --- Runs --- */

static void number_runs(uint64_t count, struct seed_list *runs)
{
	for (uint32_t run = 1; run <= count; run++)
		runs->seeds[runs->count++] = run;
}

static enum status choose_seeds(const struct vm_options *options, uint64_t count, struct seed_list *seeds,
				struct error *err)
{
	const uint64_t given = options->runs;
	char range[32];

	snprintf(range, sizeof(range), "1-%llu", (unsigned long long)count);
	enum status status = launch_check_deterministic(&options->launch, err);
	if (status == STATUS_OK)
		status = seed_list_parse(options->seeds ? options->seeds : range, seeds, err);
	if (status == STATUS_OK && given && seeds->count != given)
		return error_set(err, STATUS_USAGE, NULL, "--runs %llu, but --seeds %s are %zu",
				 (unsigned long long)given, options->seeds, seeds->count);
	return status;
}

/* The min number of runs that can show an effect in one of the workloads. Each workload is a family of tests, and a run
 * of one set that lies within those of the other doubles the p-value. */
static uint64_t default_runs(size_t workloads)
{
	size_t runs = VM_RUNS;

	while (runs < 2 * VM_RUNS && 2 * family_smallest(runs, runs) * (double)workloads > COMPARISON_FALSE_RATE)
		runs++;
	return runs;
}

enum status vm_options_runs(const struct vm_options *options, size_t workloads, struct seed_list *runs,
			    struct error *err)
{
	const uint64_t count = options->runs ? options->runs : options->until ? SEED_LIST_MAX : default_runs(workloads);

	runs->count = 0;
	if (options->launch.deterministic)
		return choose_seeds(options, count, runs, err);
	number_runs(options->launch.shell ? 1 : count, runs);
	return STATUS_OK;
}
