/* SPDX-License-Identifier: MIT
 *
 * A mix: roles of tasks that run, sleep, yield, fork and wake each other, with policies, weights and CPUs of their own.
 * It is read from words ('picknext help mixes' has them all):
 *
 *   for 2s; group web weight=200; 4 burn nice=5; 1 periodic run=1ms every=5ms group=web
 *
 * The words are untrusted: the numbers of roles, groups and tasks are bounded. */
#ifndef WORKLOADS_MIX_H
#define WORKLOADS_MIX_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum {
	MIX_ROLES_MAX = 16,
	MIX_GROUPS_MAX = 16,
	MIX_TASKS_MAX = 256,
	MIX_NAME_SIZE = 16, /* of a comm */
	MIX_PATH_SIZE = 64,
	MIX_LABEL_SIZE = 32,
	MIX_TEXT_MAX = 4096,
};

enum mix_policy { MIX_OTHER, MIX_BATCH, MIX_IDLE, MIX_FIFO, MIX_RR, MIX_DEADLINE };
extern const char *const mix_policy_names[]; /* NULL-terminated */

/* Times are in nanoseconds; 0: not given. */
struct mix_role {
	char name[MIX_NAME_SIZE];
	unsigned int count; /* of its tasks */
	unsigned int policy;
	int nice;
	unsigned int priority;             /* of fifo and rr */
	uint64_t slice_ns;                 /* custom slice of a fair task */
	uint64_t budget_ns, deadline_ns;   /* of SCHED_DEADLINE; its period is every_ns */
	char group[MIX_PATH_SIZE];         /* "": the group of picknext itself */
	uint64_t run_ns;                   /* CPU time of a cycle */
	uint64_t sleep_ns, every_ns;       /* between cycles: a pause, or the period */
	unsigned int jitter_percent;       /* of run_ns, sleep_ns and child_ns */
	unsigned int yields, forks;        /* in a cycle */
	uint64_t child_ns;                 /* CPU time of each forked child */
	cpu_set_t cpus;                    /* numbers among the CPUs of the run; empty: all */
	unsigned int churn;                /* a cycle ends with binding to this many CPUs, from its next one on */
	uint64_t signal_ns;                /* a timer's signal comes this often */
	unsigned int memory_mb;            /* a cycle writes to each page of it */
	unsigned int clamp_min, clamp_max; /* of the utilization; max 0: none */
	char wake[MIX_NAME_SIZE];          /* the role that it wakes at the end of a cycle; or "" */
	int wakes, in_group;               /* the same as numbers; -1: none */
	bool is_woken, starts;             /* its cycles wait for a wakeup; but not the first one */
	unsigned int first_task;           /* number of its first task */
};

struct mix_group {
	char path[MIX_PATH_SIZE];     /* "web", "web/batch": after its parent */
	unsigned int weight;          /* cpu.weight */
	uint64_t quota_ns, period_ns; /* cpu.max; 0: no limit */
	uint64_t burst_ns;            /* cpu.max.burst */
	int parent;                   /* -1: none */
	bool has_tasks;
};

struct mix {
	char label[MIX_LABEL_SIZE]; /* the workload's name; "": not given */
	double seconds;
	struct mix_role roles[MIX_ROLES_MAX];
	unsigned int role_count;
	struct mix_group groups[MIX_GROUPS_MAX];
	unsigned int group_count;
	unsigned int tasks;
};

#define MIX_SECONDS 1.5 /* unless its words say otherwise */

/* Reads words; where is for errors, which name the role and the word. STATUS_USAGE if a word is wrong or two do not
 * fit together. */
enum status mix_parse(const char *text, const char *where, struct mix *mix, struct error *err);
/* The same for the text of a file, in which a line ends a role and # begins a comment. Its label is the name of the
 * file if the words give none. STATUS_UNSUPPORTED for JSON. */
enum status mix_parse_file(const char *text, size_t length, const char *path, struct mix *mix, struct error *err);
/* Writes words that mix_parse() reads as the same mix. They have no comma. */
void mix_write(const struct mix *mix, struct buffer *out);
/* True if a workload's name is a mix, "mix: 4 burn" or "mix:FILE"; and its parser, with the errors of the file too. */
bool mix_is_one(const char *name);
enum status mix_parse_name(const char *name, struct mix *mix, struct error *err);
/* Checks that roles and groups fit together, and sets the members that follow from the others. */
enum status mix_check(struct mix *mix, const char *where, struct error *err);
/* The CPUs of a role's tasks in a run on these CPUs; false if it names more than there are. */
bool mix_role_cpus(const struct mix_role *role, const cpu_set_t *run, cpu_set_t *cpus);
/* True if all of its work is computing: no cycle ends. */
bool mix_role_only_computes(const struct mix_role *role);

/* Adds the meaning of word number, and returns it as "run=TIME"; NULL after the last one. For the manual. */
const char *mix_word(size_t number, struct buffer *meaning);

/* Internal: false if it cannot be a label. */
bool mix_read_label(const char *text, struct mix *mix);

#endif
