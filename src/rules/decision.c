/* SPDX-License-Identifier: MIT */
#include "rules/decision.h"

const struct rule_words decision_causes[CAUSES] = {
    [CAUSE_BLOCK] = {"block", "block"},
    [CAUSE_EXIT] = {"exit", "exit"},
    [CAUSE_YIELD] = {"yield", "yield"},
    [CAUSE_TICK] = {"tick", "tick"},
    [CAUSE_WAKEUP] = {"wakeup", "wakeup"},
    [CAUSE_SLICE] = {"slice", "end of slice"},
    [CAUSE_OTHER] = {"other", "other preemption"},
    [CAUSE_IDLE] = {"from_idle", "CPU was idle or ran a higher class"},
    [CAUSE_STAY] = {"stay", "same task again"},
    [CAUSE_TEST] = {"wakeup_test", "wakeup's test"},
};

const struct rule_words decision_gaps[GAPS] = {
    [GAP_NONE] = {"judged", "judged"},
    [GAP_NO_PICK] = {"no_pick", "a queue had no recorded pick, such as that of a group's buddy"},
    [GAP_NO_SUMS] = {"no_sums", "the queue's sums are not recorded"},
    [GAP_UNSEEN] = {"unseen", "the trace has not shown all candidates yet"},
    [GAP_SUMS] = {"sums_differ", "the queue's sums differ from the known candidates"},
    [GAP_NOT_FOUND] = {"not_found", "what was picked is no known candidate"},
    [GAP_GROUPS] = {"deep_groups", "more levels of groups than are recorded"},
    [GAP_FIELD] = {"missing_field", "the rule needs a field that is not recorded"},
    [GAP_NO_RESULT] = {"no_result", "the result of a wakeup's test is not in the trace"},
    [GAP_EXTENSION] = {"sched_ext", "a scheduler of sched_ext picks"},
    [GAP_LOST] = {"lost", "events are missing at this time, or probes have missed some"},
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
    [RULE_FIRST_DEADLINE] = "earliest deadline of the deadline class",
    [RULE_HIGHER_CLASS] = "higher scheduling class",
    [RULE_IDLE] = "no task can run",
};
