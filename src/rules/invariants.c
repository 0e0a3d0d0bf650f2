/* SPDX-License-Identifier: MIT */
#include "rules/invariants.h"

#include <string.h>

#include "rules/virtual_time.h"

enum { POLICY_NORMAL = 0, POLICY_IDLE = 5 };

/* The kernel's divisions round, and the update of the clock between two readings. */
#define ROUNDING_NS UINT64_C(2000)

static const uint64_t nice_weights[] = {88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
					9548,  7620,  6100,  4904,  3906,  3121,  2501,  1991,  1586,  1277,
					1024,  820,   655,   526,   423,   335,   272,   215,   172,   137,
					110,   87,    70,    56,    45,    36,    29,    23,    18,    15};
#define IDLE_WEIGHT UINT64_C(3)

uint64_t invariant_weight(int32_t prio, uint32_t policy)
{
	if (prio < 100 || prio > 139)
		return 0;
	return (policy == POLICY_IDLE ? IDLE_WEIGHT : nice_weights[prio - 100]) << RULE_WEIGHT_SHIFT;
}

static enum invariant_result holds_if(bool holds)
{
	return holds ? INVARIANT_HOLDS : INVARIANT_BROKEN;
}

static uint64_t with_rounding(uint64_t ns)
{
	return ns + ns / 64 + ROUNDING_NS;
}

static bool is_known(const struct rule_entity *entity)
{
	return entity && entity->weight;
}

static enum invariant_result check_weight(const struct invariant_moment *moment)
{
	const uint64_t weight = invariant_weight(moment->prio, moment->task->policy);

	/* With one queue per CPU, a task's weight is its share of that of its groups. */
	if (moment->traits->has_sum_shift || !weight)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->task->weight == weight);
}

static enum invariant_result check_deadline(const struct invariant_moment *moment)
{
	const struct rule_entity *task = moment->task;

	if (!moment->traits->has_deadline || !task->slice_max || !task->weight || moment->has_shares)
		return INVARIANT_NOT_APPLICABLE;
	const int64_t ahead = rule_difference(task->deadline, task->vruntime);
	return holds_if(ahead < 0 || (uint64_t)ahead <= with_rounding(cpu_to_virtual(task->slice_max, task->weight)));
}

static enum invariant_result check_lag_bound(const struct invariant_moment *moment)
{
	const struct rule_entity *task = moment->task;

	/* While it runs, or stays on the queue, vlag is something else. */
	if (!moment->traits->has_deadline || task->on_rq || !moment->mark->hz || !moment->slice_max || !task->weight)
		return INVARIANT_NOT_APPLICABLE;
	const uint64_t limit = 2 * moment->slice_max + UINT64_C(1000000000) / moment->mark->hz;
	const int64_t lag = (int64_t)task->protect;
	return holds_if((uint64_t)(lag < 0 ? -lag : lag) <= with_rounding(cpu_to_virtual(limit, task->weight)));
}

static enum invariant_result check_lag_kept(const struct invariant_moment *moment)
{
	const struct pick_level *pick = moment->pick;
	const uint32_t placed = pick_level_find(pick, moment->task->id);

	/* On an empty queue a task starts without lag. The lag of a delayed sleeper is that before the running one's
	 * vruntime is brought up to date. */
	if (!moment->traits->has_deadline || !is_known(moment->before) || moment->before->is_delayed ||
	    pick->gap != PICK_COMPLETE || placed == RULE_NONE || placed == pick->level.running ||
	    pick->level.count < 2 || (moment->mark->features[0] && !key_mark_has(moment->mark, "PLACE_LAG")))
		return INVARIANT_NOT_APPLICABLE;
	const struct virtual_time time = virtual_time_of(moment->traits, &pick->level);
	const int64_t lag = virtual_time_lag(&time, pick->level.entities[placed].vruntime);
	const int64_t kept = (int64_t)moment->task->protect;
	const uint64_t size = (uint64_t)(kept < 0 ? -kept : kept);
	const int64_t difference = lag - kept;
	return holds_if((uint64_t)(difference < 0 ? -difference : difference) <= with_rounding(size) - size);
}

static enum invariant_result check_vruntime(const struct invariant_moment *moment)
{
	if (!is_known(moment->before) || moment->before->weight != moment->task->weight || !moment->has_stayed)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(rule_difference(moment->task->vruntime, moment->before->vruntime) >= 0);
}

/* A normal task is woken while a fair one runs that was not asked to reschedule yet. */
static bool needs_test(const struct invariant_moment *moment)
{
	return is_known(moment->running) && !moment->was_asked && moment->task->policy == POLICY_NORMAL &&
	       moment->running->policy != POLICY_IDLE &&
	       (!moment->mark->features[0] || key_mark_has(moment->mark, "WAKEUP_PREEMPTION"));
}

