/* SPDX-License-Identifier: MIT
 *
 * Options of picknext vm for the launch of guests, and checks of them that need no files, made before any boot. Errors
 * name the option. */
#ifndef VM_LAUNCH_OPTIONS_H
#define VM_LAUNCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/options.h"
#include "vm/protocol/topology.h"

#define DETERMINISTIC_CPUS_MAX 8 /* workload CPUs */

/* --guest KEY=VALUE,...: the details of the virtual machine. Texts are NULL if not given. */
struct guest_options {
	const char *engine, *qemu;                             /* "auto", "vng", "qemu"; program */
	const char *isolation;                                 /* of the tracer's CPU: "auto", "none", "affinity" */
	const char *modules, *initramfs;                       /* paths */
	const char *append;                                    /* kernel arguments */
	uint64_t memory_mb, boot_timeout_s, silence_timeout_s; /* timeouts: 0 if not given */
	uint64_t timeout_s;
};

#define GUEST_OPTIONS_HELP                                                                                             \
	"details of the guest (picknext help guest): memory=MB (1024), isolation=none or\n"                            \
	"affinity, modules=DIR, initramfs=FILE, engine=vng or qemu, qemu=PROGRAM,\n"                                   \
	"boot-timeout=S, silence-timeout=S, timeout=S, append=KERNEL ARGUMENTS (last: it\n"                            \
	"takes the rest); repeatable"

struct launch_options {
	const char *output;
	const char *mode;           /* "auto", "deterministic", "wall-clock", "kvm", "tcg" */
	uint64_t jobs;              /* 0: not given */
	uint64_t cpus;              /* workload CPUs; one more is isolated for the tracer */
	const char *topology_words; /* --topology; NULL: not given */
	struct option_list guest_words;
	struct option_list values; /* --value: numbers of the command's output (vm/launch/output_values.h) */
	bool shell, no_trace, dry_run, force;

	/* After launch_options_check(). */
	struct guest_options guest;
	struct topology topology;
	struct arguments guest_storage; /* private: guest points into it */
	/* Given by the mode, or chosen (vm/launch/mode.h). */
	bool deterministic;
	bool needs_scratch; /* by the workloads, or perhaps by the command or the shell; set by the caller */
};

/* Parses --guest. STATUS_USAGE for an unknown key and for a wrong value. */
enum status launch_options_check(struct launch_options *options, struct error *err);
void launch_options_free(struct launch_options *options);

/* True if the boots record traces. Without traces there are no runs. */
static inline bool launch_records(const struct launch_options *options)
{
	return !options->shell && !options->no_trace;
}

/* "kvm", "tcg" or "auto". */
const char *launch_accelerator(const struct launch_options *options);
/* The time limit given, or the default: deterministic guests are slower, especially on a busy host. */
unsigned int launch_patience_s(const struct launch_options *options, uint64_t given_s);

/* Refuse options that a deterministic guest cannot have. */
enum status launch_check_deterministic(const struct launch_options *options, struct error *err);
/* Checks that the guest's memory can hold files_bytes and the trace buffers of all CPUs, and that the host has the
 * memory of the guest. */
enum status launch_check_memory(const struct launch_options *options, uint64_t buffer_size_kb, uint64_t files_bytes,
				struct error *err);

#endif
