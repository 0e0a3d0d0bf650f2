/* SPDX-License-Identifier: MIT
 *
 * An invariant is a row in the file of its family, with its check. */
#ifndef RULES_INVARIANTS_ROW_H
#define RULES_INVARIANTS_ROW_H

#include "rules/sight.h"

#define NEEDS_EQUAL_CPUS "equal_cpus"

enum invariant_result { INVARIANT_NOT_JUDGED, INVARIANT_HOLDS, INVARIANT_BROKEN };

/* UNIT_CPU: the expected value is a set of CPUs, a bit each. */
enum evidence_unit { UNIT_CPU_NS, UNIT_VIRTUAL_NS, UNIT_COUNT, UNIT_WEIGHT, UNIT_CPU };
enum evidence_relation { EXPECTED_IS, EXPECTED_MIN, EXPECTED_MAX };

/* The value that was seen and the expected one, of whom and when. The task, CPU and time are those of the event unless
 * a check sets others. */
struct evidence {
	const char *what; /* "deadline - vruntime"; NULL: no value is compared */
	enum evidence_unit unit;
	enum evidence_relation relation;
	int64_t seen, expected;
	uint64_t group; /* entity of the group that it is about; 0: a task */
	int32_t pid;    /* 0: none */
	uint32_t cpu;
	uint64_t since_ns;
};

/* The state of a family in a trace, of each CPU, and of each task that the machine knows; zero at the beginning and
 * after a loss. */
struct family_state {
	void *trace;
	unsigned char *cpus, *tasks;
	const struct invariant_family *family;
};

struct invariant_row {
	const char *key;        /* "lag_measured" */
	const char *holds;      /* "lag at sleep is V - vruntime, to the nanosecond" */
	const char *broken;     /* of compare's metric broken_KEY: "lag at sleep" */
	const char *source;     /* "kernel/sched/fair.c, update_entity_lag" */
	const char *applies_to; /* "EEVDF" */
	/* Recorded fields, EVENT.FIELD, separated by spaces; without one it is not judged. The first word may be
	 * NEEDS_EQUAL_CPUS: all CPUs have the same capacity, or none is known. */
	const char *needs;
	unsigned int on; /* enum sight_kind, joined */
	/* It compares times: with such stops of CPUs, or longer ones, it is not judged. */
	enum clock_stops void_from;
	enum invariant_result (*check)(const struct sight *sight, const struct family_state *state,
				       struct evidence *evidence);
};

/* The rows of a file, and the state that it alone sees: sizes of its structs, 0 if it has none. */
struct invariant_family {
	const struct invariant_row *rows;
	uint32_t row_count;
	size_t trace_size, cpu_size, task_size;
	/* After the checks of each sight. NULL without state. */
	void (*note)(struct family_state *state, const struct sight *sight);
	/* The stops of CPUs that its notes have seen; or NULL. */
	enum clock_stops (*stops)(const struct family_state *state);
};

/* A broken invariant, at one place. */
struct invariant_break {
	uint32_t row, run; /* number of the row, and of the trace */
	struct evidence evidence;
	char subject[RULES_LABEL_SIZE]; /* "hog-171", "the group of hog-171" */
};

#endif
