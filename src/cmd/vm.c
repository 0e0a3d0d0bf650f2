/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/collection_options.h"
#include "cmd/commands.h"
#include "cmd/split_options.h"
#include "cmd/vm_report.h"
#include "vm/arguments.h"

struct vm_options {
	struct option_list kernels, additions;
	const char *output;
	const char *engine, *accelerator, *transport, *modules, *initramfs, *qemu, *append;
	uint64_t cpus, memory_mb, boot_timeout_s, silence_timeout_s, timeout_s;
	bool shell, dry_run, no_trace;
	struct collection_options collection;
	struct split_options split;
};

#define AT(member) .offset = offsetof(struct vm_options, member)

static const struct option options[] = {
    {.name = "kernel",
     .letter = 'k',
     .kind = OPTION_LIST,
     AT(kernels),
     .argument = "IMAGE",
     .help = "kernel to boot: a bzImage (vmlinuz) or an ELF vmlinux; may be given again"},
    {.name = "output-dir",
     .letter = 'o',
     .kind = OPTION_TEXT,
     AT(output),
     .argument = "DIR",
     .fallback = "traces",
     .help = "everything of a kernel goes to DIR/RELEASE"},
    {.name = "add",
     .letter = 'a',
     .kind = OPTION_LIST,
     AT(additions),
     .argument = "WHAT",
     .help = "take along a program of PATH, a file or a directory, to the same\n"
	     "place in the guest; HOST:GUEST puts it elsewhere; may be given again"},
    COLLECTION_OPTION_ROWS(struct vm_options, collection),
    /* Known so that it can be refused with the reason. */
    {.name = "scratch",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct vm_options, collection.scratch),
     .argument = "PATH",
     .help = "refused: a guest makes a scratch device of its own",
     .hidden = true},
    SPLIT_OPTION_ROWS(struct vm_options, split),
    {.name = "cpus",
     .kind = OPTION_NUMBER,
     AT(cpus),
     .argument = "N",
     .fallback = "2",
     .least = 1,
     .most = 64,
     .help = "CPUs for the workload; the guest has one more, isolated, for the tracer"},
    {.name = "memory",
     .kind = OPTION_NUMBER,
     AT(memory_mb),
     .argument = "MB",
     .fallback = "1024",
     .least = 192,
     .most = 1048576,
     .help = "memory of the guest; traces are in it until they are taken out"},
    {.name = "modules",
     .kind = OPTION_TEXT,
     AT(modules),
     .argument = "DIR",
     .help = "the kernel's modules: .../lib/modules/RELEASE, or what holds lib/modules; found\n"
	     "beside the image without this"},
    {.name = "engine",
     .kind = OPTION_CHOICE,
     AT(engine),
     .argument = "NAME",
     .fallback = "auto",
     .choices = "auto|vng|qemu",
     .help = "what boots the guest; auto is vng where there is one, else plain QEMU"},
    {.name = "accelerator",
     .kind = OPTION_CHOICE,
     AT(accelerator),
     .argument = "NAME",
     .fallback = "auto",
     .choices = "auto|kvm|tcg",
     .help = "auto boots a guest on KVM for a moment to see whether that works here"},
    {.name = "transport",
     .kind = OPTION_CHOICE,
     AT(transport),
     .argument = "NAME",
     .fallback = "auto",
     .choices = "auto|share|port",
     .help = "how traces leave: a shared directory, or a virtio-serial port for kernels\n"
	     "without 9p and virtiofs"},
    {.name = "append",
     .kind = OPTION_TEXT,
     AT(append),
     .argument = "ARGUMENTS",
     .help = "further arguments for the kernel's command line"},
    {.name = "initramfs",
     .kind = OPTION_TEXT,
     AT(initramfs),
     .argument = "FILE",
     .help = "base initramfs; found beside picknext without this"},
    {.name = "qemu",
     .kind = OPTION_TEXT,
     AT(qemu),
     .argument = "PROGRAM",
     .help = "QEMU to use instead of qemu-system-x86_64 of PATH"},
    {.name = "boot-timeout",
     .kind = OPTION_NUMBER,
     AT(boot_timeout_s),
     .argument = "S",
     .fallback = "120",
     .least = 1,
     .most = 86400,
     .help = "seconds until the guest must be up"},
    {.name = "silence-timeout",
     .kind = OPTION_NUMBER,
     AT(silence_timeout_s),
     .argument = "S",
     .fallback = "120",
     .least = 1,
     .most = 86400,
     .help = "seconds without a sign of the guest after which it hangs"},
    {.name = "timeout",
     .kind = OPTION_NUMBER,
     AT(timeout_s),
     .argument = "S",
     .fallback = "14400",
     .least = 1,
     .most = 2592000,
     .help = "seconds that one kernel may take in all"},
    {.name = "shell",
     .kind = OPTION_FLAG,
     AT(shell),
     .help = "a BusyBox shell in that same guest instead of a collection; exit or Ctrl+] ends it"},
    {.name = "no-trace",
     .kind = OPTION_FLAG,
     AT(no_trace),
     .help = "run COMMAND in the guest without recording anything"},
    {.name = "dry-run", .kind = OPTION_FLAG, AT(dry_run), .help = "print the command line, boot nothing"},
    {.name = NULL},
};