static enum invariant_result check_wakeup_tested(const struct invariant_moment *moment)
{
	if (!moment->traits->has_deadline || !needs_test(moment))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->is_tested || moment->is_asked);
}

static enum invariant_result check_wakeup_preempts(const struct invariant_moment *moment)
{
	if (moment->traits->has_deadline || !moment->is_same_queue || !moment->mark->wakeup_granularity_ns ||
	    !needs_test(moment))
		return INVARIANT_NOT_APPLICABLE;
	const int64_t behind = rule_difference(moment->running->vruntime, moment->task->vruntime);
	const uint64_t granularity = cpu_to_virtual(moment->mark->wakeup_granularity_ns, moment->task->weight);
	const int64_t beyond = behind - (int64_t)granularity;
	if (beyond > -(int64_t)ROUNDING_NS && beyond < (int64_t)ROUNDING_NS)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->is_asked == (beyond > 0));
}

static enum invariant_result check_woken(const struct invariant_moment *moment)
{
	if (!is_known(moment->before))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->before->on_rq && !moment->before->is_delayed);
}

static enum invariant_result check_budget(const struct invariant_moment *moment)
{
	if (!moment->mark->hz)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->budget_ns >= -(int64_t)with_rounding(UINT64_C(1000000000) / moment->mark->hz));
}

const struct invariant_row invariant_rows[INVARIANTS] = {
    [INVARIANT_WEIGHT] = {"weight_of_nice", "weight is that of the nice value",
			  "kernel/sched/core.c, sched_prio_to_weight", "CFS, EEVDF with a queue per group",
			  WHEN_SWITCHED_IN, check_weight},
    [INVARIANT_DEADLINE] = {"deadline_in_slice", "deadline - vruntime <= slice / weight",
			    "Stoica and Abdel-Wahab 1995, (8): d = ve + r / w", "EEVDF", WHEN_SWITCHED_IN,
			    check_deadline},
    [INVARIANT_LAG_BOUND] = {"lag_bounded", "lag at sleep <= 2 slices and a tick",
			     "kernel/sched/fair.c, update_entity_lag", "EEVDF", WHEN_SWITCHED_OUT, check_lag_bound},
    [INVARIANT_LAG_KEPT] = {"lag_kept", "lag after a wakeup is that at sleep",
			    "kernel/sched/fair.c, place_entity (PLACE_LAG)", "EEVDF", WHEN_PLACED, check_lag_kept},
    [INVARIANT_VRUNTIME] = {"vruntime_forward", "vruntime never goes back while queued or running",
			    "kernel/sched/fair.c, update_curr", "CFS, EEVDF", WHEN_SWITCHED_IN | WHEN_SWITCHED_OUT,
			    check_vruntime},
    [INVARIANT_WAKEUP_TESTED] = {"wakeup_tested", "a wakeup asks whether it preempts",
				 "kernel/sched/fair.c, check_preempt_wakeup_fair", "EEVDF", WHEN_WOKEN,
				 check_wakeup_tested},
    [INVARIANT_WAKEUP_PREEMPTS] = {"wakeup_preempts", "a wakeup preempts beyond the granularity, and only then",
				   "kernel/sched/fair.c before 6.6, wakeup_preempt_entity", "CFS", WHEN_WOKEN,
				   check_wakeup_preempts},
    [INVARIANT_WOKEN] = {"woken_before_run", "a task that slept was woken before it runs",
			 "kernel/sched/core.c, try_to_wake_up", "CFS, EEVDF", WHEN_SWITCHED_IN, check_woken},
    [INVARIANT_BUDGET] = {"budget_kept", "a deadline task runs at most a tick beyond its budget",
			  "kernel/sched/deadline.c, update_curr_dl", "deadline tasks", WHEN_BUDGET_KNOWN, check_budget},
};

void invariants_check(struct invariants *invariants, const struct invariant_moment *moment,
		      const struct invariant_place *place)
{
	for (int i = 0; i < INVARIANTS; i++) {
		struct invariant_account *account = &invariants->rows[i];
		if (!(invariant_rows[i].when & moment->when))
			continue;
		const enum invariant_result result = invariant_rows[i].check(moment);
		account->checked += result != INVARIANT_NOT_APPLICABLE;
		if (result != INVARIANT_BROKEN || account->broken++)
			continue;
		account->first_ns = place->since_ns;
		account->first_cpu = place->cpu;
		account->first_run = place->run;
		account->first_pid = place->pid;
	}
}

void invariants_sum(struct invariants *sum, const struct invariants *further, uint32_t run)
{
	for (int i = 0; i < INVARIANTS; i++) {
		struct invariant_account *account = &sum->rows[i];
		const struct invariant_account before = *account;
		if (before.broken == 0) {
			*account = further->rows[i];
			account->first_run = run;
		} else {
			account->broken += further->rows[i].broken;
		}
		account->checked = before.checked + further->rows[i].checked;
	}
}
