/* SPDX-License-Identifier: MIT
 *
 * Judges a decision by what rules.c has collected for it, and hands it to the consumer. */
#ifndef RULES_JUDGE_H
#define RULES_JUDGE_H

#include "rules/rules_state.h"

/* Both halves of a switch are there: its picks, one per queue, and the class of the task that follows. */
void judge_switch(const struct rules *rules, const struct task_states *states, struct rules_cpu *cpu);
/* The picks of schedule() were for the task that runs. */
void judge_stay(const struct rules *rules, const struct task_states *states, struct rules_cpu *cpu);
/* The test of a wakeup: it asks to reschedule if the rule picks the woken task. Only the last pick counts. */
void judge_wakeup(const struct rules *rules, const struct task_states *states, struct rules_cpu *cpu);
/* The queue is picked from while its CPU has picks that nothing has ended: from the start again, since a delayed
 * sleeper was picked and taken out, or by another schedule(). The first picks may have been those of buddies, which are
 * not recorded. Takes back the picks from that of this queue on; those before are outdated. */
void judge_repeat(const struct rules *rules, struct rules_cpu *cpu, uint64_t queue);

#endif