struct session {
	struct vm_options options;
	struct arguments collect; /* for the collection in the guest */
	struct additions additions;
	struct kernel_report *kernels;
	size_t count;
};

/* --- Before the first boot --- */

static enum status check_memory(const struct session *session, struct error *err)
{
	const struct vm_options *given = &session->options;
	bool records = !given->shell && !given->no_trace;
	uint64_t buffers_mb = records ? given->collection.buffer_size_kb * (given->cpus + 1) / 1024 : 0;
	/* While the guest unpacks them, it has them twice. */
	uint64_t added_mb = session->additions.bytes >> 20;
	uint64_t needed_mb = buffers_mb * 2 + added_mb * 2 + 128;

	if (needed_mb <= given->memory_mb || (added_mb == 0 && !records))
		return STATUS_OK;
	if (added_mb > buffers_mb) {
		error_set(err, STATUS_USAGE, "--add", "%llu MB of files do not fit into %llu MB of memory",
			  (unsigned long long)added_mb, (unsigned long long)given->memory_mb);
		return error_remedy(err, "give the guest more: --memory %llu", (unsigned long long)needed_mb);
	}
	error_set(err, STATUS_USAGE, "--buffer-size", "%llu KB on each of %llu CPUs do not fit into %llu MB of memory",
		  (unsigned long long)given->collection.buffer_size_kb, (unsigned long long)given->cpus + 1,
		  (unsigned long long)given->memory_mb);
	return error_remedy(err, "give the guest more: --memory %llu", (unsigned long long)needed_mb);
}

static void collect_arguments(const struct session *session, struct arguments *out)
{
	const struct collection_options *given = &session->options.collection;

	if (given->workloads)
		arguments_option(out, "--workload", "%s", given->workloads);
	arguments_option(out, "--runs", "%llu", (unsigned long long)given->runs);
	arguments_option(out, "--buffer-size", "%llu", (unsigned long long)given->buffer_size_kb);
	arguments_option(out, "--scale", "%.15g", given->scale);
	if (given->duration_s > 0)
		arguments_option(out, "--duration", "%.15g", given->duration_s);
	arguments_option(out, "--clock", "%s", given->clock);
	if (given->no_drain)
		arguments_add(out, "--no-drain");
	else
		arguments_option(out, "--drain", "%llu", (unsigned long long)given->drain_ms);
	if (given->global)
		arguments_add(out, "--global");
	if (given->migration_stacks)
		arguments_add(out, "--migration-stacks");
	if (given->category)
		arguments_option(out, "--category", "%s", given->category);
	if (given->command)
		arguments_add(out, "--");
	for (char *const *word = given->command; word && *word; word++)
		arguments_add(out, "%s", *word);
}

static void fill_request(const struct session *session, size_t kernel, struct vm_request *request)
{
	const struct vm_options *given = &session->options;

	*request = (struct vm_request){
	    .kernel = given->kernels.items[kernel],
	    .modules = given->modules,
	    .initramfs = given->initramfs,
	    .engine = given->engine,
	    .qemu = given->qemu,
	    .accelerator = given->accelerator,
	    .transport = given->transport,
	    .append = given->append,
	    .output_directory = given->output,
	    .collect_arguments = (const char *const *)session->collect.items,
	    .additions = given->additions.count || given->collection.command ? &session->additions : NULL,
	    .untraced = given->no_trace,
	    .cpus = (unsigned int)given->cpus,
	    .memory_mb = given->memory_mb,
	    .boot_timeout_s = (unsigned int)given->boot_timeout_s,
	    .silence_timeout_s = (unsigned int)given->silence_timeout_s,
	    .total_timeout_s = (unsigned int)given->timeout_s,
	    .shell = given->shell,
	    .dry_run = given->dry_run,
	};
}

