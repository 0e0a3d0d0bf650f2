/* SPDX-License-Identifier: MIT
 *
 * The keys of a trace as tracks of Perfetto: of each task lag, deadline and vruntime against V, weight, waits and
 * throttling; of each CPU V, the length of its queue, decisions, and what is against the rules. Keys are those of the
 * candidates of each decision whose candidates are all known (rules/). */
#ifndef EXPORT_PERFETTO_KEYS_H
#define EXPORT_PERFETTO_KEYS_H

#include "base/id_map.h"
#include "export/perfetto_group.h"
#include "export/perfetto_packet.h"
#include "measure/cgroups.h"
#include "rules/rules.h"

enum entity_counter { COUNTER_LAG, COUNTER_DEADLINE, COUNTER_VRUNTIME, COUNTER_WEIGHT, ENTITY_COUNTERS };
enum cpu_counter { COUNTER_V, COUNTER_QUEUED, CPU_COUNTERS };

/* Counters of a task, a group or a CPU: a value is written if it has changed. */
struct counter_set {
	bool has_track;
	bool has_counter[ENTITY_COUNTERS];
	int64_t values[ENTITY_COUNTERS];
};

struct perfetto_keys {
	const struct perfetto_group *group;
	struct packet_maker *maker;
	struct buffer *out;
	bool is_off; /* as if the trace had no keys */
	/* Internal. */
	struct rules rules;
	struct cgroups cgroups;
	struct rules_consumer consumer;
	struct invariants invariants;
	const struct pass *pass;
	struct key_task *tasks; /* by number */
	uint32_t task_count;
	struct counter_set *entities; /* groups of tasks */
	struct id_map entity_ids;
	size_t entity_capacity;
	struct key_cpu *cpus;
	uint32_t cpu_count;
	bool has_group_track;
};

/* Starts a trace; group, maker and out must outlive it. STATUS_CORRUPT if its key events are damaged. */
enum status perfetto_keys_begin(struct perfetto_keys *keys, const struct pass *pass, struct error *err);
/* An event of the trace. A trace without keys adds nothing. */
enum status perfetto_keys_step(struct perfetto_keys *keys, const struct pass *pass, const struct sched_event *event,
			       const struct task_step *step, struct error *err);
/* The track of a trace, above those of its CPUs; added before its first use. */
uint64_t perfetto_group_track(struct perfetto_keys *keys);
/* The track of a task, likewise. */
uint64_t perfetto_task_track(struct perfetto_keys *keys, const struct task_states *states, uint32_t task);
void perfetto_keys_free(struct perfetto_keys *keys);

#endif
