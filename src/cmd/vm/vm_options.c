/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_options.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "vm/launch/jobs.h"
#include "vm/launch/mode.h"
#include "vm/launch/request_check.h"

const struct option vm_option_rows[] = {
    OPTION(struct vm_options, kernels, "kernel", .letter = 'k', .argument = "[LABEL=]IMAGE|DIR",
	   .help = "kernel to boot: a bzImage (vmlinuz), an ELF vmlinux, a directory with one, such\n"
		   "as a kernel tree after make, or the name of one that was fetched (6.12);\n"
		   "repeatable. LABEL names its set of runs (default: the release; RELEASE-2 if two\n"
		   "kernels have the same).\n"
		   "In a kernel tree the default is that tree's"),
    OPTION(struct vm_options, output, "output-dir", .letter = 'o', .argument = "DIR", .fallback = "traces",
	   .help = "output directory; each kernel writes to DIR/LABEL"),
    OPTION(struct vm_options, jobs, "jobs", .letter = 'j', .argument = "N", .min = 1, .max = JOBS_MAX,
	   .help = "guests that run side by side (default: as many as have a free CPU and memory;\n"
		   "1 on wall-clock time, where they would disturb each other)"),
    OPTION(struct vm_options, deterministic, "deterministic",
	   .help = "QEMU counts instructions instead of time: same kernel and seed, same trace,\n"
		   "byte for byte; timed workloads do a fixed amount of work (default if there\n"
		   "is a QEMU 10, and KVM does not work)"),
    OPTION(struct vm_options, wall_clock, "wall-clock",
	   .help = "guests run on real time; so do those of --engine, --accelerator,\n"
		   "--shell, --no-trace and more than 4 CPUs"),
    OPTION(struct vm_options, seeds, "seeds", .argument = "LIST",
	   .help = "seeds of deterministic guests instead of 1 to N, such as 1-10 or 1,2,7; the seed\n"
		   "is the number of the run"),
    OPTION(struct vm_options, until, "until", .argument = "GATE",
	   .help = "boot seeds until GATE fires at a run, such as 'involuntary_share > 40%', or until\n"
		   "the guest dies or its kernel reports a fault (WARNING, BUG, a stall); print the\n"
		   "command that repeats it. Limit: --seeds, --runs, or seeds 1 to 1000"),
    OPTION(struct vm_options, no_compare, "no-compare",
	   .help = "several kernels: leave out the comparison at the end, and report.html"),
    OPTION(struct vm_options, plan, "plan",
	   .help = "do not boot; list the boots (cells), one a line: the command that makes it on any\n"
		   "machine, such as a job of GNU parallel"),
    OPTION(struct vm_options, json, "json", .help = "with --plan: JSON, with the set, run and id of each cell"),
    OPTION(struct vm_options, missing, "missing", .help = "with --plan: only cells that are not in DIR yet"),
    OPTION(struct vm_options, shard, "shard", .argument = "K/N",
	   .help = "make only part K of N of the cells; picknext check DIR says what is missing"),
    OPTION(struct vm_options, cell, "cell", .argument = "ID", .help = "make only this cell of the plan"),
    OPTION(struct vm_options, force, "force", .help = "repeat all runs, and replace runs with other inputs"),
    OPTION(struct vm_options, dry_run, "dry-run", .help = "print the command line instead of booting"),
    OPTION_TITLE("Workloads and their recording"),
    COLLECTION_OPTION_ROWS(
	struct vm_options, collection,
	"boots of each kernel, each with one run of each workload: seeds 1 to N\nof deterministic guests "
	"(default: 6)",
	NULL),
    OPTION(struct vm_options, added, "add", .letter = 'a', .argument = "WHAT",
	   .help = "add a program of PATH, a file or a directory at the same path in the\n"
		   "guest; HOST:GUEST adds it at another path; repeatable"),
    OPTION(struct vm_options, schedulers, "scheduler", .argument = "SCHEDULER",
	   .help = "boot each kernel under this scheduler of sched_ext: none (the kernel's own),\n"
		   "builtin:NAME (picknext list --schedulers), or 'PROGRAM ARGUMENTS', which is\n"
		   "added to the guest; repeatable, none first to compare with it\n"
		   "(picknext help sched_ext)"),
    OPTION(struct vm_options, no_trace, "no-trace", .help = "run COMMAND in the guest without recording"),
    OPTION(struct vm_options, shell, "shell",
	   .help = "a BusyBox shell in the guest instead of a collection; exit or Ctrl+] ends it"),
    /* Accepted by the parser for a better error. */
    OPTION(struct vm_options, collection.scratch, "scratch", .argument = "PATH",
	   .help = "refused: a guest has its own scratch device", .hidden = true),
    OPTION_TITLE("The guest"),
    OPTION(struct vm_options, cpus, "cpus", .argument = "N", .fallback = "2", .min = 1, .max = 64,
	   .help = "CPUs for the workload; the guest has one more, isolated, for the tracer"),
    OPTION(struct vm_options, no_isolated_cpu, "no-isolated-cpu",
	   .help = "no CPU for the tracer: it shares the workload CPUs and appears in the trace\n"
		   "(default with --scheduler)"),
    OPTION(struct vm_options, isolate_by_affinity, "isolate-by-affinity",
	   .help = "a CPU for the tracer by the affinity of all other tasks: works beside sched_ext,\n"
		   "but some schedulers treat tasks with an affinity differently"),
    OPTION(struct vm_options, memory_mb, "memory", .argument = "MB", .unit = "MB", .fallback = "1024", .min = 192,
	   .max = 1048576, .help = "memory of the guest, such as 2G; it also holds traces until they are sent"),
    OPTION(struct vm_options, append, "append", .argument = "ARGUMENTS",
	   .help = "more arguments for the kernel's command line"),
    OPTION(struct vm_options, modules, "modules", .argument = "DIR",
	   .help = "the kernel's modules: .../lib/modules/RELEASE, or a directory with lib/modules\n"
		   "(default: found beside the image)"),
    OPTION(struct vm_options, initramfs, "initramfs", .argument = "FILE",
	   .help = "base initramfs (default: found beside picknext)"),
    OPTION_CHOICES(struct vm_options, engine, "engine", "auto|vng|qemu", .argument = "NAME", .fallback = "auto",
		   .help = "program that boots the guest; auto: vng if installed, else plain QEMU"),
    OPTION(struct vm_options, qemu, "qemu", .argument = "PROGRAM",
	   .help = "QEMU to use instead of qemu-system-x86_64 of PATH"),
    OPTION_CHOICES(struct vm_options, accelerator, "accelerator", "auto|kvm|tcg", .argument = "NAME",
		   .fallback = "auto", .help = "auto: KVM if a short test boot with it works, else TCG"),
    OPTION(struct vm_options, boot_timeout_s, "boot-timeout", .argument = "S", .unit = "s", .min = 1, .max = 86400,
	   .help = "time for the guest to boot, such as 90s or 5m (default: 120 s; deterministic: 600 s)"),
    OPTION(struct vm_options, silence_timeout_s, "silence-timeout", .argument = "S", .unit = "s", .min = 1,
	   .max = 86400, .help = "treat the guest as hung after this time without output (the same defaults)"),
    OPTION(struct vm_options, timeout_s, "timeout", .argument = "S", .unit = "s", .fallback = "14400", .min = 1,
	   .max = 2592000, .help = "time limit for one boot"),
    OPTION_TITLE("The dataset"),
    OPTION(struct vm_options, no_dataset, "no-dataset",
	   .help = "leave out the CSV files; picknext build -o DIR/LABEL writes them later"),
    SPLIT_OPTION_ROWS(struct vm_options, split),
    {.name = NULL},
};