static enum status add_all(struct session *session, struct error *err)
{
	struct additions *additions = &session->additions;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < session->options.additions.count && status == STATUS_OK; i++)
		status = additions_add(additions, session->options.additions.items[i], err);
	if (status == STATUS_OK && session->options.collection.command)
		status = additions_add_command(additions, session->options.collection.command[0], err);
	return status == STATUS_OK ? additions_finish(additions, err) : status;
}

static enum status check_all(struct session *session, struct error *err)
{
	const struct vm_options *given = &session->options;
	struct collection_choice choice;
	struct collection_request collection = {0};
	struct vm_request request;
	enum status status = STATUS_OK;

	if (given->kernels.count == 0) {
		error_set(err, STATUS_USAGE, "vm", "no kernel was given");
		return error_remedy(err, "give one with --kernel IMAGE; vm/fetch-kernel gets Debian's");
	}
	if (given->shell && given->kernels.count > 1)
		return error_set(err, STATUS_USAGE, "--shell", "takes one kernel at a time");
	if (given->shell && given->collection.command)
		return error_set(err, STATUS_USAGE, "--shell", "takes no command: give it in the shell");
	if (given->no_trace && !given->collection.command)
		return error_set(err, STATUS_USAGE, "--no-trace", "needs a command to run: -- COMMAND...");
	if (given->collection.scratch)
		return error_set(err, STATUS_USAGE, "--scratch", "a guest makes a scratch device of its own");
	if (given->append && strpbrk(given->append, "\"'`$\\;&|<>()\n"))
		return error_set(err, STATUS_USAGE, "--append", "quotes and the shell's own letters cannot be used");
	status = collection_options_apply(&given->collection, &choice, &collection, err);
	if (status == STATUS_OK)
		status = add_all(session, err);
	if (status == STATUS_OK)
		status = check_memory(session, err);
	for (size_t i = 0; i < given->kernels.count && status == STATUS_OK; i++) {
		fill_request(session, i, &request);
		status = vm_check(&request, err);
	}
	return status;
}

/* --- One kernel --- */

static void tell(const char *line)
{
	message_info("%s", line);
}

static void warn(const char *line)
{
	message_warning("%s", line);
}

static void show_building(const char *trace_id, uint64_t done, uint64_t of, uint64_t rows)
{
	message_progress("building: %s (%llu of %llu), %llu rows", trace_id, (unsigned long long)done + 1,
			 (unsigned long long)of, (unsigned long long)rows);
}

static enum status build(const struct session *session, struct kernel_report *report, struct error *err)
{
	static const struct dataset_listener listener = {
	    .information = tell, .warning = warn, .progress = show_building};
	const struct dataset_request request = {
	    .output_directory = report->result.directory,
	    .train_ratio = session->options.split.train_ratio,
	    .seed = session->options.split.seed,
	    .no_unseen_split = session->options.split.no_unseen_split,
	    .allow_lossy = session->options.split.allow_lossy,
	    .extended = strcmp(session->options.split.columns, "extended") == 0,
	};
	enum status status = dataset_build(&request, &listener, &report->dataset, err);

	message_progress_end();
	report->built = status == STATUS_OK;
	return status;
}

static void tell_what_is_kept(const struct vm_result *result)
{
	if (result->console_tail[0])
		message_info("last lines of the console:\n%.*s", (int)strlen(result->console_tail) - 1,
			     result->console_tail);
	if (result->traces)
		message_info("%u traces are whole and kept; picknext build -o %s makes a dataset of them",
			     result->traces, result->directory);
	if (result->incomplete)
		message_info("%u files did not arrive whole and are marked .incomplete in %s/raw", result->incomplete,
			     result->directory);
}

static enum status run_kernel(struct session *session, size_t index)
{
	struct kernel_report *report = &session->kernels[index];
	const char *taken[OPTION_LIST_MOST];
	struct vm_request request;
	struct error err = {0};

