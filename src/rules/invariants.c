/* SPDX-License-Identifier: MIT */
#include "rules/invariants.h"

#include <string.h>

#include "rules/checks.h"
#include "rules/fair.h"
#include "rules/fair_server.h"
#include "rules/key_events.h"
#include "rules/placement.h"
#include "rules/replay.h"
#include "rules/virtual_time.h"

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

static enum invariant_result check_weight(const struct invariant_moment *moment)
{
	const uint64_t weight = invariant_weight(moment->prio, moment->task->policy);

	/* With one queue per CPU, the weight by which a task is picked is its share of that of its groups. */
	const uint64_t own = moment->traits->has_sum_shift ? moment->own_weight : moment->task->weight;
	if (!own || !weight)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(own == weight);
}

static enum invariant_result check_group_weight(const struct invariant_moment *moment)
{
	const struct key_path *path = &moment->event->enqueued.task;
	const uint64_t *shares = moment->event->enqueued.shares;
	bool is_known = false, holds = true;

	for (uint32_t i = 1; i < path->depth && !moment->event->enqueued.is_throttled; i++) {
		is_known = is_known || shares[i];
		holds = holds && (!shares[i] || path->entities[i].weight <= shares[i]);
	}
	return is_known ? holds_if(holds) : INVARIANT_NOT_APPLICABLE;
}

static enum invariant_result check_group_kept(const struct invariant_moment *moment)
{
	if (!has_feature(moment, "DELAY_DEQUEUE") || !is_known(moment->group_before) || !moment->cpus)
		return INVARIANT_NOT_APPLICABLE;
	/* The sums prove the weight of a group that waited without its lower bits. */
	return holds_if(moment->group->weight >> RULE_WEIGHT_SHIFT ==
			moment->group_before->weight >> RULE_WEIGHT_SHIFT);
}

static enum invariant_result check_deadline_kept(const struct invariant_moment *moment)
{
	const struct rule_entity *before = moment->before;

	if (!has_feature(moment, "PLACE_REL_DEADLINE") || !is_known(before) || !moment->has_stayed ||
	    moment->event->enqueued.flags & (WAKEUP_OF_FORK | WAKEUP_OF_SLEEPER) || before->is_delayed ||
	    before->weight != moment->task->weight || moment->event->enqueued.is_throttled)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(is_within(deadline_ahead(moment->task), (uint64_t)deadline_ahead(before), ROUNDING_NS));
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
	return holds_if(is_within((int64_t)task->protect, 0, with_rounding(cpu_to_virtual(limit, task->weight))));
}

static enum invariant_result check_lag_kept(const struct invariant_moment *moment)
{
	const struct pick_level *pick = moment->pick;
	const uint32_t placed = pick_level_find(pick, moment->task->id);

	/* A task that was preempted before it could sleep is woken where it is. On an empty queue a task starts without
	 * lag. The lag of a delayed sleeper is that before the running one's vruntime is brought up to date. */
	if (!moment->traits->has_deadline || !is_known(moment->before) || moment->before->is_delayed ||
	    moment->has_stayed || pick->gap != PICK_COMPLETE || placed == RULE_NONE || placed == pick->level.running ||
	    pick->level.count < 2 || (moment->mark->features[0] && !key_mark_has(moment->mark, "PLACE_LAG")))
		return INVARIANT_NOT_APPLICABLE;
	const struct virtual_time time = virtual_time_of(moment->traits, &pick->level);
	const int64_t lag = virtual_time_lag(&time, pick->level.entities[placed].vruntime);
	const int64_t kept = (int64_t)moment->task->protect;
	return holds_if(is_within(lag, (uint64_t)kept, rounding_of(kept)));
}

static enum invariant_result check_group_lag(const struct invariant_moment *moment)
{
	const struct rule_entity *before = moment->group_before, *after = moment->group;
	const struct pick_level *pick = moment->pick;
	const uint32_t at = pick_level_find(pick, after->id);