static double small_of(const struct collection_options *given)
{
	return given->small > 0 ? given->small : 1;
}

void vm_options_collection(const struct vm_options *options, const char *scheduler, struct arguments *out)
{
	const struct collection_options *given = &options->collection;

	if (given->wanted.workloads)
		arguments_option(out, "--workload", "%s", given->wanted.workloads);
	arguments_option(out, "--runs", "%llu", (unsigned long long)given->runs);
	arguments_option(out, "--buffer-size", "%llu", (unsigned long long)given->buffer_size_kb);
	if (given->scale > 0)
		arguments_option(out, "--scale", "%.15g", given->scale);
	else
		arguments_option(out, "--small", "%.15g", small_of(given));
	if (given->duration_s > 0)
		arguments_option(out, "--duration", "%.15g", given->duration_s);
	arguments_option(out, "--clock", "%s", given->clock);
	/* The tracer of a scheduler's guest sleeps while a workload runs, unless it has a CPU. */
	if (given->drain)
		arguments_option(out, "--drain", "%s", given->drain);
	else
		arguments_option(out, "--drain", "%d",
				 options->schedulers.count && !options->isolate_by_affinity ? 0 : COLLECTION_DRAIN_MS);
	if (given->migration_stacks)
		arguments_add(out, "--migration-stacks");
	if (scheduler)
		arguments_option(out, "--scheduler", "%s", scheduler);
	if (given->stop_on_ejection)
		arguments_add(out, "--stop-on-ejection");
	if (given->wanted.command)
		arguments_option(out, "--category", "%s", given->wanted.category ? given->wanted.category : "recorded");
	if (given->wanted.command)
		arguments_add(out, "--");
	for (char *const *word = given->wanted.command; word && *word; word++)
		arguments_add(out, "%s", *word);
}

