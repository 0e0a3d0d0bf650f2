/* SPDX-License-Identifier: MIT
 *
 * The fields of a run's metadata, as rows in the order of its JSON. The JSON is written, read and documented from these
 * rows, and comparisons take the facts about the environment of a run from them: to add a field, add a member to struct
 * run_metadata and a row. */
#ifndef RUNS_RUN_FIELDS_H
#define RUNS_RUN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/json.h"

struct run_metadata;

/* Facts about the environment of a run, in the order in which they are shown. The trace also has kernel, architecture
 * and trace clock. */
enum environment_fact {
	FACT_KERNEL,
	FACT_KERNEL_VERSION,
	FACT_KERNEL_BUILD_ID, /* of its image: the linker's hash of the contents */
	FACT_ARCHITECTURE,
	FACT_CPU_MODEL,
	FACT_HZ,
	FACT_PREEMPTION,
	FACT_MITIGATIONS,
	FACT_CPUS, /* of the workload: "0-1" */
	FACT_TRACER_CPU,
	FACT_TOPOLOGY,  /* how the CPUs are grouped: "SMT 0-1 2-3, LLC 0-3" */
	FACT_SCHEDULER, /* sched_ext scheduler: "builtin:fifo"; else "the kernel's own" */
	FACT_ISOLATION, /* of the tracer's CPU, beside sched_ext: "none", "affinity" */
	FACT_CLOCKSOURCE,
	FACT_TRACE_CLOCK,
	FACT_KEYS,          /* of the scheduler: "recorded", "not recorded" */
	FACT_ACCELERATOR,   /* "tcg"; "none, not a guest" */
	FACT_DETERMINISTIC, /* "yes", "no" */
	FACT_IDENTITY,      /* of a deterministic run */
	FACT_SCALE,
	FACT_SCRATCH,  /* target of a workload's block I/O: "file on ext4" */
	FACT_COMMAND,  /* with its arguments, quoted for a shell */
	FACT_PROGRAM,  /* hash of the command's */
	FACT_TUNABLES, /* of the scheduler: "base_slice_ns=1400000 ..." */
	FACT_COMMAND_LINE,
	FACT_PICKNEXT, /* version and commit */
	/* Inputs of a guest, which vm.json has; all but the version are hashes: */
	FACT_KERNEL_IMAGE,
	FACT_QEMU_VERSION,
	FACT_QEMU,
	FACT_FIRMWARE,
	FACT_MACHINE, /* its options, and the kernel's command line */
	FACT_INITRAMFS,
	FACT_ADDED_FILES, /* --add, and the program of the command */
	FACT_COUNT
};

/* The type of the member, and its form in JSON. */
enum run_field_kind {
	RUN_FIELD_TEXT,      /* const char *; NULL is null */
	RUN_FIELD_CHARS,     /* char array of item_size bytes */
	RUN_FIELD_COUNT,     /* uint64_t */
	RUN_FIELD_UINT,      /* unsigned int */
	RUN_FIELD_CPU,       /* uint32_t */
	RUN_FIELD_NATURAL,   /* int; -1 is null */
	RUN_FIELD_REAL,      /* double; NaN is null */
	RUN_FIELD_TIME,      /* uint64_t, in nanoseconds; written as seconds */
	RUN_FIELD_BOOL,      /* bool */
	RUN_FIELD_PID,       /* pid_t; 0 is null */
	RUN_FIELD_EXIT_CODE, /* int */
	RUN_FIELD_CPUS,      /* cpu_set_t; written as "0-2" */
	/* Pointer to items, whose number is at count. */
	RUN_FIELD_TEXTS, /* const char *; without count, NULL ends them */
	RUN_FIELD_PIDS,
	RUN_FIELD_TEXT_MAP,  /* struct run_tunable; written as an object; null if empty */
	RUN_FIELD_COUNT_MAP, /* struct run_scheduler_event; the same, but not null */
	RUN_FIELD_REAL_MAP,  /* struct run_value; NaN is null */
	RUN_FIELD_ARRAY,     /* structs with these rows, of which the first is always there */
	/* An object with these rows; offsets are in struct run_metadata. */
	RUN_FIELD_OBJECT,
};

/* When a field is written. */
enum run_section {
	RUN_SECTION_RUN, /* always */
	RUN_SECTION_ORIGIN,
	RUN_SECTION_COMMAND,   /* of a recording, or a workload that is a command */
	RUN_SECTION_WORK,      /* of a workload of collect */
	RUN_SECTION_RECORDING, /* of record */
	RUN_SECTION_CPUS,
	RUN_SECTION_MACHINE,
	RUN_SECTION_SCHEDULER,     /* if the kernel has sched_ext */
	RUN_SECTION_DETERMINISTIC, /* of a deterministic guest */
	RUN_SECTION_WALL_CLOCK,    /* of another guest */
	RUN_SECTION_VERSION,
	RUN_SECTION_ADDED, /* by vm */
};

/* Effect of a different fact on metrics. From FACT_OF_KERNEL on it can change them: warn before comparing. */
enum fact_effect {
	FACT_NEUTRAL,
	FACT_OF_BUILD,  /* names the kernel build, or is derived from it (identity): always differs between kernels */
	FACT_OF_KERNEL, /* the kernel decides it */
	FACT_IF_KNOWN,  /* some runs have none, and some writers do not know it */
	FACT_MATTERS,
};

struct run_field {
	const char *key; /* NULL ends the rows */
	enum run_field_kind kind;
	enum run_section section;
	size_t offset;
	size_t count; /* offset of the number of items */
	size_t known; /* offset of a bool: false is written as null; 0: no such bool */
	size_t item_size;
	int decimals;      /* RUN_FIELD_REAL */
	bool zero_is_null; /* 0, or an empty text, is not a value */
	bool is_optional;  /* left out instead of null */
	bool is_checked;   /* a value of a wrong type is STATUS_CORRUPT, instead of not known */
	double real_max;   /* values from 0 to this are known; 0: all */
	const char *help;
	const struct run_field *rows;
	/* A fact about the environment: */
	const char *title; /* "trace clock"; NULL: not a fact */
	enum environment_fact fact;
	enum fact_effect effect;
	/* Adds the text of the fact; NULL: the text is the value. */
	void (*describe)(const struct run_metadata *metadata, struct buffer *text);
};

extern const struct run_field run_fields[];

/* Writes the member of base that a row describes; reads all rows from an object. Also for tables of other structs.
 * Values of a wrong type leave the member unchanged, or are STATUS_CORRUPT if the row is checked. path is for
 * errors. */
void run_field_write(struct json_writer *json, const struct run_field *field, const void *base);
enum status run_fields_read(const struct json_value *object, const struct run_field *rows, void *base, const char *path,
			    struct error *err);

/* Writes the fields of a section, for other files that describe a measurement. */
void run_section_write(struct json_writer *json, const struct run_metadata *metadata, enum run_section section);

/* The row of a fact. */
const struct run_field *environment_field(enum environment_fact fact);
/* Sets each fact that the metadata knows to a text that the caller frees. */
void environment_describe(const struct run_metadata *metadata, char *facts[FACT_COUNT]);

/* The command that writes the fields of a section, for the documentation: "collect"; "" for fields that every run
 * has. */
const char *run_section_name(enum run_section section);

#endif
