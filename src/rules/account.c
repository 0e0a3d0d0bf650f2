/* SPDX-License-Identifier: MIT */
#include "rules/account.h"

#include <inttypes.h>

#include "base/number.h"
#include "rules/fair.h"
#include "rules/virtual_time.h"

const struct rule_words rule_breaks[RULE_BREAKS] = {
    [BREAK_NOT_ELIGIBLE] = {"not_eligible", "picks a task that is not eligible"},
    [BREAK_LATER_DEADLINE] = {"later_deadline", "picks an eligible task, but not the earliest deadline"},
    [BREAK_PROTECTED] = {"protected", "preempts a task whose slice is protected"},
    [BREAK_LARGER_VRUNTIME] = {"larger_vruntime", "picks a task that has not the smallest vruntime"},
    [BREAK_BUDDY] = {"buddy", "does not pick the buddy"},
    [BREAK_NO_PREEMPTION] = {"no_preemption", "does not preempt for a woken task that the rule picks"},
    [BREAK_PREEMPTION] = {"preemption", "preempts for a woken task that the rule does not pick"},
    [BREAK_CLASS] = {"higher_class", "picks a task while one of a higher class waits"},
    [BREAK_PRIORITY] = {"higher_priority", "picks a real-time task while one of higher priority waits"},
    [BREAK_DEADLINE] = {"earlier_deadline", "picks a deadline task while one with an earlier deadline waits"},
    [BREAK_IDLE] = {"idle", "idles while a task waits on the CPU"},
};

static enum rule_break fair_break(const struct rule_traits *traits, const struct rule_decision *decision)
{
	const struct pick_level *pick = &decision->levels[decision->level];
	const uint32_t picked = decision->picked[decision->level];
	const enum rule_reason reason = decision->choices[decision->level].reason;

	if (reason == RULE_NEXT_BUDDY || reason == RULE_LAST_BUDDY)
		return BREAK_BUDDY;
	if (!traits->has_deadline)
		return BREAK_LARGER_VRUNTIME;
	const struct virtual_time time = virtual_time_of(traits, &pick->level);
	if (!virtual_time_eligible(&time, pick->level.entities[picked].vruntime))
		return BREAK_NOT_ELIGIBLE;
	return reason == RULE_PROTECTED ? BREAK_PROTECTED : BREAK_LATER_DEADLINE;
}

enum rule_break decision_break(const struct rule_traits *traits, const struct rule_decision *decision)
{
	if (decision->kind == DECISION_WAKEUP)
		return decision->preempts ? BREAK_PREEMPTION : BREAK_NO_PREEMPTION;
	if (decision->level_count)
		return fair_break(traits, decision);
	if (decision->is_idle)
		return BREAK_IDLE;
	return decision->reason == RULE_HIGHER_CLASS     ? BREAK_CLASS
	       : decision->reason == RULE_FIRST_DEADLINE ? BREAK_DEADLINE
							 : BREAK_PRIORITY;
}

const char *const decision_verdict_words[] = {
    [VERDICT_EXPLAINED] = "the rule's", [VERDICT_BREAKS] = "against the rule", [VERDICT_NOT_JUDGED] = "not judged"};

const char *decision_why(const struct rule_traits *traits, const struct rule_decision *decision)
{
	if (decision->verdict == VERDICT_NOT_JUDGED)
		return decision_gaps[decision->gap].text;
	if (decision->verdict == VERDICT_BREAKS)
		return rule_breaks[decision_break(traits, decision)].text;
	return rule_reason_words[decision->reason];
}

