/* SPDX-License-Identifier: MIT
 *
 * The metadata of a run: the JSON file beside its trace. One struct for writing and reading: collect and record write
 * it, all other commands read it. runs/run_fields.h has the keys and their order.
 *
 * Texts are borrowed: from the caller when writing, from the parsed document when reading. NULL means null, or that the
 * key is missing. */
#ifndef RUNS_METADATA_H
#define RUNS_METADATA_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"
#include "runs/loss.h"
#include "runs/recipe.h"

/* A setting of the scheduler: "base_slice_ns" is "2800000". */
struct run_tunable {
	const char *name, *value;
};

/* How the CPUs are grouped: lists of CPUs, separated by spaces, such as "0-1 2-3". NULL: not known. */
struct run_topology {
	const char *smt, *llc, *node;
	const char *capacity; /* CPUs of each capacity: "0-1=512 2-4=1024" */
	const char *domains;  /* names of the scheduling domains of CPU 0, the smallest first: "SMT MC NUMA" */
};

/* The machine, its kernel and its CPUs. */
struct run_host {
	const char *collected_at; /* UTC, ISO 8601 */
	const char *hostname;
	const char *kernel;         /* release: "6.12.9" */
	const char *kernel_version; /* "#1 SMP PREEMPT_DYNAMIC ..." */
	const char *kernel_build_id;
	const char *architecture, *cpu_model, *command_line, *preemption, *clocksource, *mitigations;
	unsigned int hz; /* 0: not known */
	struct run_tunable *tunables;
	size_t tunable_count;
	unsigned int cpu_count; /* online */
	cpu_set_t cpus_online, cpus_isolated;
	cpu_set_t cpus_workload; /* empty: not known */
	struct run_topology topology;
	int tracer_cpu;                                 /* -1: the tracer is not pinned */
	const char *picknext_version, *picknext_commit; /* when reading; writing uses this build's */
};

struct run_command {
	char *const *arguments;                /* NULL-terminated, or NULL */
	char program_sha256[SHA256_TEXT_SIZE]; /* of its first argument; "": not known */
	pid_t pid;                             /* of its first task, as in the trace; 0: not known */
	bool has_exit_code;
	int exit_code; /* 128 + N: killed by signal N */
};

/* A role of a mix: tasks of one name. */
struct run_role {
	const char *name;
	unsigned int tasks;
	const char *policy; /* "other" */
	int nice;
	unsigned int priority;
	uint64_t slice_ns;  /* 0: not set */
	const char *cgroup; /* a path of the run's cgroups; NULL: none */
	cpu_set_t cpus;     /* CPUs that its tasks are bound to; empty: not bound */
};

/* A cgroup of a mix. */
struct run_cgroup {
	const char *path; /* "web", "web/batch" */
	unsigned int weight;
	uint64_t quota_ns, period_ns; /* 0: no limit */
};

/* The work of a workload of picknext collect. */
struct run_work {
	const char *parameters;
	double scale;
	uint64_t loops; /* 0: it runs for timed_s */
	double timed_s; /* NaN: it does a fixed amount of work */
	uint64_t tasks, work_done;
	const char *work_unit;
	double elapsed_s;
	uint64_t voluntary_switches, involuntary_switches;
	struct run_role *roles; /* of a mix */
	size_t role_count;
	struct run_cgroup *cgroups;
	size_t cgroup_count;
	const char *accelerator; /* of the guest: "tcg"; NULL: not a guest */
	/* Target of its block I/O; kind NULL: none. file_system NULL: a device. */
	struct {
		const char *kind, *path, *file_system;
	} scratch;
};

/* The role of tasks with this name; NULL: none. */
static inline const struct run_role *run_role_of(const struct run_role *roles, size_t count, const char *name,
						 size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (roles[i].name && strlen(roles[i].name) == length && memcmp(roles[i].name, name, length) == 0)
			return &roles[i];
	return NULL;
}

/* A counter of sched_ext, and its increase during the run. */
struct run_scheduler_event {
	const char *name;
	uint64_t count;
};

/* The sched_ext scheduler during a run, or its absence. */
struct run_scheduler {
	bool is_known;     /* the key exists */
	const char *given; /* the value of --scheduler: "scx_simple -f", "none"; NULL: not given */
	const char *ops;   /* the kernel's name of it: "simple"; NULL: none, so the kernel's own scheduler */
	const char *subs;  /* schedulers of single cgroups; or NULL */
	const char *state; /* after the run: "enabled" */
	uint64_t enable_seq, enable_seq_after; /* the kernel's count of enabled schedulers, before and after the run */
	bool switch_all;                       /* it scheduled all normal tasks */
	uint64_t nr_rejected;                  /* tasks that it refused during the run */
	const char *isolation;                 /* of the tracer's CPU: "none", "domain", "affinity" */
	const char *tracer_policy;             /* "fifo", "normal" */
	const char *ejection;                  /* why it was not enabled throughout the run; NULL: it was */
	struct run_scheduler_event *events;
	size_t event_count;
};