	if (!moment->traits->has_deadline || !moment->mark->hz || pick->gap != PICK_COMPLETE || at == RULE_NONE ||
	    at == pick->level.running || before->is_stale || before->is_delayed || before->weight == after->weight ||
	    before->weight < GROUP_WEIGHT_MIN || after->weight < GROUP_WEIGHT_MIN)
		return INVARIANT_NOT_APPLICABLE;
	/* V is the same before and after. Beyond a tick the kernel may limit the lag. */
	const struct virtual_time time = virtual_time_of(moment->traits, &pick->level);
	const int64_t lag = virtual_time_lag(&time, before->vruntime);
	if (!is_within(lag, 0, cpu_to_virtual(UINT64_C(1000000000) / moment->mark->hz, before->weight)))
		return INVARIANT_NOT_APPLICABLE;
	const int64_t kept = (int64_t)((rule_wide)lag * before->weight / (rule_wide)after->weight);
	return holds_if(is_within(virtual_time_lag(&time, after->vruntime), (uint64_t)kept, rounding_of(kept)));
}

static enum invariant_result check_debt(const struct invariant_moment *moment)
{
	const bool sleeps = moment->out == LEAVE_SLEEPING || moment->out == LEAVE_UNINTERRUPTIBLE;

	if (!has_feature(moment, "DELAY_DEQUEUE") || !sleeps || !moment->has_stayed)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->task->on_rq || (int64_t)moment->task->protect >= 0);
}

static enum invariant_result check_leaves(const struct invariant_moment *moment)
{
	if (moment->out != LEAVE_SLEEPING && moment->out != LEAVE_UNINTERRUPTIBLE)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(!moment->task->on_rq || moment->task->is_delayed);
}

static enum invariant_result check_delayed_lag(const struct invariant_moment *moment)
{
	if (!has_feature(moment, "DELAY_ZERO") || !is_known(moment->before) || !moment->before->is_delayed ||
	    !(moment->event->enqueued.flags & WAKEUP_OF_SLEEPER))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if((int64_t)moment->task->protect <= 0);
}

static enum invariant_result check_vruntime(const struct invariant_moment *moment)
{
	if (!is_known(moment->before) || moment->before->weight != moment->task->weight || !moment->has_stayed)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(rule_difference(moment->task->vruntime, moment->before->vruntime) >= 0);
}

static enum invariant_result check_service(const struct invariant_moment *moment)
{
	const int64_t ran = (int64_t)moment->served_ns, charged = moment->charged_ns;

	/* By an older clock a task is charged with the end of the one before. Interrupts are not charged: among the
	 * CPUs of a deterministic guest, which take turns, the turns of others within an interrupt are not, either. */
	return holds_if(charged <= ran + ran / 2 && charged >= ran / 64);
}

/* A normal task is woken while another fair one runs that was not asked to reschedule yet. */
static bool needs_test(const struct invariant_moment *moment)
{
	return is_known(moment->running) && moment->running->id != moment->task->id && !moment->was_asked &&
	       moment->task->policy == POLICY_NORMAL && moment->running->policy != POLICY_IDLE &&
	       (!moment->mark->features[0] || key_mark_has(moment->mark, "WAKEUP_PREEMPTION"));
}

/* The kernel tests nothing if a reschedule is pending, and not all requests are recorded (RCU's are not): what was not
 * asked is judged when the task still runs at the next request or tick. */
static enum invariant_result holds_or_is_pending(bool holds, const struct invariant_moment *moment)
{
	return holds || moment->is_asked || moment->when == WHEN_STILL_RUNS ? holds_if(holds)
									    : INVARIANT_NOT_APPLICABLE;
}

static enum invariant_result check_wakeup_tested(const struct invariant_moment *moment)
{
	if (!moment->traits->has_deadline || !needs_test(moment))
		return INVARIANT_NOT_APPLICABLE;
	/* Without NEXT_BUDDY a request needs the test too, except that of a group of SCHED_IDLE to give way. */
	if (moment->is_asked && !moment->is_tested && (!has_feature(moment, "NO_NEXT_BUDDY") || !moment->is_same_queue))
		return INVARIANT_HOLDS;
	return holds_or_is_pending(moment->is_tested, moment);
}

