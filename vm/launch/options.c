/* SPDX-License-Identifier: MIT */
#include "vm/launch/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "base/memory.h"

/* --- The details of the guest --- */

static const struct option guest_rows[] = {
    OPTION(struct guest_options, memory_mb, "memory", .unit = "MB", .fallback = "1024", .min = 192, .max = 1048576),
    OPTION(struct guest_options, append, "append"),
    OPTION(struct guest_options, modules, "modules"),
    OPTION(struct guest_options, initramfs, "initramfs"),
    OPTION_CHOICES(struct guest_options, isolation, "isolation", "auto|none|affinity", .fallback = "auto"),
    OPTION_CHOICES(struct guest_options, engine, "engine", "auto|vng|qemu", .fallback = "auto"),
    OPTION(struct guest_options, qemu, "qemu"),
    OPTION(struct guest_options, boot_timeout_s, "boot-timeout", .unit = "s", .max = 86400),
    OPTION(struct guest_options, silence_timeout_s, "silence-timeout", .unit = "s", .max = 86400),
    OPTION(struct guest_options, timeout_s, "timeout", .unit = "s", .fallback = "14400", .min = 1, .max = 2592000),
    {.name = NULL},
};

static const struct command guest_command = {.name = "--guest", .operands = "", .options = guest_rows};

static bool begins_with_key(const char *text)
{
	const size_t length = strcspn(text, "=,");

	for (const struct option *row = guest_rows; row->name && text[length] == '='; row++)
		if (strlen(row->name) == length && strncmp(row->name, text, length) == 0)
			return true;
	return false;
}

/* "KEY=VALUE,KEY=VALUE" becomes "--KEY=VALUE" twice. */
static enum status split_words(const char *text, struct arguments *storage, struct error *err)
{
	while (*text) {
		const bool takes_rest = strncmp(text, "append=", 7) == 0; /* kernel arguments have commas too */
		const int length = (int)(takes_rest ? strlen(text) : strcspn(text, ","));
		if (!begins_with_key(text)) {
			error_set(err, STATUS_USAGE, "--guest", "'%.*s' is not KEY=VALUE with a known key", length,
				  text);
			return error_remedy(err, "keys: memory, append, modules, initramfs, isolation, engine, qemu, "
						 "boot-timeout, silence-timeout, timeout");
		}
		arguments_add(storage, "--%.*s", length, text);
		text += length;
		text += *text == ',';
	}
	return STATUS_OK;
}

/* options_parse() names the option "--memory" in errors: make it "--guest memory". */
static enum status name_key(enum status status, struct error *err)
{
	char where[sizeof(err->where)];

	if (status != STATUS_OK && strncmp(err->where, "--", 2) == 0 && strcmp(err->where, guest_command.name) != 0) {
		snprintf(where, sizeof(where), "--guest %.200s", err->where + 2);
		memcpy(err->where, where, sizeof(where));
	}
	return status;
}

enum status launch_options_check(struct launch_options *options, struct error *err)
{
	struct arguments *storage = &options->guest_storage;
	struct operands operands;
	enum status status = STATUS_OK;

	arguments_add(storage, "%s", guest_command.name);
	for (size_t i = 0; i < options->guest_words.count && status == STATUS_OK; i++)
		status = split_words(options->guest_words.items[i], storage, err);
	if (status != STATUS_OK)
		return status;
	/* Parse a copy: options_parse() reorders the words. */
	char **words = xreallocarray(NULL, storage->count + 1, sizeof(*words));
	memcpy(words, storage->items, (storage->count + 1) * sizeof(*words));
	status = options_parse(&guest_command, &options->guest, (int)storage->count, words, &operands, err);
	free(words);
	options->deterministic = strcmp(options->mode, "deterministic") == 0;
	if (status != STATUS_OK)
		return name_key(status, err);
	if (options->guest.append && strpbrk(options->guest.append, "\"'`$\\;&|<>()\n"))
		return error_set(err, STATUS_USAGE, "--guest append",
				 "must not contain quotes or special characters of the shell");
	status = topology_parse(options->topology_words, &options->topology, err);
	return status == STATUS_OK ? topology_check(&options->topology, (unsigned int)options->cpus, err) : status;
}