struct vm_request vm_options_request(const struct vm_options *given)
{
	/* Deterministic guests are slower, especially on a busy host. */
	const unsigned int patience_s = given->deterministic ? 600 : 120;

	return (struct vm_request){
	    .modules = given->modules,
	    .initramfs = given->initramfs,
	    .engine = given->engine,
	    .qemu = given->qemu,
	    .accelerator = given->accelerator,
	    .append = given->append,
	    .output_directory = given->output,
	    .untraced = given->no_trace,
	    .cpus = (unsigned int)given->cpus,
	    .no_isolated_cpu = given->no_isolated_cpu || (given->schedulers.count && !given->isolate_by_affinity),
	    .isolated_by_affinity = given->isolate_by_affinity,
	    .memory_mb = given->memory_mb,
	    .boot_timeout_s = given->boot_timeout_s ? (unsigned int)given->boot_timeout_s : patience_s,
	    .silence_timeout_s = given->silence_timeout_s ? (unsigned int)given->silence_timeout_s : patience_s,
	    .total_timeout_s = (unsigned int)given->timeout_s,
	    .shell = given->shell,
	    .dry_run = given->dry_run,
	    .deterministic = given->deterministic,
	    .force = given->force,
	};
}

static enum status add_guest_files(const struct vm_options *given, const char *scheduler,
				   struct guest_files *guest_files, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < given->added.count && status == STATUS_OK; i++)
		status = guest_files_add(guest_files, given->added.items[i], err);
	if (status == STATUS_OK && scheduler)
		status = guest_files_add_program(guest_files, scheduler, err);
	if (status == STATUS_OK && given->collection.wanted.command)
		status = guest_files_add_command(guest_files, given->collection.wanted.command[0], err);
	if (status == STATUS_OK)
		status = guest_files_finish(guest_files, err);
	for (size_t i = 0; i < guest_files->count && status == STATUS_OK; i++)
		if (guest_files->items[i].kind == GUEST_FILE_REGULAR)
			message_detail("into the guest: %s as /%s", guest_files->items[i].from,
				       guest_files->items[i].guest);
	return status;
}

enum status vm_options_contradictions(const struct vm_options *given, struct error *err)
{
	if (given->shell && given->kernels.count > 1)
		return error_set(err, STATUS_USAGE, NULL, "--shell takes one kernel at a time");
	if (given->shell && given->collection.wanted.command)
		return error_set(err, STATUS_USAGE, NULL, "--shell takes no command; run it in the shell");
	if (given->shell && given->collection.wanted.workloads)
		return error_set(err, STATUS_USAGE, NULL, "--shell and --workload are mutually exclusive");
	if (given->no_trace && !given->collection.wanted.command)
		return error_set(err, STATUS_USAGE, NULL, "--no-trace needs a command to run: -- COMMAND...");
	if (given->no_trace && given->until)
		return error_set(err, STATUS_USAGE, NULL, "--no-trace and --until are mutually exclusive");
	if (given->collection.scale > 0 && given->collection.small > 0)
		return error_set(err, STATUS_USAGE, NULL, "--scale and --small are mutually exclusive");
	if (given->no_isolated_cpu && given->isolate_by_affinity)
		return error_set(err, STATUS_USAGE, NULL,
				 "--no-isolated-cpu and --isolate-by-affinity are mutually exclusive");
	if (given->shell && given->schedulers.count)
		return error_set(err, STATUS_USAGE, NULL,
				 "--shell takes no scheduler; add its program with --add and start it in the shell");
	if (given->collection.stop_on_ejection && given->schedulers.count == 0)
		return error_set(err, STATUS_USAGE, NULL, "--stop-on-ejection needs --scheduler");
	if (given->collection.scratch)
		return error_set(err, STATUS_USAGE, "--scratch", "a guest has its own scratch device");
	return STATUS_OK;
}