/* A function or line of the kernel, and how often it was executed (--count). */
struct run_function {
	const char *name;   /* as it was asked for */
	const char *symbol; /* its symbol or a copy's, perhaps with an offset */
	bool is_counted;
	uint64_t executed;
	const char *reason; /* why it is not counted; NULL: it is */
};

/* The wait that ended a recording (record --until). */
struct run_moment {
	const char *condition; /* NULL: none did */
	char task[64];         /* its name */
	pid_t pid;
	uint32_t cpu;
	const char *after;         /* "wakeup", "new", "preempted", "runnable" */
	uint64_t since_ns, end_ns; /* trace clock */
	bool goes_on;              /* it was not over at end_ns */
};

/* A recording of picknext record. */
struct run_recording {
	pid_t *threads; /* given with --pid */
	size_t thread_count;
	const char *ended_by; /* "command", "processes", "duration", "signal", "condition", "failure" */
	struct run_moment moment;
	const char **event_names;
	size_t event_count;
	double flight_s;      /* 0: not a flight recording */
	uint64_t complete_ns; /* its beginning */
	uint64_t marks;
	/* Paths of cgroups, each with the PIDs that were in it ("1-3,17"), before and after the recording. */
	struct run_tunable *cgroups_before, *cgroups_after;
	size_t cgroup_count_before, cgroup_count_after;
	/* The same for processes, "PID NAME", each with its threads; RUN_SINGLE_THREADED: each of these is a process.
	 */
	struct run_tunable *processes_before, *processes_after;
	size_t process_count_before, process_count_after;
};
#define RUN_SINGLE_THREADED "single-threaded"

/* A number in the output of the command: vm --value. */
#define RUN_VALUES_MAX 16
struct run_value {
	const char *name;
	double value; /* NaN: the output has none */
};
/* A value's name has small letters, digits and _. */
#define RUN_VALUE_NAME_SIZE 64
static inline bool run_value_is_name(const char *text, size_t length)
{
	return length > 0 && length < RUN_VALUE_NAME_SIZE && text[0] >= 'a' && text[0] <= 'z' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") >= length;
}

/* Inputs of a guest: hashes, and the version of QEMU. NULL: not known. */
struct run_guest_inputs {
	const char *qemu_version;
	const char *kernel, *qemu, *firmware, *machine, *initramfs, *added_files;
};

struct run_metadata {
	const char *trace_id, *workload_name, *category, *description;
	double start_s;    /* Unix time */
	double duration_s; /* CLOCK_MONOTONIC */
	double end_s;      /* start_s + duration_s, also if the date was set meanwhile; set by writing */
	uint64_t switches, events;
	uint64_t buffer_size_kb; /* per CPU */
	const char *trace_clock, *keys;
	struct run_scheduler_event *key_misses; /* key events that probes missed */
	size_t key_miss_count;
	struct run_function *functions;
	size_t function_count;
	unsigned int drain_ms; /* 0: read out after the end */
	bool drain_realtime;   /* the tracer lacked CPU time and ran with real-time priority (SCHED_RR) until the end */
	uint64_t lost_events;
	struct losses losses; /* places, by time */
	struct ring_stats *buffers;
	size_t buffer_count;
	struct run_host host;
	struct run_command command;
	/* When writing, exactly one is set. */
	bool has_work, has_recording;
	struct run_work work;
	struct run_recording recording;
	struct run_scheduler scheduler;
	struct recipe recipe; /* the request; without words: unknown. Texts are borrowed */

	bool is_deterministic; /* a deterministic guest */
	const char *identity;
	uint64_t seed;          /* the number of the run */
	double work_per_second; /* from 0 on; NaN: not known; set by writing */

	/* Only when reading. */
	struct json_value *document; /* NULL: nothing was read */
	struct run_guest_inputs guest_inputs;
	struct run_value *values; /* added by vm */
	size_t value_count;
	double host_wait_share; /* added by vm: share of time that the guest's CPUs waited for a host CPU; NaN: not
				   known */
};

/* Writes the metadata of a run to path, replacing it. */
enum status run_metadata_write(const struct run_metadata *metadata, const char *path, struct error *err);

/* Reads the metadata at path. A missing file is STATUS_OK with document NULL. STATUS_CORRUPT names file and line, or
 * the key: if a label, a count or the throughput has the wrong JSON type, or a number is impossible (0 CPUs, an end
 * before the start). Other values of a wrong type count as not known. Free it with run_metadata_free(), after errors
 * too. */
enum status run_metadata_read(const char *path, struct run_metadata *metadata, struct error *err);
/* The same for the text of a file; path is for errors. */
enum status run_metadata_parse(const char *text, size_t length, const char *path, struct run_metadata *metadata,
			       struct error *err);
void run_metadata_free(struct run_metadata *metadata);
/* Adds the losses that its counts report. */
void run_metadata_add_losses(const struct run_metadata *metadata, struct losses *losses);

#endif