static enum invariant_result check_wakeup_preempts(const struct invariant_moment *moment)
{
	if (moment->traits->has_deadline || !moment->is_same_queue || !moment->mark->wakeup_granularity_ns ||
	    !needs_test(moment))
		return INVARIANT_NOT_APPLICABLE;
	const int64_t behind = rule_difference(moment->running->vruntime, moment->task->vruntime);
	const uint64_t granularity = virtual_granularity(moment->mark->wakeup_granularity_ns, moment->task->weight);
	const int64_t beyond = behind - (int64_t)granularity;
	if (beyond > -(int64_t)ROUNDING_NS && beyond < (int64_t)ROUNDING_NS)
		return INVARIANT_NOT_APPLICABLE;
	return holds_or_is_pending(moment->is_asked == (beyond > 0), moment);
}

static enum invariant_result check_buddy(const struct invariant_moment *moment)
{
	if (!moment->may_be_buddy || !has_feature(moment, "NO_NEXT_BUDDY"))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->is_picked);
}

static enum invariant_result check_short_slice(const struct invariant_moment *moment)
{
	const struct pick_level *pick = moment->pick;
	const uint32_t placed = pick_level_find(pick, moment->task->id), at = pick->level.running;

	if (!has_feature(moment, "PREEMPT_SHORT") || pick->gap != PICK_COMPLETE || placed == RULE_NONE ||
	    at == RULE_NONE || placed == at)
		return INVARIANT_NOT_APPLICABLE;
	const struct rule_entity *woken = &pick->level.entities[placed], *running = &pick->level.entities[at];
	const struct virtual_time time = virtual_time_of(moment->traits, &pick->level);
	if (!running->slice || !woken->slice || woken->slice >= running->slice || woken->policy != POLICY_NORMAL ||
	    running->policy == POLICY_IDLE || !virtual_time_eligible(&time, woken->vruntime) ||
	    (rule_difference(woken->deadline, running->deadline) >= 0 &&
	     virtual_time_eligible(&time, running->vruntime)))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(pick->level.is_unprotected || !rule_is_protected(moment->traits, running));
}

bool invariant_gives_way(const struct invariant_moment *moment)
{
	return is_known(moment->running) && moment->is_same_queue && !moment->was_asked &&
	       moment->running->policy == POLICY_IDLE && moment->task->policy != POLICY_IDLE &&
	       (!moment->mark->features[0] || key_mark_has(moment->mark, "WAKEUP_PREEMPTION"));
}

static enum invariant_result check_gives_way(const struct invariant_moment *moment)
{
	if (moment->when == WHEN_WOKEN)
		return invariant_gives_way(moment) ? holds_if(moment->is_asked) : INVARIANT_NOT_APPLICABLE;
	/* With its share of its group the protection changes too. */
	if (moment->gives_way != moment->task->weight || !moment->traits->has_deadline)
		return INVARIANT_NOT_APPLICABLE;
	const bool is_protected = rule_is_protected(moment->traits, moment->task);
	/* What changes a running task, as its exit does (sched_move_task()), takes it from its queue and sets it to run
	 * again. Kernels without bcd74b2ffdd0 protect it anew by that. update_curr() or the change itself asks then. */
	if (is_protected && moment->is_asked_anew)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(!is_protected);
}

static enum invariant_result check_tick(const struct invariant_moment *moment)
{
	/* HRTICK is a tick as well. */
	if (!moment->is_tick || moment->traits->has_vprot || !has_feature(moment, "NO_HRTICK"))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->has_used);
}

static enum invariant_result check_woken(const struct invariant_moment *moment)
{
	if (!is_known(moment->before))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->before->on_rq && !moment->before->is_delayed);
}

static bool cpu_is_in(uint64_t cpus, uint32_t cpu)
{
	return cpu < 64 && (cpus >> cpu & 1);
}

static enum invariant_result check_allowed(const struct invariant_moment *moment)
{
	if (!moment->cpus || moment->cpu >= 64)
		return INVARIANT_NOT_APPLICABLE;
	if (moment->when & WHEN_RUNS)
		return holds_if(cpu_is_in(moment->cpus, moment->cpu));
	/* A wakeup moves a task to an isolated CPU only if it may run on no other. */
	if (!(moment->event->enqueued.flags & WAKEUP_OF_SLEEPER) || !moment->has_moved ||
	    !(moment->cpus & ~moment->mark->isolated))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(!cpu_is_in(moment->mark->isolated, moment->cpu));
}