enum status vm_options_mode(struct vm_options *given, const char *kernel, struct mode *mode, struct error *err)
{
	*mode = (struct mode){0};
	if (given->deterministic && given->wall_clock)
		return error_set(err, STATUS_USAGE, NULL, "--deterministic and --wall-clock are mutually exclusive");
	if (given->deterministic || given->wall_clock)
		return STATUS_OK;
	struct vm_request request = vm_options_request(given);
	request.kernel = kernel;
	if (given->until)
		*mode = (struct mode){.deterministic = true, .why = "--until was given"};
	else if (given->seeds)
		*mode = (struct mode){.deterministic = true, .why = "--seeds was given"};
	else if (mode_choose(&request, mode, err) != STATUS_OK)
		return err->status;
	given->deterministic = mode->deterministic;
	return STATUS_OK;
}

/* On wall-clock time, runs are numbered from 0 as those of collect are. */
static enum status number_runs(const struct vm_options *given, struct seed_list *runs, struct error *err)
{
	const uint64_t wanted = given->shell ? 1 : given->collection.runs;

	if (given->seeds || given->until)
		return error_set(err, STATUS_USAGE, NULL, "%s is for deterministic guests only",
				 given->seeds ? "--seeds" : "--until");
	if (wanted > SEED_LIST_MAX)
		return error_set(err, STATUS_USAGE, "--runs", "more than %d", SEED_LIST_MAX);
	for (uint32_t run = 0; run < wanted; run++)
		runs->seeds[runs->count++] = run;
	return STATUS_OK;
}

static enum status choose_seeds(const struct vm_options *given, bool runs_given, struct seed_list *seeds,
				struct error *err)
{
	const struct vm_request request = vm_options_request(given);
	const uint64_t runs = given->collection.runs;
	char range[32];
	enum status status = request_check_deterministic(&request, err);

	if (status != STATUS_OK)
		return status;
	snprintf(range, sizeof(range), "1-%llu", (unsigned long long)runs);
	status = seed_list_parse(given->seeds ? given->seeds : range, seeds, err);
	if (status == STATUS_OK && runs_given && seeds->count != runs)
		return error_set(err, STATUS_USAGE, NULL, "--runs %llu, but --seeds %s are %zu",
				 (unsigned long long)runs, given->seeds, seeds->count);
	return status;
}

enum status vm_options_runs(struct vm_options *given, struct seed_list *runs, struct error *err)
{
	const bool runs_given = given->collection.runs > 0;

	runs->count = 0;
	if (!runs_given)
		given->collection.runs = given->until ? SEED_LIST_MAX : VM_RUNS;
	enum status status =
	    given->deterministic ? choose_seeds(given, runs_given, runs, err) : number_runs(given, runs, err);
	given->collection.runs = 1;
	return status;
}

enum status vm_options_check(const struct vm_options *given, struct vm_workloads *workloads, struct error *err)
{
	struct collection_request collection = {0};
	struct vm_request request = vm_options_request(given);
	enum status status = request_check_append(&request, err);

	if (status == STATUS_OK)
		status = collection_options_apply(&given->collection, &workloads->choice, &collection, err);
	if (status == STATUS_OK && !given->shell && !given->no_trace)
		status = split_options_check(&given->split, &collection.plan, err);
	workloads->count = collection.plan.workload_count;
	return status;
}

enum status vm_options_guest_files(const struct vm_options *given, const char *scheduler,
				   struct guest_files *guest_files, struct error *err)
{
	struct vm_request request = vm_options_request(given);
	enum status status = add_guest_files(given, scheduler, guest_files, err);

	request.guest_files = guest_files;
	return status == STATUS_OK ? request_check_memory(&request, given->collection.buffer_size_kb, err) : status;
}
