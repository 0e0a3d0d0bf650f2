/* SPDX-License-Identifier: MIT */
#include "rules/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"

enum status rules_need_keys(const struct rules *rules, const struct pass *pass, struct error *err)
{
	const enum status status = key_events_check(&rules->keys, pass->run.path, err);

	if (status != STATUS_OK || rules->keys.is_known)
		return status;
	error_set(err, STATUS_UNSUPPORTED, pass->run.path, "has no keys of the scheduler");
	return error_remedy(err, "record with --keys (picknext help rules)");
}

static void decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	struct rules_reading *reading = context;

	(void)states;
	reading->number += pass_begins_with_trace(reading->pass);
	if (!pass_wants_cpu(reading->pass, decision->cpu))
		return;
	rules_account_add(&reading->found.account, &reading->rules.machine.traits, decision,
			  pass_since_start(reading->pass, decision->ts_ns), reading->number, reading->pass->run.number);
}

static uint64_t count_broken(const struct rules_findings *found)
{
	uint64_t broken = found->account.judged - found->account.explained;

	for (uint32_t i = 0; i < invariant_count(); i++)
		broken += found->invariants.rows[i].broken;
	return broken;
}

static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct rules_reading *reading = context;

	reading->number = 0;
	reading->before = reading->found;
	reading->untrusted_before = pass->summary.untrusted_runs;
	while (reading->path_count <= pass->run.number) {
		reading->paths = array_grow(reading->paths, &reading->path_capacity, reading->path_count + 1,
					    sizeof(*reading->paths));
		reading->paths[reading->path_count++] = xstrdup(pass->run.path);
	}
	rules_begin(&reading->rules, &reading->consumer, pass);
	return reading->may_lack_keys ? key_events_check(&reading->rules.keys, pass->run.path, err)
				      : rules_need_keys(&reading->rules, pass, err);
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *changes, struct error *err)
{
	struct rules_reading *reading = context;

	reading->pass = pass;
	return rules_step(&reading->rules, pass, event, changes, err);
}

/* Key events that probes missed can look like a broken rule: the decisions of such a trace are counted, and none is
 * judged. */
static void take_back(struct rules_findings *found, const struct rules_findings *before)
{
	struct rules_account account = before->account;

	for (int i = 0; i < CAUSES; i++) {
		account.causes[i].decisions = found->account.causes[i].decisions;
		account.causes[i].choices = found->account.causes[i].choices;
	}
	account.gaps[GAP_LOST] += found->account.decisions - account.decisions;
	account.decisions = found->account.decisions;
	found->account = account;
	found->invariants = before->invariants;
}

static enum status end(void *context, const struct pass *pass, struct error *err)
{
	struct rules_reading *reading = context;

	(void)err;
	if (pass->trace.quality.missed_keys)
		take_back(&reading->found, &reading->before);
	/* A damaged trace can look like a broken rule: do not blame the kernel for it. */
	reading->has_breaks |= pass->summary.untrusted_runs == reading->untrusted_before &&
			       count_broken(&reading->found) > count_broken(&reading->before);
	return STATUS_OK;
}

struct pass_consumer rules_reading_begin(struct rules_reading *reading)
{
	*reading = (struct rules_reading){.number = 0};
	reading->consumer =
	    (struct rules_consumer){.context = reading, .decide = decide, .invariants = &reading->found.invariants};
	return (struct pass_consumer){.context = reading, .begin = begin, .step = step, .end = end};
}

void rules_reading_free(struct rules_reading *reading)
{
	rules_free(&reading->rules);
	for (size_t i = 0; i < reading->path_count; i++)
		free(reading->paths[i]);
	free(reading->paths);
	*reading = (struct rules_reading){.number = 0};
}

void rules_findings_sum(struct rules_findings *sum, const struct rules_findings *further, uint32_t run)
{
	rules_account_sum(&sum->account, &further->account, run);
	invariants_sum(&sum->invariants, &further->invariants, run);
}

static void add_path(char *const *paths, uint32_t run, struct buffer *out)
{
	escape_line_add(paths[run], strlen(paths[run]), out);
	buffer_text(out, "\n");
}

static void add_label(const char *label, struct buffer *out)
{
	if (!label)
		return;
	escape_line_add(label, strlen(label), out);
	buffer_text(out, ": ");
}

void rules_invariant_text(const struct rules_findings *found, uint32_t number, const char *label, char *const *paths,
			  struct buffer *out)
{
	const struct invariant_account *account = &found->invariants.rows[number];
	const struct invariant_row *row = invariant_row(number);
	const struct evidence *first = &account->first.evidence;

	add_label(label, out);
	buffer_printf(out, "%s is broken %" PRIu64 " of %" PRIu64 " times%s: %s (%s)\n  first of ", row->key,
		      account->broken, account->checked, account->broken == 1 ? ", so it rests on one" : "", row->holds,
		      row->source);
	escape_line_add(account->first.subject, strlen(account->first.subject), out);
	buffer_printf(out, " on CPU %" PRIu32 " at %.6f s: ", first->cpu, (double)first->since_ns / 1e9);
	invariant_add_evidence(&account->first, out);
	buffer_printf(out, "\n  picknext why --at %.6f ", (double)first->since_ns / 1e9);
	add_path(paths, account->first.run, out);
}

void rules_decisions_text(const struct rules_account *account, const char *label, char *const *paths,
			  struct buffer *out)
{
	const enum rule_break worst = rules_account_worst(account);

	add_label(label, out);
	rules_account_text(account, out);
	buffer_text(out, "\n");
	if (worst == RULE_BREAKS)
		return;
	const struct rule_break_account *first = &account->breaks[worst];
	buffer_printf(out, "  first at %.6f s", (double)first->first_ns / 1e9);
	if (first->first_number)
		buffer_printf(out, ": picknext why --decision %" PRIu64 " ", first->first_number);
	else
		buffer_printf(out, ", CPU %" PRIu32 " of ", first->first_cpu);
	add_path(paths, first->first_run, out);
}

void rules_findings_text(const struct rules_findings *found, const char *label, char *const *paths, struct buffer *out)
{
	rules_decisions_text(&found->account, label, paths, out);
	for (uint32_t i = 0; i < invariant_count(); i++)
		if (found->invariants.rows[i].broken)
			rules_invariant_text(found, i, label, paths, out);
}
