/* SPDX-License-Identifier: MIT */
#include "cmd/vm_options.h"

#include <string.h>

#include "base/message.h"

#define DETERMINISTIC_CPUS_MAX 4

#define AT(member) .offset = offsetof(struct vm_options, member)

const struct option vm_option_rows[] = {
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
     AT(added),
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
    {.name = "deterministic",
     .kind = OPTION_FLAG,
     AT(deterministic),
     .help = "QEMU counts instructions instead of time: same kernel, same seed, same trace,\n"
	     "byte for byte; timed workloads do a fixed amount of work (needs QEMU 10)"},
    {.name = "seed-list",
     .kind = OPTION_TEXT,
     AT(seed_list),
     .argument = "LIST",
     .help = "seeds for --deterministic, such as 1-10 or 1,2,7: a boot each, and another\n"
	     "draw; the seed is the number of its runs (default: 1)"},
    {.name = "cpus",
     .kind = OPTION_NUMBER,
     AT(cpus),
     .argument = "N",
     .fallback = "2",
     .least = 1,
     .most = 64,
     .help = "CPUs for the workload; the guest has one more, isolated, for the tracer"},
    {.name = "no-isolated-cpu",
     .kind = OPTION_FLAG,
     AT(no_isolated_cpu),
     .help = "no CPU for the tracer: it runs on those of the workload, and is seen there"},
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
     .least = 1,
     .most = 86400,
     .help = "seconds until the guest must be up (default: 120; deterministic: 600)"},
    {.name = "silence-timeout",
     .kind = OPTION_NUMBER,
     AT(silence_timeout_s),
     .argument = "S",
     .least = 1,
     .most = 86400,
     .help = "seconds without a sign of the guest after which it hangs (likewise)"},
    {.name = "timeout",
     .kind = OPTION_NUMBER,
     AT(timeout_s),
     .argument = "S",
     .fallback = "14400",
     .least = 1,
     .most = 2592000,
     .help = "seconds that one kernel, or one of its seeds, may take in all"},
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

static enum status check_memory(const struct vm_options *given, const struct guest_files *guest_files,
				struct error *err)
{
	bool records = !given->shell && !given->no_trace;
	uint64_t buffers_mb = records ? given->collection.buffer_size_kb * (given->cpus + 1) / 1024 : 0;
	uint64_t added_mb = (guest_files->bytes + (1 << 20) - 1) >> 20;
	uint64_t needed_mb = buffers_mb * 2 + added_mb + 128;

	/* The kernel unpacks them into a file system of half the memory that they leave. */
	if (needed_mb < added_mb * 3 + 128)
		needed_mb = added_mb * 3 + 128;

	if (needed_mb <= given->memory_mb || (guest_files->bytes == 0 && !records))
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

void vm_options_collection(const struct collection_options *given, struct arguments *out)
{
	if (given->workloads)
		arguments_option(out, "--workload", "%s", given->workloads);
	arguments_option(out, "--runs", "%llu", (unsigned long long)(given->runs ? given->runs : COLLECTION_RUNS));
	arguments_option(out, "--buffer-size", "%llu", (unsigned long long)given->buffer_size_kb);
	arguments_option(out, "--scale", "%.15g", given->scale);
	if (given->duration_s > 0)
		arguments_option(out, "--duration", "%.15g", given->duration_s);
	arguments_option(out, "--clock", "%s", given->clock);
	if (given->no_drain)
		arguments_add(out, "--no-drain");
	else
		arguments_option(out, "--drain", "%llu", (unsigned long long)given->drain_ms);
	if (given->migration_stacks)
		arguments_add(out, "--migration-stacks");
	if (given->category)
		arguments_option(out, "--category", "%s", given->category);
	if (given->command)
		arguments_add(out, "--");
	for (char *const *word = given->command; word && *word; word++)
		arguments_add(out, "%s", *word);
}

static enum status add_all(const struct vm_options *given, struct guest_files *guest_files, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < given->added.count && status == STATUS_OK; i++)
		status = guest_files_add(guest_files, given->added.items[i], err);
	if (status == STATUS_OK && given->collection.command)
		status = guest_files_add_command(guest_files, given->collection.command[0], err);
	if (status == STATUS_OK)
		status = guest_files_finish(guest_files, err);
	for (size_t i = 0; i < guest_files->count && status == STATUS_OK; i++)
		if (guest_files->items[i].kind == GUEST_FILE_REGULAR)
			message_detail("into the guest: %s as /%s", guest_files->items[i].from,
				       guest_files->items[i].guest);
	return status;
}

static enum status contradicts(const struct vm_options *given, struct error *err)
{
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
	return STATUS_OK;
}

static enum status contradicts_deterministic(const struct vm_options *given, struct error *err)
{
	if (!given->deterministic)
		return given->seed_list ? error_set(err, STATUS_USAGE, "--seed-list", "is for --deterministic only")
					: STATUS_OK;
	if (given->shell) {
		error_set(err, STATUS_USAGE, "--shell", "a guest that somebody types into is not deterministic");
		return error_remedy(err, "leave one of the two out");
	}
	if (given->collection.runs > 1) {
		error_set(err, STATUS_USAGE, "--runs", "a deterministic run that is repeated is the same");
		return error_remedy(err, "give several seeds: --seed-list 1-%llu",
				    (unsigned long long)given->collection.runs);
	}
	if (strcmp(given->accelerator, "kvm") == 0)
		return error_set(err, STATUS_USAGE, "--accelerator",
				 "KVM counts no instructions: --deterministic is "
				 "for tcg");
	if (strcmp(given->engine, "vng") == 0)
		return error_set(err, STATUS_USAGE, "--engine", "--deterministic boots with plain QEMU only");
	if (strcmp(given->transport, "auto") != 0)
		return error_set(err, STATUS_USAGE, "--transport", "--deterministic has a way of its own");
	if (given->cpus > DETERMINISTIC_CPUS_MAX)
		return error_set(err, STATUS_USAGE, "--cpus", "--deterministic takes at most %d for the workload",
				 DETERMINISTIC_CPUS_MAX);
	return STATUS_OK;
}

enum status vm_options_seeds(struct vm_options *given, struct seed_list *seeds, struct error *err)
{
	seeds->count = 0;
	enum status status = contradicts_deterministic(given, err);
	if (!given->deterministic || status != STATUS_OK)
		return status;
	given->collection.runs = 1;
	return seed_list_parse(given->seed_list ? given->seed_list : "1", seeds, err);
}

enum status vm_options_check(const struct vm_options *given, struct guest_files *guest_files, struct error *err)
{
	struct collection_choice choice;
	struct collection_request collection = {0};
	enum status status = contradicts(given, err);

	if (status == STATUS_OK)
		status = collection_options_apply(&given->collection, &choice, &collection, err);
	if (status == STATUS_OK)
		status = add_all(given, guest_files, err);
	return status == STATUS_OK ? check_memory(given, guest_files, err) : status;
}
