/* SPDX-License-Identifier: MIT */
#include "cmd/vm_options.h"

#include "base/message.h"
#include "vm/launch/request_check.h"

const struct option vm_option_rows[] = {
    OPTION(struct vm_options, kernels, "kernel", .letter = 'k', .argument = "IMAGE",
	   .help = "kernel to boot: a bzImage (vmlinuz) or an ELF vmlinux; repeatable"),
    OPTION(struct vm_options, output, "output-dir", .letter = 'o', .argument = "DIR", .fallback = "traces",
	   .help = "output directory; each kernel writes to DIR/RELEASE"),
    OPTION(struct vm_options, added, "add", .letter = 'a', .argument = "WHAT",
	   .help = "add a program of PATH, a file or a directory at the same path in the\n"
		   "guest; HOST:GUEST adds it at another path; repeatable"),
    COLLECTION_OPTION_ROWS(struct vm_options, collection),
    /* Accepted by the parser for a better error. */
    OPTION(struct vm_options, collection.scratch, "scratch", .argument = "PATH",
	   .help = "refused: a guest has its own scratch device", .hidden = true),
    OPTION(struct vm_options, bare_seed, "seed", .argument = "N", .help = "--split-seed", .hidden = true,
	   .fallback = "-9223372036854775808"), /* BARE_SEED_NONE; before the row of build */
    SPLIT_OPTION_ROWS(struct vm_options, split),
    OPTION(struct vm_options, deterministic, "deterministic",
	   .help = "QEMU counts instructions instead of time: same kernel and seed, same trace,\n"
		   "byte for byte; timed workloads do a fixed amount of work (needs QEMU 10)"),
    OPTION(struct vm_options, seeds, "seeds", .argument = "LIST",
	   .help = "seeds for --deterministic, such as 1-10 or 1,2,7: one boot per seed, each with\n"
		   "another schedule; the seed is the number of the run (default: 1)"),
    OPTION(struct vm_options, seeds, "seed-list", .argument = "LIST", .help = "--seeds", .hidden = true),
    OPTION(struct vm_options, cpus, "cpus", .argument = "N", .fallback = "2", .min = 1, .max = 64,
	   .help = "CPUs for the workload; the guest has one more, isolated, for the tracer"),
    OPTION(struct vm_options, no_isolated_cpu, "no-isolated-cpu",
	   .help = "no CPU for the tracer: it shares the workload CPUs and appears in the trace"),
    OPTION(struct vm_options, memory_mb, "memory", .argument = "MB", .unit = "MB", .fallback = "1024", .min = 192,
	   .max = 1048576, .help = "memory of the guest, such as 2G; it also holds traces until they are sent"),
    OPTION(struct vm_options, modules, "modules", .argument = "DIR",
	   .help = "the kernel's modules: .../lib/modules/RELEASE, or a directory with lib/modules\n"
		   "(default: found beside the image)"),
    OPTION_CHOICES(struct vm_options, engine, "engine", "auto|vng|qemu", .argument = "NAME", .fallback = "auto",
		   .help = "program that boots the guest; auto: vng if installed, else plain QEMU"),
    OPTION_CHOICES(struct vm_options, accelerator, "accelerator", "auto|kvm|tcg", .argument = "NAME",
		   .fallback = "auto", .help = "auto: KVM if a short test boot with it works, else TCG"),
    OPTION_CHOICES(struct vm_options, transport, "transport", "auto|share|port", .argument = "NAME", .fallback = "auto",
		   .help = "how traces leave the guest: shared directory, or virtio-serial port for\n"
			   "kernels without 9p and virtiofs"),
    OPTION(struct vm_options, append, "append", .argument = "ARGUMENTS",
	   .help = "more arguments for the kernel's command line"),
    OPTION(struct vm_options, initramfs, "initramfs", .argument = "FILE",
	   .help = "base initramfs (default: found beside picknext)"),
    OPTION(struct vm_options, qemu, "qemu", .argument = "PROGRAM",
	   .help = "QEMU to use instead of qemu-system-x86_64 of PATH"),
    OPTION(struct vm_options, boot_timeout_s, "boot-timeout", .argument = "S", .unit = "s", .min = 1, .max = 86400,
	   .help = "time for the guest to boot, such as 90s or 5m (default: 120 s; deterministic: 600 s)"),
    OPTION(struct vm_options, silence_timeout_s, "silence-timeout", .argument = "S", .unit = "s", .min = 1,
	   .max = 86400, .help = "treat the guest as hung after this time without output (the same defaults)"),
    OPTION(struct vm_options, timeout_s, "timeout", .argument = "S", .unit = "s", .fallback = "14400", .min = 1,
	   .max = 2592000, .help = "time limit for one kernel, or for one of its seeds"),
    OPTION(struct vm_options, shell, "shell",
	   .help = "a BusyBox shell in the guest instead of a collection; exit or Ctrl+] ends it"),
    OPTION(struct vm_options, no_trace, "no-trace", .help = "run COMMAND in the guest without recording"),
    OPTION(struct vm_options, dry_run, "dry-run", .help = "print the command line instead of booting"),
    {.name = NULL},
};

