/* SPDX-License-Identifier: MIT */
#include "report/decisions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "base/memory.h"
#include "rules/account.h"
#include "rules/fair.h"
#include "rules/virtual_time.h"

struct candidate {
	uint32_t at; /* index in the level */
	int64_t key; /* the rule picks the smallest key among those that may run */
};

static int by_key(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void add_label(const char *label, int width, struct buffer *out)
{
	char text[4 * RULES_LABEL_SIZE];

	escape_line(label, strlen(label), text, sizeof(text));
	buffer_printf(out, "%-*s", width, text);
}

static void add_candidate(const struct rules *rules, const struct task_states *states,
			  const struct rule_decision *decision, uint32_t level, uint32_t at, struct buffer *out)
{
	const struct pick_level *pick = &decision->levels[level];
	const struct rule_entity *entity = &pick->level.entities[at];
	const struct virtual_time time = virtual_time_of(&rules->machine.traits, &pick->level);
	const int64_t lag = virtual_time_lag(&time, entity->vruntime);
	char label[RULES_LABEL_SIZE];

	buffer_text(out, "\n");
	machine_label_entity(&rules->machine, states, entity->id, label);
	add_label(label, 24, out);
	buffer_printf(out, "%7" PRIu64 " %+11.3f", entity->weight >> RULE_WEIGHT_SHIFT, (double)lag / 1e6);
	if (rules->machine.traits.has_deadline) {
		buffer_printf(out, " %+11.3f", -(double)virtual_time_lag(&time, entity->deadline) / 1e6);
		buffer_printf(out, entity->slice ? " %8.3f" : "        -", (double)entity->slice / 1e6);
		buffer_text(out, virtual_time_eligible(&time, entity->vruntime) ? "  eligible" : " ");
	}
	if (at == pick->level.running)
		buffer_text(out, rules->machine.traits.has_deadline && rule_is_protected(&rules->machine.traits, entity)
				     ? " running, protected"
				     : " running");
	buffer_text(out, entity->is_delayed ? " delayed" : "");
	buffer_text(out, at == pick->level.next   ? " next buddy"
			 : at == pick->level.last ? " last buddy"
			 : at == pick->level.skip ? " yielded"
						  : "");
	buffer_text(out, at == decision->picked[level] ? " \xe2\x86\x90 picked" : "");
	if (pick->gap == PICK_COMPLETE && decision->choices[level].entity == at && at != decision->picked[level])
		buffer_text(out, " \xe2\x86\x90 the rule's");
}

/* Adds the candidates with the first keys, the picked one and the rule's pick. */
static void add_level(const struct rules *rules, const struct task_states *states, const struct rule_decision *decision,
		      uint32_t level, struct buffer *out)
{
	const struct rule_level *queue = &decision->levels[level].level;
	struct candidate *sorted = xcalloc(queue->count + 1, sizeof(*sorted));
	const uint64_t base = queue->count ? queue->entities[0].vruntime : 0;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < queue->count; i++)
		sorted[i] = (struct candidate){i, rule_difference(rules->machine.traits.has_deadline
								      ? queue->entities[i].deadline
								      : queue->entities[i].vruntime,
								  base)};
	qsort(sorted, queue->count, sizeof(*sorted), by_key);
	for (uint32_t i = 0; i < queue->count; i++) {
		const uint32_t at = sorted[i].at;
		if (i >= REPORT_CANDIDATES_MAX && at != decision->picked[level] &&
		    at != decision->choices[level].entity)
			continue;
		add_candidate(rules, states, decision, level, at, out);
		shown++;
	}
	if (shown < queue->count)
		buffer_printf(out, "\nand %" PRIu32 " more candidates", queue->count - shown);
	free(sorted);
}

char *report_decision_text(const struct rules *rules, const struct task_states *states,
			   const struct rule_decision *decision, uint64_t since_start_ns)
{
	struct buffer out = {0};
	char label[RULES_LABEL_SIZE];

	buffer_printf(&out, "%.6f s, CPU %" PRIu32 ": picks ", (double)since_start_ns / 1e9, decision->cpu);
	machine_label_task(states, decision->next, label);
	add_label(label, 0, &out);
	buffer_printf(&out, ", cause: %s\n%s: %s", decision_causes[decision->cause].text,
		      decision_verdict_words[decision->verdict], decision_why(&rules->machine.traits, decision));
	if (decision->verdict == VERDICT_BREAKS)
		buffer_printf(&out, "; the rule: %s", rule_reason_words[decision->reason]);
	if (decision->level_count)
		buffer_printf(&out, "\n%-24s %6s %11s%s", "candidate", "weight", "V - v ms",
			      rules->machine.traits.has_deadline ? "  deadl.-V ms slice ms" : "");
	for (uint32_t level = 0; level < decision->level_count; level++)
		add_level(rules, states, decision, level, &out);
	buffer_add(&out, "", 1);
	return out.data;
}
