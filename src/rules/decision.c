/* SPDX-License-Identifier: MIT */
#include "rules/decision.h"

#include "base/help.h"

const char *const decision_cause_words[CAUSES] = {
    [CAUSE_BLOCK] = "block",
    [CAUSE_EXIT] = "exit",
    [CAUSE_YIELD] = "yield",
    [CAUSE_TICK] = "tick",
    [CAUSE_WAKEUP] = "wakeup",
    [CAUSE_OTHER] = "other preemption",
    [CAUSE_IDLE] = "CPU was idle or ran a higher class",
    [CAUSE_STAY] = "same task again",
    [CAUSE_TEST] = "wakeup's test",
};

const char *const decision_cause_keys[CAUSES] = {
    [CAUSE_BLOCK] = "block",    [CAUSE_EXIT] = "exit",     [CAUSE_YIELD] = "yield",
    [CAUSE_TICK] = "tick",      [CAUSE_WAKEUP] = "wakeup", [CAUSE_OTHER] = "other",
    [CAUSE_IDLE] = "from_idle", [CAUSE_STAY] = "stay",     [CAUSE_TEST] = "wakeup_test",
};

const char *const decision_gap_words[GAPS] = {
    [GAP_NONE] = "judged",
    [GAP_NO_PICK] = "a queue had no recorded pick, such as that of a group's buddy",
    [GAP_NO_SUMS] = "the queue's sums are not recorded",
    [GAP_UNSEEN] = "the trace has not shown all candidates yet",
    [GAP_SUMS] = "the queue's sums differ from the known candidates",
    [GAP_NOT_FOUND] = "what was picked is no known candidate",
    [GAP_GROUPS] = "more levels of groups than are recorded",
    [GAP_FIELD] = "the rule needs a field that is not recorded",
    [GAP_THROTTLED] = "real-time tasks are throttled, or the fair server runs",
    [GAP_NO_RESULT] = "the result of a wakeup's test is not in the trace",
    [GAP_EXTENSION] = "a scheduler of sched_ext picks",
};

const char *const decision_gap_keys[GAPS] = {
    [GAP_NONE] = "judged",         [GAP_NO_PICK] = "no_pick",     [GAP_NO_SUMS] = "no_sums",
    [GAP_UNSEEN] = "unseen",       [GAP_SUMS] = "sums_differ",    [GAP_NOT_FOUND] = "not_found",
    [GAP_GROUPS] = "deep_groups",  [GAP_FIELD] = "missing_field", [GAP_THROTTLED] = "throttled",
    [GAP_NO_RESULT] = "no_result", [GAP_EXTENSION] = "sched_ext",
};

const char *const rule_reason_words[RULE_REASONS] = {
    [RULE_EMPTY] = "no candidate",
    [RULE_ONLY] = "only candidate",
    [RULE_SMALLEST_VRUNTIME] = "smallest vruntime",
    [RULE_SKIPPED_YIELD] = "second smallest vruntime, after a yield",
    [RULE_NEXT_BUDDY] = "next buddy",
    [RULE_LAST_BUDDY] = "last buddy",
    [RULE_PROTECTED] = "protected until its slice ends",
    [RULE_EARLIEST_DEADLINE] = "earliest deadline of the eligible",
    [RULE_NONE_ELIGIBLE] = "no candidate is eligible",
    [RULE_HIGHEST_PRIORITY] = "highest priority",
    [RULE_HIGHER_CLASS] = "higher scheduling class",
    [RULE_IDLE] = "no task can run",
};