void rules_account_add(struct rules_account *account, const struct rule_traits *traits,
		       const struct rule_decision *decision, uint64_t since_ns, uint64_t number, uint32_t run)
{
	account->decisions++;
	account->has_cfs |= !traits->has_deadline;
	account->has_eevdf |= traits->has_deadline;
	account->causes[decision->cause].decisions++;
	account->causes[decision->cause].choices += decision_is_choice(decision);
	if (decision->verdict == VERDICT_NOT_JUDGED) {
		account->gaps[decision->gap]++;
		return;
	}
	account->judged++;
	account->causes[decision->cause].judged++;
	if (decision->verdict == VERDICT_EXPLAINED) {
		account->explained++;
		account->causes[decision->cause].explained++;
		return;
	}
	struct rule_break_account *broken = &account->breaks[decision_break(traits, decision)];
	if (broken->count++ == 0) {
		broken->first_ns = since_ns;
		broken->first_number = number;
		broken->first_cpu = decision->cpu;
		broken->first_run = run;
	}
}

void rules_account_sum(struct rules_account *sum, const struct rules_account *further, uint32_t run)
{
	for (int i = 0; i < CAUSES; i++) {
		sum->causes[i].decisions += further->causes[i].decisions;
		sum->causes[i].choices += further->causes[i].choices;
		sum->causes[i].judged += further->causes[i].judged;
		sum->causes[i].explained += further->causes[i].explained;
	}
	for (int i = 0; i < GAPS; i++)
		sum->gaps[i] += further->gaps[i];
	for (int i = 0; i < RULE_BREAKS; i++) {
		const uint64_t count = sum->breaks[i].count;
		if (count == 0) {
			sum->breaks[i] = further->breaks[i];
			sum->breaks[i].first_run = run;
		} else {
			sum->breaks[i].count = count + further->breaks[i].count;
		}
	}
	sum->decisions += further->decisions;
	sum->has_cfs |= further->has_cfs;
	sum->has_eevdf |= further->has_eevdf;
	sum->judged += further->judged;
	sum->explained += further->explained;
}

enum rule_break rules_account_worst(const struct rules_account *account)
{
	int worst = 0;

	for (int i = 1; i < RULE_BREAKS; i++)
		if (account->breaks[i].count > account->breaks[worst].count)
			worst = i;
	return account->breaks[worst].count ? (enum rule_break)worst : RULE_BREAKS;
}

/* "99.95 %"; of a part with more digits if it would read as none or all. */
static void add_share(uint64_t part, uint64_t of, struct buffer *out)
{
	const uint64_t smaller = part < of - part ? part : of - part;
	int digits = smaller ? 2 : 0;

	for (double percent = 100 * (double)smaller / (double)of; smaller && percent < 0.005; percent *= 10)
		digits++;
	buffer_printf(out, "%.*f %%", digits, 100 * (double)part / (double)of);
}

static const char *rule_of(const struct rules_account *account)
{
	return account->has_cfs && account->has_eevdf ? "the published rule"
	       : account->has_eevdf                   ? "EEVDF's rule (earliest eligible virtual deadline)"
						      : "CFS's rule (smallest vruntime)";
}

void rules_account_text(const struct rules_account *account, struct buffer *out)
{
	const enum rule_break worst = rules_account_worst(account);
	const uint64_t judged = account->judged, left = account->decisions - judged;

	if (judged == 0) {
		buffer_printf(out, "none of %" PRIu64 " decisions could be judged", account->decisions);
		return;
	}
	if (account->explained == judged)
		buffer_printf(out, "all %" PRIu64, judged);
	else
		buffer_printf(out, "%" PRIu64 " of %" PRIu64, account->explained, judged);
	buffer_printf(out, " %sdecisions follow %s", left ? "judged " : "", rule_of(account));
	if (left)
		buffer_printf(out, "; %" PRIu64 " could not be judged", left);
	if (worst == RULE_BREAKS)
		return;
	const uint64_t count = account->breaks[worst].count;
	if (count == 1)
		buffer_text(out, "; once (");
	else
		buffer_printf(out, "; %" PRIu64 " times (", count);
	add_share(count, judged, out);
	buffer_printf(out, ") it %s", rule_breaks[worst].text);
	if (judged - account->explained == 1)
		buffer_text(out, ": the verdict rests on this one decision");
}