void launch_options_free(struct launch_options *options)
{
	arguments_free(&options->guest_storage);
}

const char *launch_accelerator(const struct launch_options *options)
{
	return options->deterministic                                                   ? "tcg"
	       : strcmp(options->mode, "kvm") == 0 || strcmp(options->mode, "tcg") == 0 ? options->mode
											: "auto";
}

unsigned int launch_patience_s(const struct launch_options *options, uint64_t given_s)
{
	return given_s ? (unsigned int)given_s : options->deterministic ? 600 : 120;
}

/* --- Rules --- */

enum status launch_check_deterministic(const struct launch_options *options, struct error *err)
{
	if (options->shell) {
		error_set(err, STATUS_USAGE, "--shell", "an interactive guest is not deterministic");
		return error_remedy(err, "omit --shell, or choose --mode wall-clock");
	}
	if (strcmp(options->guest.engine, "vng") == 0)
		return error_set(err, STATUS_USAGE, "--guest engine", "a deterministic guest needs plain QEMU");
	if (options->cpus > DETERMINISTIC_CPUS_MAX)
		return error_set(err, STATUS_USAGE, "--cpus", "a deterministic guest has at most %d workload CPUs",
				 DETERMINISTIC_CPUS_MAX);
	return STATUS_OK;
}

/* QEMU maps all of the guest's memory at its start. */
static enum status check_limit(uint64_t memory_mb, struct error *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >> 20 > memory_mb)
		return STATUS_OK;
	error_system(err, ENOMEM, "--guest memory", "%llu MB for a guest, but the limit of address space is %llu MB",
		     (unsigned long long)memory_mb, (unsigned long long)(limit.rlim_cur >> 20));
	return error_remedy(err, "raise the limit: ulimit -v unlimited");
}

/* If the host has less, QEMU ends at its start, or later, when the guest uses the memory. */
static enum status check_host_memory(const struct launch_options *options, struct error *err)
{
	const uint64_t memory_mb = options->guest.memory_mb;
	struct sysinfo host;

	if (options->dry_run || sysinfo(&host) < 0)
		return STATUS_OK;
	uint64_t host_mb = ((uint64_t)host.totalram + host.totalswap) * host.mem_unit >> 20;
	if (memory_mb <= host_mb)
		return check_limit(memory_mb, err);
	error_set(err, STATUS_SYSTEM, "--guest memory", "%llu MB for a guest, but this machine has %llu MB",
		  (unsigned long long)memory_mb, (unsigned long long)host_mb);
	return error_remedy(err, "give it less; 1024 MB are enough for the workloads of picknext");
}

enum status launch_check_memory(const struct launch_options *options, uint64_t buffer_size_kb, uint64_t files_bytes,
				struct error *err)
{
	const uint64_t memory_mb = options->guest.memory_mb;
	const bool records = launch_records(options);
	const uint64_t buffers_mb = records ? buffer_size_kb * (options->cpus + 1) / 1024 : 0;
	const uint64_t added_mb = (files_bytes + (1 << 20) - 1) >> 20;
	uint64_t needed_mb = buffers_mb * 2 + added_mb + 128;

	/* The kernel unpacks the archive into a file system of half of the memory that the archive leaves. */
	if (needed_mb < added_mb * 3 + 128)
		needed_mb = added_mb * 3 + 128;
	if (needed_mb <= memory_mb || (files_bytes == 0 && !records))
		return check_host_memory(options, err);
	if (added_mb > buffers_mb)
		error_set(err, STATUS_USAGE, "--add", "%llu MB of files do not fit into %llu MB of memory",
			  (unsigned long long)added_mb, (unsigned long long)memory_mb);
	else
		error_set(err, STATUS_USAGE, "--buffer-size",
			  "%llu KB on each of %llu CPUs do not fit into %llu MB of memory",
			  (unsigned long long)buffer_size_kb, (unsigned long long)options->cpus + 1,
			  (unsigned long long)memory_mb);
	return error_remedy(err, "give the guest more: --guest memory=%llu", (unsigned long long)needed_mb);
}