void vm_options_collection(const struct collection_options *given, struct arguments *out)
{
	if (given->wanted.workloads)
		arguments_option(out, "--workload", "%s", given->wanted.workloads);
	arguments_option(out, "--runs", "%llu", (unsigned long long)(given->runs ? given->runs : COLLECTION_RUNS));
	arguments_option(out, "--buffer-size", "%llu", (unsigned long long)given->buffer_size_kb);
	arguments_option(out, "--scale", "%.15g", given->scale);
	if (given->duration_s > 0)
		arguments_option(out, "--duration", "%.15g", given->duration_s);
	arguments_option(out, "--clock", "%s", given->clock);
	if (given->no_drain)
		arguments_add(out, "--no-drain");
	else
		arguments_option(out, "--drain", "%llu",
				 (unsigned long long)(given->drain_ms ? given->drain_ms : COLLECTION_DRAIN_MS));
	if (given->migration_stacks)
		arguments_add(out, "--migration-stacks");
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
	    .transport = given->transport,
	    .append = given->append,
	    .output_directory = given->output,
	    .untraced = given->no_trace,
	    .cpus = (unsigned int)given->cpus,
	    .no_isolated_cpu = given->no_isolated_cpu,
	    .memory_mb = given->memory_mb,
	    .boot_timeout_s = given->boot_timeout_s ? (unsigned int)given->boot_timeout_s : patience_s,
	    .silence_timeout_s = given->silence_timeout_s ? (unsigned int)given->silence_timeout_s : patience_s,
	    .total_timeout_s = (unsigned int)given->timeout_s,
	    .shell = given->shell,
	    .dry_run = given->dry_run,
	    .deterministic = given->deterministic,
	};
}

static enum status add_guest_files(const struct vm_options *given, struct guest_files *guest_files, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < given->added.count && status == STATUS_OK; i++)
		status = guest_files_add(guest_files, given->added.items[i], err);
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

static enum status check_contradictions(const struct vm_options *given, struct error *err)
{
	if (given->kernels.count == 0) {
		error_set(err, STATUS_USAGE, "vm", "no kernel given");
		return error_remedy(err, "give one with --kernel IMAGE; vm/fetch-kernel gets Debian's");
	}
	if (given->shell && given->kernels.count > 1)
		return error_set(err, STATUS_USAGE, NULL, "--shell takes one kernel at a time");
	if (given->shell && given->collection.wanted.command)
		return error_set(err, STATUS_USAGE, NULL, "--shell takes no command; run it in the shell");
	if (given->shell && given->collection.wanted.workloads)
		return error_set(err, STATUS_USAGE, NULL, "--shell and --workload are mutually exclusive");
	if (given->no_trace && !given->collection.wanted.command)
		return error_set(err, STATUS_USAGE, NULL, "--no-trace needs a command to run: -- COMMAND...");
	if (given->collection.scratch)
		return error_set(err, STATUS_USAGE, "--scratch", "a guest has its own scratch device");
	return STATUS_OK;
}

enum status vm_options_seeds(struct vm_options *given, struct seed_list *seeds, struct error *err)
{
	seeds->count = 0;
	if (!given->deterministic)
		return given->seeds ? error_set(err, STATUS_USAGE, NULL, "--seeds is for --deterministic only")
				    : STATUS_OK;
	const struct vm_request request = vm_options_request(given);
	enum status status = request_check_deterministic(&request, given->collection.runs, err);
	if (status != STATUS_OK)
		return status;
	given->collection.runs = 1;
	return seed_list_parse(given->seeds ? given->seeds : "1", seeds, err);
}

enum status vm_options_check(const struct vm_options *given, struct guest_files *guest_files, struct error *err)
{
	struct collection_choice choice;
	struct collection_request collection = {0};
	struct vm_request request = vm_options_request(given);
	enum status status = check_contradictions(given, err);

	if (status == STATUS_OK)
		status = request_check_append(&request, err);
	if (status == STATUS_OK)
		status = collection_options_apply(&given->collection, &choice, &collection, err);
	if (status == STATUS_OK)
		status = add_guest_files(given, guest_files, err);
	request.guest_files = guest_files;
	return status == STATUS_OK ? request_check_memory(&request, given->collection.buffer_size_kb, err) : status;
}