static enum invariant_result check_sleeper(const struct invariant_moment *moment)
{
	return holds_if(!moment->has_moved);
}

static enum invariant_result check_pulled(const struct invariant_moment *moment)
{
	/* Kernels with vprot have 61b82dfb6b7e too. */
	return moment->traits->has_vprot ? holds_if(!moment->before->is_delayed) : INVARIANT_NOT_APPLICABLE;
}

static enum invariant_result check_urgent(const struct invariant_moment *moment)
{
	return holds_if(moment->is_asked);
}

/* The kernel balances busy CPUs after at most 0.1 s for each CPU (max_load_balance_interval). It may fail three times:
 * tasks that ran a moment ago, or that could not run yet on the other CPU, are left at first. */
static enum invariant_result check_balance(const struct invariant_moment *moment)
{
	return holds_if(moment->uneven_ns <= with_tick(moment, moment->cpu_count * UINT64_C(400000000)));
}

static enum invariant_result check_turn(const struct invariant_moment *moment)
{
	const uint64_t both = moment->ran_ns < moment->waited_ns ? moment->ran_ns : moment->waited_ns;

	if (moment->policy != POLICY_RR || !both || !moment->mark->hz || !moment->mark->rr_slice_ms)
		return INVARIANT_NOT_APPLICABLE;
	/* The slice is counted in ticks, and a tick may hit a task that preempts for a moment. */
	return holds_if(both <= with_tick(moment, moment->mark->rr_slice_ms * UINT64_C(1500000)));
}

static enum invariant_result check_chosen(const struct invariant_moment *moment)
{
	return holds_if(cpu_is_in(moment->choice, moment->cpu));
}

static enum invariant_result check_spread(const struct invariant_moment *moment)
{
	if (!moment->waited_ns || !moment->mark->hz)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->waited_ns <= with_tick(moment, 0));
}

static enum invariant_result check_starved(const struct invariant_moment *moment)
{
	if (!moment->starved_ns || !moment->mark->hz || !moment->mark->rt_runtime_us)
		return INVARIANT_NOT_APPLICABLE;
	/* Without the fair server, which is as old as delayed dequeues, real-time tasks may use up what is left of one
	 * period (sched_rt_period_us) and then the next one. */
	const uint64_t periods = has_feature(moment, "DELAY_DEQUEUE") ? 1 : 2;
	return holds_if(moment->starved_ns <= with_tick(moment, periods * FAIR_PERIOD_NS));
}

static enum invariant_result check_deferred(const struct invariant_moment *moment)
{
	if (!moment->deferred_ns || !moment->mark->hz || !has_feature(moment, "DELAY_DEQUEUE"))
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(with_tick(moment, moment->deferred_ns) >= FAIR_PERIOD_NS - FAIR_RUNTIME_NS);
}

static enum invariant_result check_budget(const struct invariant_moment *moment)
{
	if (!moment->mark->hz)
		return INVARIANT_NOT_APPLICABLE;
	return holds_if(moment->budget_ns >= -(int64_t)with_tick(moment, 0) &&
			(!moment->asked_ns || moment->budget_ns <= (int64_t)moment->asked_ns));
}

static enum invariant_result check_missing(const struct invariant_moment *moment)
{
	return holds_if(!moment->is_missing);
}

#define FAIR_C       "kernel/sched/fair.c, "
#define CORE_C       "kernel/sched/core.c, "
#define WITH(word)   "EEVDF with " word
#define GROUP_SLICES "EEVDF of 6.12 and later with a queue per group"
#define ONE_CACHE    "Linux 6.1 and later, equal cores with one cache"