	fill_request(session, index, &request);
	for (size_t i = 0; i < index; i++)
		taken[i] = session->kernels[i].result.directory;
	request.taken = taken;
	request.taken_count = index;
	report->ran = true;
	enum status status = vm_run(&request, &report->result, &err);
	if (status != STATUS_OK)
		tell_what_is_kept(&report->result);
	else if (!request.shell && !request.dry_run && !request.untraced)
		status = build(session, report, &err);
	if (status != STATUS_OK)
		report->exit_code = message_error(&err);
	return status;
}

/* --- After the last --- */

static void print_reports(const struct session *session)
{
	bool any = false;

	for (size_t i = 0; i < session->count; i++)
		any |= session->kernels[i].built;
	for (size_t i = 0; any && i < session->count; i++)
		if (session->kernels[i].ran)
			vm_report_print(&session->kernels[i], i);
}

static int run_all(struct session *session)
{
	int exit_code = 0;

	for (size_t i = 0; i < session->count; i++) {
		enum status status = run_kernel(session, i);
		if (status == STATUS_INTERRUPTED || exit_code == 0)
			exit_code = session->kernels[i].exit_code;
		if (status == STATUS_INTERRUPTED || status == STATUS_SYSTEM)
			break;
	}
	if (session->options.shell || session->options.dry_run || session->options.no_trace)
		return exit_code;
	if (message_level() != MESSAGE_QUIET)
		print_reports(session);
	return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct session session = {0};
	struct operands operands;
	struct error err = {0};
	int exit_code;

	enum status status = options_parse(command, &session.options, argc, argv, &operands, &err);
	if (status == STATUS_OK && operands.help) {
		options_help(command);
		return 0;
	}
	interrupt_catch();
	if (status == STATUS_OK)
		status = collection_options_command(&operands, &session.options.collection, &err);
	if (status == STATUS_OK) {
		session.count = session.options.kernels.count;
		collect_arguments(&session, &session.collect);
		session.kernels = calloc(session.count + 1, sizeof(*session.kernels));
		if (!session.kernels || session.collect.failed)
			status = error_system(&err, ENOMEM, NULL, "cannot start");
	}
	if (status == STATUS_OK)
		status = check_all(&session, &err);
	exit_code = status == STATUS_OK ? run_all(&session) : message_error(&err);
	arguments_free(&session.collect);
	additions_free(&session.additions);
	free(session.kernels);
	return exit_code;
}

const struct command command_vm = {
    .name = "vm",
    .summary = "boot kernels in a virtual machine, trace the workloads in each, build their datasets",
    .operands = "[-- COMMAND...]",
    .most_operands = SIZE_MAX,
    .details =
	"Needs no root. Each kernel boots with our own initramfs, N CPUs for the workload and one isolated\n"
	"for the tracer. DIR/RELEASE/ then holds raw/ (trace.dat and JSON for each run), the CSV files of\n"
	"picknext build, console.log, and vm.json, which says how it was run.\n\n"
	"COMMAND is traced instead of workloads, or beside them with -w exec:NAME. It is this machine's program,\n"
	"taken along by itself; what it starts or reads has to be named with --add. A program brings its shared\n"
	"libraries and interpreter, but not what it opens later: plugins, modules of Python, configuration.\n"
	"All has the same paths as here, in memory; COMMAND runs as root, in this directory where a relative path\n"
	"was given. What it prints is in raw/NAME_runN.log. Where it fails, vm ends with exit code 6.",
    .examples =
	"  picknext vm -k vmlinuz-6.1 -k vmlinuz-6.12 --scale 0.05 -o out   # two kernels, one command\n"
	"  picknext vm -k bzImage -w hackbench_pipe_small -r 5 -o out       # a kernel just built\n"
	"  picknext vm -k bzImage -- hackbench -g 2 -l 100                  # your own program, 3 runs\n"
	"  picknext vm -k bzImage -a taskset -a ./load.json -- rt-app ./load.json\n"
	"  picknext vm -k bzImage -a /usr/lib/python3.11 -a model.py:/m.py -- python3 /m.py\n"
	"  picknext vm -k bzImage -a perf --no-trace -- sh -c 'perf sched record -- sleep 1; perf sched latency'\n"
	"  picknext vm -k bzImage -a trace-cmd --shell                      # look around in that guest\n"
	"  picknext vm -k bzImage --dry-run                                 # the command line alone",
    .options = options,
    .run = run,
};