const struct invariant_row invariant_rows[INVARIANTS] = {
    [INVARIANT_WEIGHT] = {"weight_of_nice", "weight is that of the nice value", CORE_C "sched_prio_to_weight",
			  "CFS, EEVDF", WHEN_SWITCHED_IN, check_weight},
    [INVARIANT_GROUP_WEIGHT] = {"group_weight", "weight of a group on a CPU <= its cpu.weight",
				FAIR_C "calc_group_shares", "CFS, EEVDF with a queue per group", WHEN_ENQUEUED,
				check_group_weight},
    [INVARIANT_GROUP_KEPT] = {"group_keeps_weight", "a group keeps its weight when its last task goes to sleep",
			      FAIR_C "update_cfs_group", WITH("DELAY_DEQUEUE") " and a queue per group", WHEN_ENQUEUED,
			      check_group_kept},
    [INVARIANT_GROUP_LAG] = {"group_keeps_lag", "lag * weight of a waiting group stays when its weight changes",
			     FAIR_C "reweight_entity", "EEVDF with a queue per group", WHEN_REWEIGHTED,
			     check_group_lag},
    [INVARIANT_DEADLINE] = {"deadline_in_slice", "deadline - vruntime <= slice / weight",
			    "Stoica and Abdel-Wahab 1995, (8): d = ve + r / w", "EEVDF", WHEN_SWITCHED_IN,
			    check_deadline},
    [INVARIANT_DEADLINE_RENEWED] = {"deadline_renewed",
				    "a task that has used its slice, and only that, gets a deadline a slice later",
				    FAIR_C "update_deadline", "EEVDF", WHEN_PICKED, replay_deadline_renewed},
    [INVARIANT_DEADLINE_PLACED] = {"deadline_placed", "deadline - vruntime at wakeup is slice / weight; half at fork",
				   FAIR_C "place_entity", "EEVDF", WHEN_ENQUEUED, replay_deadline_placed},
    [INVARIANT_GROUP_PLACED] = {"group_deadline_placed",
				"deadline - vruntime of a group that gets its first task is that task's slice / weight",
				FAIR_C "enqueue_task_fair", GROUP_SLICES, WHEN_ENQUEUED, replay_group_placed},
    [INVARIANT_GROUP_SLICE] = {"group_slice", "a group's request is renewed by the shortest slice of its queue",
			       FAIR_C "enqueue_task_fair, dequeue_entities", GROUP_SLICES, WHEN_GROUP_RUNS,
			       replay_group_slice},
    [INVARIANT_GROUP_ASKS] = {"group_request", "a waiting group that gets a task has a request: deadline > vruntime",
			      FAIR_C "dequeue_entities, place_entity", GROUP_SLICES, WHEN_GROUP_QUEUED,
			      replay_group_asks},
    [INVARIANT_SLICE_PLACED] = {"slice_placed", "a task without a slice of its own is placed with the base slice",
				FAIR_C "place_entity", "Linux 6.12 and later", WHEN_ENQUEUED, replay_slice_placed},
    [INVARIANT_DEADLINE_KEPT] = {"deadline_kept", "deadline - vruntime of a waiting task that is moved stays",
				 FAIR_C "place_entity", WITH("PLACE_REL_DEADLINE"), WHEN_ENQUEUED, check_deadline_kept},
    [INVARIANT_LAG_BOUND] = {"lag_bounded", "lag at sleep <= 2 slices and a tick",
			     "kernel/sched/fair.c, update_entity_lag", "EEVDF", WHEN_SWITCHED_OUT, check_lag_bound},
    [INVARIANT_LAG_MEASURED] = {"lag_measured", "lag at sleep is V - vruntime, to the nanosecond",
				FAIR_C "update_entity_lag, avg_vruntime", "EEVDF", WHEN_SWITCHED_OUT,
				replay_lag_measured},
    [INVARIANT_LAG_ASLEEP] = {"lag_asleep", "sleep does not change a task's lag * weight",
			      FAIR_C "update_entity_lag, rescale_entity", "EEVDF", WHEN_ENQUEUED, replay_lag_asleep},
    [INVARIANT_VRUNTIME_PLACED] = {"vruntime_placed",
				   "vruntime of a placed task is V less its inflated lag, to the nanosecond",
				   FAIR_C "place_entity, avg_vruntime", "EEVDF", WHEN_PLACED, replay_vruntime_placed},
    [INVARIANT_LAG_KEPT] = {"lag_kept", "lag after a wakeup is that at sleep",
			    "kernel/sched/fair.c, place_entity (PLACE_LAG)", "EEVDF", WHEN_PLACED, check_lag_kept},
    [INVARIANT_DEBT] = {"debt_stays", "a task that sleeps with negative lag stays on its queue",
			FAIR_C "dequeue_entity", WITH("DELAY_DEQUEUE"), WHEN_SWITCHED_OUT, check_debt},
    [INVARIANT_DELAYED] = {"delayed_in_debt", "only what is not eligible stays on its queue when it goes to sleep",
			   FAIR_C "dequeue_entity", WITH("DELAY_DEQUEUE"), WHEN_LEFT, replay_delayed},
    [INVARIANT_LEAVES] = {"sleeper_leaves", "a task that stops to run asleep leaves its queue, or is a delayed sleeper",
			  CORE_C "__schedule, try_to_block_task", "CFS, EEVDF", WHEN_SWITCHED_OUT, check_leaves},
    [INVARIANT_DELAYED_LAG] = {"delayed_gains_nothing", "a delayed sleeper wakes up without positive lag",
			       FAIR_C "requeue_delayed_entity", WITH("DELAY_ZERO"), WHEN_ENQUEUED, check_delayed_lag},
    [INVARIANT_REQUEUED] = {"debt_kept", "a delayed sleeper that wakes up in debt keeps vruntime and deadline",
			    FAIR_C "requeue_delayed_entity", WITH("DELAY_ZERO") " before 7.2", WHEN_ENQUEUED,
			    replay_requeued},
    [INVARIANT_VRUNTIME] = {"vruntime_forward", "vruntime never goes back while queued or running",
			    "kernel/sched/fair.c, update_curr", "CFS, EEVDF", WHEN_SWITCHED_IN | WHEN_SWITCHED_OUT,
			    check_vruntime},
    [INVARIANT_WAITING] = {"waits_with_its_keys", "vruntime and deadline of a waiting task do not change",
			   FAIR_C "update_curr, __enqueue_entity", "EEVDF", WHEN_SWITCHED_IN, replay_waiting},
    [INVARIANT_YIELD] = {"yield_forfeits",
			 "a task that yields forfeits the rest of its request if it is eligible, and only then",
			 FAIR_C "yield_task_fair", "EEVDF", WHEN_PICKED | WHEN_YIELDED, replay_yield},
    [INVARIANT_WAKEUP_TESTED] = {"wakeup_tested", "a wakeup asks whether it preempts",
				 FAIR_C "check_preempt_wakeup_fair", "EEVDF", WHEN_WOKEN | WHEN_STILL_RUNS,
				 check_wakeup_tested},
    [INVARIANT_WAKEUP_PREEMPTS] = {"wakeup_preempts", "a wakeup preempts beyond the granularity, and only then",
				   "kernel/sched/fair.c before 6.6, wakeup_preempt_entity", "CFS",
				   WHEN_WOKEN | WHEN_STILL_RUNS, check_wakeup_preempts},
    [INVARIANT_BUDDY] = {"buddy_asked", "a woken task is picked by its keys, not as a buddy", FAIR_C "pick_next_entity",
			 "EEVDF to 6.18 without NEXT_BUDDY", WHEN_SWITCHED_IN, check_buddy},
    [INVARIANT_SHORT_SLICE] = {"short_slice_preempts", "a woken task with a shorter slice ends the protection",
			       FAIR_C "do_preempt_short", WITH("PREEMPT_SHORT"), WHEN_PLACED, check_short_slice},
    [INVARIANT_GIVES_WAY] = {"idle_policy_gives_way", "a task of SCHED_IDLE gives way to a woken one of another policy",
			     FAIR_C "check_preempt_wakeup_fair", "CFS, EEVDF", WHEN_WOKEN | WHEN_PICKED,
			     check_gives_way},
    [INVARIANT_TICK] = {"tick_ends_slice", "the tick preempts a task that has used its slice and shares its queue",
			FAIR_C "update_curr", "EEVDF to 6.16 with a queue per group", WHEN_PICKED, check_tick},
    [INVARIANT_WOKEN] = {"woken_before_run", "a task that slept was woken before it runs",
			 "kernel/sched/core.c, try_to_wake_up", "CFS, EEVDF", WHEN_SWITCHED_IN, check_woken},
    [INVARIANT_ALLOWED] = {"cpu_allowed", "a task runs in its affinity, and is not woken on an isolated CPU",
			   CORE_C "is_cpu_allowed", "all classes", WHEN_RUNS | WHEN_ENQUEUED, check_allowed},
    [INVARIANT_SLEEPER] = {"sleeper_stays", "a sleeping task is moved to another CPU by its wakeup only",
			   CORE_C "try_to_wake_up", "all classes", WHEN_MOVED_ASLEEP, check_sleeper},
    [INVARIANT_PULLED] = {"pulls_waiting", "a CPU that becomes idle pulls waiting tasks, not delayed sleepers",
			  FAIR_C "can_migrate_task", "Linux 6.17 and later, equal cores with one cache", WHEN_PULLED,
			  check_pulled},
    [INVARIANT_BALANCE] =
	{"busy_cpus_balance",
	 "no CPU keeps twice as many equal tasks as another busy one, and two more, for 0.4 s per CPU",
	 FAIR_C "sched_balance_rq", "CFS, EEVDF, tasks of nice 0 without groups", WHEN_UNEVEN, check_balance},
    [INVARIANT_TURN] = {"rr_turns", "a SCHED_RR task runs at most 1.5 slices while an equal one waits",
			"kernel/sched/rt.c, task_tick_rt", "SCHED_RR", WHEN_TURN_ENDS, check_turn},
    [INVARIANT_URGENT] = {"urgent_preempts",
			  "a woken real-time task of higher priority, or deadline task with an earlier deadline, asks "
			  "the running one to leave",
			  "kernel/sched/rt.c, wakeup_preempt_rt; deadline.c, wakeup_preempt_dl",
			  "real time, deadline tasks", WHEN_URGENT_WOKEN, check_urgent},
    [INVARIANT_PLACED_PREVIOUS] = {"woken_on_idle_previous", "a task is woken on its previous CPU if that is idle",
				   FAIR_C "select_idle_sibling", ONE_CACHE, WHEN_CHOSEN << PLACED_ON_PREVIOUS,
				   check_chosen},
    [INVARIANT_PLACED_HINT] = {"woken_beside_waker",
			       "a task woken by a lone one that will sleep shares its CPU if no other is idle",
			       FAIR_C "wake_affine_idle", ONE_CACHE, WHEN_CHOSEN << PLACED_BY_HINT, check_chosen},
    [INVARIANT_PLACED_SEARCH] = {"woken_on_idle",
				 "a woken task gets the idle CPU that the kernel's search finds, or stays near",
				 FAIR_C "select_idle_cpu", ONE_CACHE, WHEN_CHOSEN << PLACED_BY_SEARCH, check_chosen},
    [INVARIANT_PLACED_PRIORITY] = {"rt_woken",
				   "a woken real-time task does not wait for another if a CPU runs lower classes",
				   "kernel/sched/rt.c, select_task_rq_rt", "real time",
				   WHEN_CHOSEN << PLACED_BY_PRIORITY, check_chosen},
    [INVARIANT_PLACED_NEW] = {"new_on_idle", "a new task is put on an idle CPU if there is one",
			      FAIR_C "sched_balance_find_dst_group", ONE_CACHE, WHEN_CHOSEN << PLACED_NEW,
			      check_chosen},
    [INVARIANT_COUNTED] = {"tasks_counted", "a CPU's queue counts each task that runs or waits there",
			   FAIR_C "set_delayed, enqueue_task_fair", "EEVDF of 6.12 and later", WHEN_COUNTED,
			   check_missing},
    [INVARIANT_FREED] = {"unthrottled_queued",
			 "a group with tasks is on its queue when its throttling ends, until one of them runs",
			 FAIR_C "unthrottle_cfs_rq", "CFS, EEVDF with a queue per group", WHEN_FREED, check_missing},
    [INVARIANT_SERVICE] = {"service_counted", "vruntime advances by CPU time / weight while a task runs",
			   FAIR_C "update_curr; Stoica and Abdel-Wahab 1995, (5)",
			   "CFS, EEVDF, of 1 ms or longer, over 20 ms", WHEN_SERVED, check_service},
    [INVARIANT_REQUEST] = {"request_kept", "another weight of a group does not change what is left of its request",
			   FAIR_C "reweight_entity", "EEVDF with a queue per group", WHEN_REWEIGHTED | WHEN_GROUP_RUNS,
			   replay_request},
    [INVARIANT_SPREAD] = {"rt_spread", "no CPU runs a lower priority while a real-time task waits elsewhere",
			  "kernel/sched/rt.c, push_rt_task", "real time, for more than a tick", WHEN_RUNS,
			  check_spread},
    [INVARIANT_STARVED] = {"fair_served",
			   "higher classes keep fair tasks waiting for a second at most, or two without a fair server",
			   "kernel/sched/deadline.c, fair server; rt.c, sched_rt_period", "CFS, EEVDF", WHEN_RUNS,
			   check_starved},
    [INVARIANT_DEFERRED] = {"fair_deferred",
			    "fair tasks that come to a CPU after the fair server's deadline wait for 0.95 s, if "
			    "real-time tasks run",
			    "kernel/sched/deadline.c, update_dl_entity",
			    "Linux 6.12 and later, without groups of "
			    "real-time tasks",
			    WHEN_RUNS, check_deferred},
    [INVARIANT_BUDGET] = {"budget_kept", "a deadline task has at most its budget, and overruns it by at most a tick",
			  "kernel/sched/deadline.c, update_curr_dl", "deadline tasks", WHEN_BUDGET_KNOWN, check_budget},
    [INVARIANT_REFILLED] = {"budget_refilled",
			    "a deadline task has what was left, or one budget per period, less what it runs",
			    "kernel/sched/deadline.c, replenish_dl_entity", "deadline tasks", WHEN_BUDGET_KNOWN,
			    replay_budget},
};

/* Those that compare times of the trace with what the scheduler does meanwhile: they are not judged in a trace with
 * such stops or longer ones. What a task is charged with is not, either: a CPU that stops for some ticks while it
 * switches charges the next task with them, and only shorter stops need show. */
static const enum clock_stops void_from[INVARIANTS] = {
    [INVARIANT_PLACED_PREVIOUS] = STOPS_SHORT,
    [INVARIANT_PLACED_HINT] = STOPS_SHORT,
    [INVARIANT_PLACED_SEARCH] = STOPS_SHORT,
    [INVARIANT_PLACED_PRIORITY] = STOPS_SHORT,
    [INVARIANT_PLACED_NEW] = STOPS_SHORT,
    [INVARIANT_SPREAD] = STOPS_SHORT,
    [INVARIANT_SERVICE] = STOPS_SHORT,
    [INVARIANT_REQUEST] = STOPS_LONG,
    [INVARIANT_YIELD] = STOPS_LONG,
    [INVARIANT_BALANCE] = STOPS_LONG,
    [INVARIANT_TURN] = STOPS_LONG,
    [INVARIANT_STARVED] = STOPS_LONG,
    [INVARIANT_DEFERRED] = STOPS_LONG,
    [INVARIANT_BUDGET] = STOPS_LONG,
    [INVARIANT_REFILLED] = STOPS_LONG,
};

static bool is_void(int invariant, enum clock_stops stops)
{
	return void_from[invariant] != STOPS_NONE && stops >= void_from[invariant];
}

void invariants_restore_timed(struct invariants *invariants, const struct invariants *before, enum clock_stops stops)
{
	for (int i = 0; i < INVARIANTS; i++)
		if (is_void(i, stops))
			invariants->rows[i] = before->rows[i];
}

void invariants_check(struct invariants *invariants, const struct invariant_moment *moment,
		      const struct invariant_place *place)
{
	for (int i = 0; i < INVARIANTS; i++) {
		struct invariant_account *account = &invariants->rows[i];
		if (!(invariant_rows[i].when & moment->when) || is_void(i, moment->stops))
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
