# SPDX-License-Identifier: MIT
"""Scheduler bugs, one row each, as edits of Debian's kernel sources.

An edit replaces one occurrence of OLD in FUNCTION of FILE by NEW; BUG in NEW is true if this row is selected. OLD is
as short as it can be, and texts are written for this file: it has no code of the kernel but for these fragments.

A row: name; the upstream commit that it reverses (a fix, or what introduced a behaviour; each was looked up), or "-" for
a mutation in the style of one; what breaks; what a workload needs (NEEDS); the metric that should see it; edits for
6.12 and for 7.3, or why one of them has no such code. A third of the bugs, chosen by a hash of the
name, is held out: nobody tunes with them. The order is that of their numbers in the kernel: append, do not insert.

Blind rows are at the end: 22 fixes that nobody tuned for, and the mutants of mutants.json, made by mutants.py. They are not
in the groups of the others. Half of them, by a hash of the name, is blind-final: no result of these rows is looked at before the end.
"""
import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

LINES = ("6.12", "7.3")
NEEDS = {
    "": "equal tasks", "C": "cgroups", "N": "nice", "S": "custom slices", "I": "SCHED_IDLE", "RT": "FIFO or RR", "DL": "deadline tasks",
    "Y": "sched_yield", "A": "affinity", "F": "forks", "H": "half-idle CPUs", "Q": "cpu.max", "T": "SMT or two LLCs", "P": "pending signals",
}
# Workloads that boot together, with the needs that they meet; mixes of vm's default set, in its order. Those of GUESTS boot
# a second time, in such a guest.
PARTS = {
    "plain": (("periodic_beside_hogs", "nice_levels", "signals"), ("", "N", "P")),
    "often idle": (("idle_beside_busy", "light_pipelines", "fork_storm", "yield_beside_hogs"), ("H", "F", "Y")),
    "affinity": (("pinned_imbalance", "affinity_churn"), ("A",)),
    "cgroups": (("cgroup_quota", "cgroup_burst", "cgroup_sleepers", "cgroup_nested"), ("C", "Q")),
    "policies": (("custom_slices", "idle_and_batch", "cgroup_slices"), ("S", "I")),
    "real time": (("rt_greedy", "rt_rr", "rt_overlap", "deadline"), ("RT", "DL")),
    "topology": (("fork_storm", "pinned_imbalance", "affinity_churn"), ("T",)),
}
# Options of a part whose guests have other CPUs than vm's default.
GUESTS = {"topology": ("--cpus", "4", "--topology", "llc=2,smt=2")}
# A group that sleeps in debt while throttling ends for a group in it: too special for vm's default set.
REPAID = ("mix: name cgroup_repaid; group outer weight=25; group outer/limited quota=1ms/10ms; group outer/naps; group hogs; "
          "1 limited cpus=0 group=outer/limited; 1 nap run=2ms sleep=5ms jitter=50 cpus=0 group=outer/naps; 2 hog cpus=0 group=hogs")
# For each need: workloads whose first seed is judged by the rules.
FIRST = {
    "": ("periodic_beside_hogs", "light_pipelines"), "C": ("cgroup_nested", "cgroup_sleepers"), "N": ("nice_levels", "cgroup_nested"), "S": ("custom_slices", "cgroup_slices"),
    "I": ("idle_and_batch",), "RT": ("rt_greedy", "rt_rr", "rt_overlap"), "DL": ("deadline",), "Y": ("yield_beside_hogs",),
    "A": ("affinity_churn",), "F": ("fork_storm",), "H": ("idle_beside_busy", "light_pipelines"),
    "Q": ("cgroup_quota", "cgroup_burst", REPAID), "T": ("light_pipelines", "affinity_churn"), "P": ("signals",),
}
# Needs of which workloads boot a second time, in another guest: some of the CPUs of two are all or one; a slice is stale only
# after the base slice has changed.
FIRST_GUESTS = {"A": (FIRST["A"], ("--cpus", "4")), "T": (FIRST["T"], GUESTS["topology"]),
                "S": (FIRST["H"], ("--guest", "append=picknext.sched.base_slice_ns=3000000"))}
# The chaos workloads that all guests can run, half a second each. Blind rows boot them too.
CHAOS = (tuple("chaos" + suffix for suffix in ("", "_pi", "_policy", "_weights", "_groups", "_affinity", "_deadline", "_signals")), ("--duration", "0.5"))
SPECIAL_PARTS = ("cgroups", "policies", "real time")  # rows with another need change nothing there
FAIR, CORE, RT, DL, SYSCALLS, EXT = (f"kernel/sched/{name}.c" for name in ("fair", "core", "rt", "deadline", "syscalls", "ext/ext"))


@dataclass(frozen=True)
class Edit:
    file: str
    function: str
    old: str
    new: str


@dataclass(frozen=True)
class Row:
    name: str
    fix: str
    breaks: str
    needs: tuple
    detector: str
    edits: dict = field(repr=False)
    absent: str  # why the other line has no edits; "" if both have
    is_blind: bool = False

    @property
    def is_null(self):
        return self.name.startswith("null-")

    @property
    def is_mutant(self):
        return self.name.startswith("mutant-")

    @property
    def is_held_out(self):
        return self.group == "held-out"

    @property
    def group(self):
        """Null changes, two thirds to tune with and one held out; and of the blind rows one half to tune with, one that is looked at
        once."""
        hashed = hashlib.sha256(self.name.encode()).digest()[0]
        if self.is_blind:
            return "blind-tuning" if hashed % 2 else "blind-final"
        return "nulls" if self.is_null else "tuning" if hashed % 3 else "held-out"


def reached_parts(row):
    """Names of the parts that can show what the row breaks, the most promising one first."""
    met = [part for part, (_, needs) in PARTS.items() if set(row.needs or ("",)) & set(needs)]
    special = [part for part in met if part in SPECIAL_PARTS]
    return special or met + ["plain"] * ("plain" not in met) + ["often idle"] * (met == ["plain"])


def first_workloads(row):
    needs = ("Q",) if "Q" in row.needs else row.needs or ("",)
    return list(dict.fromkeys(workload for need in needs for workload in FIRST[need]))


def first_boots(row):
    """The mixes whose first seed is judged by the rules, and options of their guests: one boot after the other. A null change
    boots what any bug boots, since a rule of any of them could be broken for nothing."""
    needs = tuple(FIRST) if row.is_null else row.needs
    workloads = list(dict.fromkeys(sum(FIRST.values(), ()))) if row.is_null else first_workloads(row)
    return [(workloads, ())] + [(list(FIRST_GUESTS[need][0]), FIRST_GUESTS[need][1]) for need in needs if need in FIRST_GUESTS]


def fair(function, old, new):
    return Edit(FAIR, function, old, new)


# Forms of edits that many rows have. CONDITION is the text after `if (` and may be its beginning alone.

def never(function, condition, file=FAIR):
    return Edit(file, function, f"if ({condition}", f"if (!BUG && {condition}")


def always(function, condition, file=FAIR):
    return Edit(file, function, f"if ({condition}", f"if (BUG || {condition}")


def omitted(function, statement, tabs, file=FAIR):
    return Edit(file, function, statement, "if (!BUG)\n" + "\t" * tabs + statement)


ONE_QUEUE = "a CPU has one queue, of tasks; groups are not queued"
STEPS = "if (BUG)\n\t\tpicknext_null({});"


def steps_before(file, function, statement, count):
    return Edit(file, function, statement, STEPS.format(count) + "\n\t" + statement)


def steps_after(file, function, declaration, count):
    return Edit(file, function, declaration, declaration + "\n\n\t" + STEPS.format(count))


def row(name, fix, breaks, needs, detector, *edits, only=(None, ""), later=None):
    """EDITS are those of both lines, of one (ONLY: the line, and why the other has no such code), or of 6.12 with LATER for 7.3."""
    only, absent = only
    by_line = {line: edits for line in LINES if only in (None, line)}
    if later is not None:
        by_line["7.3"] = later
    return Row(name, fix, breaks, tuple(needs.split()), detector, by_line, absent)


def null(name, what, *edits):
    return row("null-" + name, "-", what, "", "none: any difference is a false alarm", *edits)


ROWS = (
    # --- Who is picked, and when it is preempted ---
    row("no-wakeup-preemption", "-", "a woken task waits for the tick", "", "share of wakeups that preempt",
        always("check_preempt_wakeup_fair", "!sched_feat(WAKEUP_PREEMPTION))"),
        later=(always("wakeup_preempt_fair", "!sched_feat(WAKEUP_PREEMPTION))"),)),
    row("wakeup-always-preempts", "63304558ba5d", "each woken task preempts", "", "share of wakeups that preempt, slices",
        fair("check_preempt_wakeup_fair", "if (pick_eevdf(cfs_rq) == pse)",
             "if (BUG)\n\t\tcancel_protect_slice(se);\n\tif (BUG || pick_eevdf(cfs_rq) == pse)"),
        later=(always("wakeup_preempt_fair", "nse == pse)"),)),
    row("no-run-to-parity", "63304558ba5d", "a slice ends whenever another task has an earlier deadline", "", "involuntary switches",
        never("pick_eevdf", "sched_feat(RUN_TO_PARITY) && "),
        later=(never("pick_eevdf", "curr && protect && "),)),
    row("eligibility-ignored", "-", "the earliest deadline runs even if it has had more than its share", "", "order after wakeups, share",
        fair("pick_eevdf", "if (se && entity_eligible(cfs_rq, se))", "if (se && (BUG || entity_eligible(cfs_rq, se)))")),
    row("heap-search-misses-left", "b01db23d5923", "eligible tasks with earlier deadlines are passed over", "N", "longest wait",
        never("pick_eevdf", "left && vruntime")),
    row("order-by-vruntime", "-", "the queue is ordered by vruntime, as before EEVDF", "S", "wait after wakeup",
        fair("entity_before", "return (s64)(a->deadline - b->deadline) < 0;",
             "if (BUG)\n\t\treturn (s64)(a->vruntime - b->vruntime) < 0;\n\treturn (s64)(a->deadline - b->deadline) < 0;"),
        later=(fair("entity_before", "return vruntime_cmp(a->deadline,", "if (BUG)\n\t\treturn vruntime_cmp(a->vruntime, \"<\", b->vruntime);\n\treturn vruntime_cmp(a->deadline,"),)),
    row("next-buddy-on", "4f70f106bca1", "the last woken task runs next", "", "order after wakeups",
        fair("check_preempt_wakeup_fair", "if (sched_feat(NEXT_BUDDY) && ", "if ((BUG || sched_feat(NEXT_BUDDY)) && "),
        later=(fair("wakeup_preempt_fair", "if (sched_feat(NEXT_BUDDY) && ", "if ((BUG || sched_feat(NEXT_BUDDY)) && "),)),
    row("tick-one-late", "-", "a slice ends one tick late", "", "slice",
        fair("update_deadline", "if ((s64)(se->vruntime - se->deadline) < 0)",
             "if ((s64)(se->vruntime - se->deadline) < (BUG ? (s64)calc_delta_fair(TICK_NSEC, se) : 0))"),
        later=(fair("update_deadline", "if (vruntime_cmp(se->vruntime, \"<\", se->deadline))",
                    "if (vruntime_cmp(se->vruntime, \"<\", se->deadline + (BUG ? calc_delta_fair(TICK_NSEC, se) : 0)))"),
               fair("update_curr", "|| !protect_slice(curr)", "|| (!BUG && !protect_slice(curr))"))),
    row("tick-ignores-other-groups", "d4ac164bde7a", "a lone task of a group is preempted for nothing", "C", "switches",
        fair("update_curr", "if (cfs_rq->nr_running == 1)", "if ((BUG ? rq->nr_running : cfs_rq->nr_running) == 1)"), only=("6.12", ONE_QUEUE)),
    row("idle-task-keeps-its-slice", "f553741ac8c0", "a SCHED_IDLE task keeps its slice against a woken normal one", "I", "inversions, wait",
        omitted("check_preempt_wakeup_fair", "cancel_protect_slice(se);\n\t\tgoto", 3),
        later=(fair("wakeup_preempt_fair", "preempt:\n\tcancel_protect_slice(se);", "preempt:\n\tif (!(BUG && cse_is_idle && !pse_is_idle))\n\t\tcancel_protect_slice(se);"),)),
    row("idle-group-by-leaf", "faa42d29419d", "the policy of the leaf decides, not that of the group", "C I", "wait",
        fair("check_preempt_wakeup_fair", "find_matching_se(&se, &pse);",
             "if (BUG && task_has_idle_policy(curr) && !task_has_idle_policy(p))\n\t\tgoto preempt;\n\n\tfind_matching_se(&se, &pse);"), only=("6.12", "the policy of the leaf decides")),
    row("short-slice-does-not-preempt", "85e511df3cec", "a woken task with a shorter slice waits", "S", "wait after wakeup",
        always("do_preempt_short", "!sched_feat(PREEMPT_SHORT))"),
        later=(never("wakeup_preempt_fair", "sched_feat(PREEMPT_SHORT) && "),
               never("set_protect_slice", "sched_feat(PREEMPT_SHORT))"))),
    # --- Where a task is placed in virtual time ---
    row("lag-lost-at-sleep", "86bfbb7ce4f6", "a woken task starts without its lag", "H", "share, wait after wakeup",
        never("place_entity", "sched_feat(PLACE_LAG) && ")),
    row("lag-not-inflated", "86bfbb7ce4f6", "the lag evaporates with each placement", "H", "share error",
        fair("place_entity", "lag *= load + scale_load_down(se->load.weight);", "lag *= load + (BUG ? 0 : scale_load_down(se->load.weight));"),
        later=(omitted("place_entity", "lag += div64_long(lag * weight, load);", 3),)),
    row("lag-unbounded", "6e3c0a4e1ad1", "the lag has no limit", "H N", "longest wait",
        fair("entity_lag", "return clamp(vlag, -limit, limit);", "return BUG ? vlag : clamp(vlag, -limit, limit);")),
    row("deadline-lost-at-migration", "82e9d0456e06", "a moved task gets a new deadline", "A", "wait after migrations",
        never("place_entity", "sched_feat(PLACE_REL_DEADLINE) && ")),
    row("fork-full-deadline", "-", "a new task waits a whole slice", "F", "wait of new tasks",
        never("place_entity", "sched_feat(PLACE_DEADLINE_INITIAL) && ")),
    row("no-delayed-dequeue", "152e11f6df29", "a task sleeps off its debt at once", "H", "share of sleepers",
        never("", "sched_feat(DELAY_DEQUEUE) && ")),
    row("delayed-keeps-lag", "54a58a787791", "a task that competed while asleep keeps what it gained", "H", "share of sleepers",
        never("finish_delayed_dequeue_entity", "sched_feat(DELAY_ZERO) && "),
        never("requeue_delayed_entity", "sched_feat(DELAY_ZERO))"),
        later=(never("update_entity_lag", "sched_feat(DELAY_ZERO))"),)),
    row("average-not-floored", "650cad561cce", "the average vruntime is rounded to zero", "", "eligibility by a nanosecond",
        never("avg_vruntime", "runtime < 0)")),
    row("yield-moves-deadline-only", "79104becf42b", "a yielding task runs again at once", "Y", "longest wait after yields",
        fair("yield_task_fair", "if (entity_eligible(cfs_rq, se))",
             "if (BUG)\n\t\tse->deadline += calc_delta_fair(se->slice, se);\n\telse if (entity_eligible(cfs_rq, se))")),
    row("yield-always-forfeits", "79104becf42b", "the vruntime of a yielding task runs away", "Y", "longest wait after yields",
        always("yield_task_fair", "entity_eligible(cfs_rq, se))")),
    row("custom-slice-ignored", "857b158dc5e8", "slices of sched_setattr have no effect", "S", "slice, wait after wakeup",
        always("place_entity", "!se->custom_slice)"),
        always("update_deadline", "!se->custom_slice)")),
    row("slice-stale-at-placement", "2f2fc17bab00", "a task is placed with its old slice", "S", "slice",
        fair("place_entity", "!se->custom_slice)", "(!BUG && !se->custom_slice))")),
    # --- Weights ---
    row("weights-shifted", "-", "nice values get the weight of their neighbour", "N", "share against weight",
        Edit(CORE, "set_load_weight", "struct load_weight lw;", "struct load_weight lw;\n\n\tif (BUG && prio != 20 && prio < 39)\n\t\tprio++;")),
    row("renice-ignored", "-", "a changed nice value does not change the weight", "N", "share against weight",
        omitted("set_user_nice", "set_load_weight(p, true);", 2, SYSCALLS)),
    row("group-weight-stale", "-", "the weight of a group is that of its creation", "C", "share of groups",
        always("", "throttled_hierarchy(gcfs_rq))\n\t\treturn;\n\n#ifndef"),
        later=(always("update_cfs_group", "!gcfs_rq ||"),)),
    row("empty-group-keeps-no-weight", "66951e4860d3", "an empty group competes with the least weight", "C H", "share of groups",
        fair("update_cfs_group", "!gcfs_rq->load.weight)", "(!BUG && !gcfs_rq->load.weight))"),
        only=("6.12", "groups are not queued, so that the weight of an empty one changes an average alone")),
    row("reweight-keeps-vruntime", "eab03c23c2a1", "a new weight does not scale the lag", "C N", "share of groups",
        omitted("reweight_entity", "reweight_eevdf(se, avruntime, weight);", 3),
        later=(omitted("rescale_entity", "se->vlag = div64_long(", 2),)),
    row("reweight-after-dequeue", "afae8002b4fd", "the lag at a new weight is against the average without the task", "C", "share of groups",
        fair("reweight_entity", "__dequeue_entity(cfs_rq, se);", "__dequeue_entity(cfs_rq, se);\n\t\tif (BUG && !curr)\n\t\t\tavruntime = avg_vruntime(cfs_rq);"), only=("6.12", "groups are not queued, and a waiting task is weighed again only if its nice value changes")),
    row("min-slice-not-propagated", "563bc2161b94", "a group waits longer than its shortest slice allows", "C S", "wait after wakeup",
        never("enqueue_task_fair", "se != cfs_rq->curr)"),
        never("dequeue_entities", "se != cfs_rq->curr)"), only=("6.12", ONE_QUEUE)),
    row("slice-of-empty-group", "bbce3de72be5", "the slice of a group becomes infinite", "C H", "a crash, or starvation",
        fair("dequeue_entities", "slice = cfs_rq_min_slice(cfs_rq);\n\t\t\tbreak;", "if (!BUG)\n\t\t\t\tslice = cfs_rq_min_slice(cfs_rq);\n\t\t\tbreak;"), only=("6.12", ONE_QUEUE)),
    row("delayed-group-counted", "3429dd57f0de", "delayed groups count as runnable tasks", "C H", "imbalance",
        never("set_delayed", "!entity_is_task(se))"),
        never("clear_delayed", "!entity_is_task(se))"), only=("6.12", ONE_QUEUE)),
    # --- Quotas ---
    row("burst-in-microseconds", "49217ea147df", "a change of cpu.max shrinks the burst by 1000", "Q", "CPU per period",
        Edit(CORE, "cpu_max_write", "u64 burst = tg->cfs_bandwidth.burst;", "u64 burst = BUG ? tg_get_cfs_burst(tg) : tg->cfs_bandwidth.burst;"),
        later=(Edit(CORE, "cpu_max_write", "if (!ret)", "if (BUG)\n\t\tburst_us /= 1000;\n\tif (!ret)"),)),
    row("quota-half-charged", "-", "a quota lasts twice as long", "Q", "CPU per period",
        fair("__account_cfs_rq_runtime", "cfs_rq->runtime_remaining -= delta_exec;", "cfs_rq->runtime_remaining -= delta_exec >> BUG;")),
    row("unthrottle-skips-delayed", "9b5ce1a37e90", "a delayed group is not queued after its throttle", "Q H", "CPU per period, starvation",
        never("unthrottle_cfs_rq", "se->sched_delayed) {"), only=("6.12", "a throttle takes single tasks off the queue")),
    # --- Wakeups: which CPU ---
    row("wakeup-stays", "-", "a woken task stays on its CPU", "", "wakeup migrations, idle while others wait",
        fair("select_task_rq_fair", "record_wakee(p);", "record_wakee(p);\n\t\tif (BUG)\n\t\t\treturn prev_cpu;")),
    row("no-idle-cpu-found", "-", "the search for an idle CPU gives up", "H", "idle while others wait",
        always("select_idle_cpu", "nr == 1)")),
    row("idle-previous-cpu-left", "-", "a task leaves its idle CPU", "H", "wakeup migrations",
        never("select_idle_sibling", "prev != target && cpus")),
    row("sync-hint-lost", "-", "wakeups by a waker that will sleep spread", "", "wakeup migrations",
        fair("select_task_rq_fair", "int sync = (wake_flags & WF_SYNC)", "int sync = !BUG && (wake_flags & WF_SYNC)")),
    row("sync-wakeup-counts-delayed", "aa3ee4f0b754", "a delayed task keeps a wakee from its waker's CPU", "H", "wakeup migrations",
        fair("wake_affine_idle", "cfs_h_nr_delayed(rq)", "(BUG ? 0 : cfs_h_nr_delayed(rq))")),
    row("recent-cpu-not-allowed", "ae2ad293d6be", "the mask is tested with another CPU", "A", "migrations of pinned tasks",
        fair("select_idle_sibling", "cpumask_test_cpu(recent_used_cpu, p->cpus_ptr)", "cpumask_test_cpu(BUG ? p->recent_used_cpu : recent_used_cpu, p->cpus_ptr)")),
    row("kthread-stacking-in-interrupts", "8b4e74ccb582", "tasks woken by interrupts stack on a kworker's CPU", "H", "wakeup migrations",
        fair("select_idle_sibling", "in_task() &&", "(BUG || in_task()) &&")),
    row("idle-policy-cpu-not-idle", "3c29e651e16d", "CPUs that run SCHED_IDLE tasks alone are passed over", "I", "wait after wakeup",
        fair("select_idle_sibling", "(available_idle_cpu(target) || sched_idle_cpu(target))", "(available_idle_cpu(target) || (!BUG && sched_idle_cpu(target)))"),
        fair("__select_idle_cpu", "|| sched_idle_cpu(cpu))", "|| (!BUG && sched_idle_cpu(cpu)))"),
        later=(fair("choose_idle_cpu", "choose_sched_idle_rq(cpu_rq(cpu), p);", "(!BUG && choose_sched_idle_rq(cpu_rq(cpu), p));"),)),
    row("fork-stays", "-", "a new task starts on its parent's CPU", "F", "imbalance, wait of new tasks",
        never("select_task_rq_fair", "unlikely(sd)) {"),
        later=(never("select_task_rq_fair", "unlikely(sd))"),)),
    row("statistics-of-forbidden-cpus", "82d6e01a0699", "CPUs outside of the mask count as idle", "A F T", "idle while others wait",
        fair("update_sg_wakeup_stats", "for_each_cpu_and(i, sched_group_span(group), p->cpus_ptr)", "for_each_cpu_and(i, sched_group_span(group), BUG ? cpu_possible_mask : p->cpus_ptr)")),
    # --- Balancing ---
    row("no-newidle-balance", "-", "a CPU that becomes idle takes nothing", "H", "idle while others wait",
        always("sched_balance_newidle", "this_rq->ttwu_pending)")),
    row("no-periodic-balance", "-", "only idle CPUs take tasks", "", "imbalance",
        never("sched_balance_trigger", "time_after_eq(jiffies, rq->next_balance))")),
    row("no-nohz-kick", "-", "nobody balances for idle CPUs without a tick", "H", "idle over 2.5 ms while others wait",
        omitted("sched_balance_trigger", "nohz_balancer_kick(rq);", 2)),
    row("two-cpus-balance", "6d7e4782bcf5", "two CPUs of a group balance", "T", "migrations",
        fair("should_we_balance", "if (idle_smt != -1)", "if (idle_smt != -1 && !(BUG && idle_smt != env->dst_cpu))")),
    row("detach-loop-unbounded", "2feab2492deb", "balancing holds the lock while it walks pinned tasks", "A", "longest gap",
        fair("detach_tasks", "if (env->loop > env->loop_max)", "if (env->loop > env->loop_max && !(BUG && (env->flags & LBF_ALL_PINNED)))")),
    row("balance-ignores-mask", "-", "balancing moves tasks to CPUs that they may not use", "A", "runs outside of the mask",
        never("can_migrate_task", "!cpumask_test_cpu(env->dst_cpu, p->cpus_ptr))")),
    row("delayed-tasks-migrate", "61b82dfb6b7e", "sleeping tasks are moved in place of waiting ones", "H", "migrations of sleeping tasks",
        never("can_migrate_task", "(p->se.sched_delayed) && "), only=("7.3", "balancing does not ask whether a task sleeps")),
    row("affinity-change-does-not-move", "-", "a task runs on where it may no longer run", "A", "runs outside of the mask",
        always("affine_move_task", "cpumask_test_cpu(task_cpu(p), &p->cpus_mask)", CORE)),
    # --- Real time and deadline ---
    row("no-fair-server", "-", "real-time tasks starve fair ones", "RT", "starvation over 1 s",
        always("dl_server_start", "!dl_se->dl_runtime ||", DL),
        always("dl_server_stop", "!dl_se->dl_runtime)", DL),
        later=(always("dl_server_start", "!dl_server(dl_se) ||", DL),)),
    row("fair-server-stuck", "115135422562", "the fair server does not start a second time", "RT", "starvation over 1 s",
        omitted("update_dl_entity", "dl_se->dl_defer_running = 0;", 3, DL)),
    row("rr-never-rotates", "-", "SCHED_RR is SCHED_FIFO", "RT", "starvation, slice",
        always("task_tick_rt", "--p->rt.time_slice)", RT)),
    row("rr-slice-doubled", "-", "slices of SCHED_RR are twice as long", "RT", "slice",
        Edit(RT, "task_tick_rt", "p->rt.time_slice = sched_rr_timeslice;", "p->rt.time_slice = sched_rr_timeslice << BUG;")),
    row("rt-no-push", "-", "a waiting real-time task is not pushed to another CPU", "RT", "wait of real-time tasks",
        never("task_woken_rt", "need_to_push)", RT)),
    row("rt-no-pull", "-", "a CPU does not pull waiting real-time tasks", "RT", "inversions, wait of real-time tasks",
        Edit(RT, "need_pull_rt_task", "return rq->online && ", "return !BUG && rq->online && ")),
    row("rt-wakeup-stays", "-", "a woken real-time task waits behind another one", "RT", "wait of real-time tasks",
        always("select_task_rq_rt", "!(flags & (WF_TTWU | WF_FORK)))", RT)),
    row("rt-yield-keeps-place", "-", "a yielding real-time task stays first", "RT Y", "longest wait after yields",
        omitted("yield_task_rt", "requeue_task_rt(", 2, RT)),
    row("deadline-runtime-not-enforced", "-", "a deadline task runs past its budget", "DL", "CPU per period",
        Edit(DL, "dl_runtime_exceeded", "return (dl_se->runtime <= 0);", "return !(BUG && !dl_server(dl_se)) && dl_se->runtime <= 0;")),
    row("deadline-budget-doubled", "-", "a deadline task gets twice its budget", "DL", "CPU per period",
        Edit(DL, "replenish_dl_entity", "dl_se->runtime += pi_of(dl_se)->dl_runtime;", "dl_se->runtime += pi_of(dl_se)->dl_runtime << (BUG && !dl_server(dl_se));")),
    row("deadline-wakeup-does-not-preempt", "-", "an earlier deadline waits", "DL", "wait of deadline tasks",
        never("wakeup_preempt_dl", "dl_entity_preempt(&p->dl", DL)),
    row("forced-wakeup-preemption", "15257cc2f905", "each wakeup with a shorter slice ends the slice", "S", "preemptions, slice",
        fair("wakeup_preempt_fair", "if (preempt_action == PREEMPT_WAKEUP_SHORT && entity_eligible(cfs_rq, pse))", "if (preempt_action == PREEMPT_WAKEUP_SHORT && (BUG || entity_eligible(cfs_rq, pse)))"), only=("7.3", "a shorter slice does not force a switch")),
    row("ineligible-wakees-move", "-", "balancing moves tasks that could not run there", "H", "migrations",
        never("can_migrate_task", "!env->sd->nr_balance_failed &&"), only=("7.3", "balancing does not ask whether a task could run there")),
    # --- What the trace says ---
    row("switch-state-stale", "8feb053d5319", "a task that goes on running is traced as asleep", "P", "switched out asleep, in again without a wakeup",
        Edit(CORE, "__schedule", "try_to_block_task(rq, prev, &prev_state)",
             "({ unsigned long copy = prev_state; try_to_block_task(rq, prev, BUG ? &copy : &prev_state); })"),
        later=(Edit(CORE, "__schedule", "try_to_block_task(rq, prev, &prev_state,",
                    "unsigned long copy = prev_state;\n\n\t\ttry_to_block_task(rq, prev, BUG ? &copy : &prev_state,"),)),
    # --- Null changes: the same decisions, some instructions more ---
    null("number", "another number in the data", Edit(CORE, "__schedule", "rq_lock(rq, &rf);", "rq_lock(rq, &rf);")),
    null("switch-1", "one step at each switch", steps_before(CORE, "__schedule", "next = pick_next_task(rq, &rf);", 1)),
    null("pick-8", "8 steps at each pick", steps_after(FAIR, "pick_eevdf", "struct sched_entity *best = NULL;", 8)),
    null("wakeup-16", "16 steps at each wakeup", steps_before(CORE, "ttwu_do_wakeup", "WRITE_ONCE(", 16)),
    null("placement-32", "32 steps at each placement", steps_after(FAIR, "place_entity", "s64 lag = 0;", 32)),
    null("tick-64", "64 steps at each tick", steps_before(CORE, "sched_tick", "sched_clock_tick();", 64)),
    null("switch-64", "64 steps at each switch", steps_before(CORE, "__schedule", "rq_lock(rq, &rf);", 64)),
    null("search-128", "128 steps at each search for a CPU", steps_before(FAIR, "select_task_rq_fair", "lockdep_assert_held(&p->pi_lock);", 128)),
    null("balance-512", "512 steps at each balancing", steps_before(FAIR, "sched_balance_rq", "cpumask_and(cpus, sched_domain_span(sd), cpu_active_mask);", 512)),
    null("fork-1024", "1024 steps at each fork", steps_after(CORE, "wake_up_new_task", "int wake_flags = WF_FORK;", 1024)),
    row("latest-deadline", "-", "the latest deadline of the eligible runs", "", "wait after wakeup",
        fair("entity_before", "return (s64)(a->deadline - b->deadline) < 0;",
             "if (BUG)\n\t\treturn (s64)(a->deadline - b->deadline) > 0;\n\treturn (s64)(a->deadline - b->deadline) < 0;"),
        later=(fair("entity_before", "return vruntime_cmp(a->deadline,", "if (BUG)\n\t\treturn vruntime_cmp(b->deadline, \"<\", a->deadline);\n\treturn vruntime_cmp(a->deadline,"),)),
    row("deadline-not-renewed", "-", "a task that has used its slice keeps its deadline", "", "slice",
        omitted("update_deadline", "se->deadline = se->vruntime + calc_delta_fair(se->slice, se);", 1)),
)

# Blind rows. First, fixes of 2025 and 2026 that 7.3.4 has, taken out again. Hashes of after 2026-03 are from changelogs and lists:
# look at each upstream patch before you believe a row. distribution-without-clock should be invisible, and
# wait-of-migrations-twice shows in statistics alone: they are controls.
FIXES_2026_11 = (
    row("max-slice-of-the-past", "9a8bc9bb4c3f", "a queued task keeps the largest slice that was below it in the tree before", "S H", "lag beyond the largest slice",
        omitted("__enqueue_entity", "se->max_slice = se->slice;", 1), only=("7.3", "no largest slice is kept")),
    row("change-protects-again", "bcd74b2ffdd0", "a change of the running task (nice, group, affinity) protects its slice anew", "N A", "protected",
        fair("set_next_task_fair", "if (first)\n\t\t\tset_protect_slice(cfs_rq, se);", "if (BUG || first)\n\t\t\tset_protect_slice(cfs_rq, se);"),
        only=("7.3", "6.12.117 has the bug as delivered")),
    row("fork-has-relative-deadline", "3da56dc063cd", "a child of a task that left the fair class by a change has a deadline of long ago", "F RT", "deadline_placed of new tasks",
        omitted("__sched_fork", "p->se.rel_deadline\t\t= 0;", 1, CORE)),
    row("sleeper-falls-into-debt", "059258b0d424", "the debt of a delayed task grows while it sleeps", "H F", "lag_asleep, wait after wakeup",
        omitted("update_entity_lag", "vlag = max(vlag, se->vlag);", 2), only=("7.3", "6.12.117 has the bug as delivered")),
    row("idle-wakee-joins-idle", "fd54d81c2c0e", "a SCHED_IDLE task is placed beside SCHED_IDLE tasks while another CPU is idle", "I H", "woken_on_idle",
        fair("choose_sched_idle_rq", "!task_has_idle_policy(p)", "(BUG || !task_has_idle_policy(p))"), only=("7.3", "6.12.117 has it as delivered")),
    row("idle-time-of-eternity", "c6dcd97c8be7", "the average idle time of a CPU is that since boot", "H", "pulls, wakeup search",
        Edit(CORE, "update_rq_avg_idle", "if (!idle_stamp)", "if (!BUG && !idle_stamp)"), only=("7.3", "wakeups alone update it")),
    row("distribution-without-clock", "b038383526d8", "the clock is not updated before quota is handed out (masked by 28ad5427682b: expected to be invisible)", "Q", "none expected",
        fair("distribute_cfs_runtime", "if (cfs_rq->h_curr)", "if (BUG ? cfs_rq->curr : cfs_rq->h_curr)"), only=("7.3", "no such update")),
    row("quota-starts-empty", "956dfda6a708", "a new quota starts with nothing: a task is throttled while its parent is unthrottled", "Q", "kernel warning, throttled time",
        Edit(CORE, "tg_set_cfs_bandwidth", "cfs_rq->runtime_remaining = 1;", "cfs_rq->runtime_remaining = !BUG;"), only=("7.3", "6.12 throttles by groups and starts at 0")),
    row("server-wakes-by-old-rule", "1842bf97af10", "the deferred fair server wakes up with what is left of its budget", "RT", "fair_deferred, fair_served",
        Edit(DL, "update_dl_entity", "(dl_se->dl_defer && dl_se->dl_defer_running))", "(dl_se->dl_defer && (BUG || dl_se->dl_defer_running)))")),
    row("server-never-idles", "f5a538c07df2", "idle time pushes the fair server forward for ever", "RT", "fair_deferred",
        never("dl_server_timer", "dl_se->dl_defer_idle)", DL), only=("7.3", "no such state")),
    row("server-charged-late", "e636ffb9e31b", "what has run is not charged before the fair server starts or its timer fires", "RT", "fair_deferred, budget",
        Edit(DL, "dl_server_start", "rq->donor->sched_class->update_curr(rq);", "if (!BUG)\n\t\trq->donor->sched_class->update_curr(rq);"),
        Edit(DL, "dl_server_timer", "rq->donor->sched_class->update_curr(rq);", "if (!BUG)\n\t\t\trq->donor->sched_class->update_curr(rq);"), only=("7.3", "6.12 charges idle time otherwise")),
    row("deboosted-without-budget", "d658686a1331", "a deadline task that holds a lock of a deadline task and changes its policy loses the boost", "DL", "kernel warning, budget_kept",
        Edit(SYSCALLS, "__sched_setscheduler", "if (dl_prio(newprio) && !dl_policy(policy))", "if (!BUG && dl_prio(newprio) && !dl_policy(policy))"),
        later=(omitted("__sched_setscheduler", "__setscheduler_dl_pi(newprio, policy, p, scope);", 3, SYSCALLS),)),
    row("pushes-the-unmovable", "dae5c0292080", "the first pushable real-time task is tried though it must not migrate", "RT", "wait of real-time tasks (PREEMPT_RT)",
        Edit(RT, "pick_next_pushable_task", "!task_on_cpu(rq, i) && !is_migration_disabled(i)", "!task_on_cpu(rq, i) && (BUG || !is_migration_disabled(i))"), only=("7.3", "6.12.117 has the bug as delivered")),
    row("frozen-scan-period", "e81ee0630837", "after one failed migration a task's memory is scanned ever more slowly", "T", "NUMA faults, migrations between nodes",
        fair("update_task_scan_period", "goto out;", "if (BUG)\n\t\t\treturn;\n\t\tgoto out;")),
    row("inactive-waits-a-tick", "b7ca5743a260", "who waits for a task to be inactive (ptrace, new kernel threads) sleeps a tick for each delayed one", "H", "sleeps of a tick of the tracer",
        Edit(CORE, "wait_task_inactive", "if (p->se.sched_delayed)", "if (!BUG && p->se.sched_delayed)")),
    row("wait-of-migrations-twice", "c0e1832ba6da", "waits of real-time tasks in schedstat count the time since boot", "RT A", "schedstat only: no decision",
        Edit(RT, "update_stats_dequeue_rt", "if (p != rq->curr)", "if (!BUG && p != rq->curr)"), only=("7.3", "6.12.117 has the bug as delivered")),
    row("ext-wait-counts-elsewhere", "- (7.3.4: 'sched_ext: Reset runnable_at when a task leaves its scheduler')", "the watchdog of sched_ext counts the time that a task spends in another class", "RT", "ejection of a healthy scheduler",
        Edit(EXT, "scx_disable_task", "p->scx.flags |= SCX_TASK_RESET_RUNNABLE_AT;", "if (!BUG)\n\t\tp->scx.flags |= SCX_TASK_RESET_RUNNABLE_AT;"), only=("7.3", "no sched_ext in Debian's 6.12")),
    row("ilb-gives-up-on-resched", "ea9cffc0a154", "the CPU that is to balance for idle ones gives up because the kick itself set need_resched", "H A", "idle while a task waits",
        Edit(CORE, "nohz_csd_func", "if (rq->idle_balance) {", "if (rq->idle_balance && !(BUG && need_resched())) {")),
    row("ilb-wakes-ksoftirqd", "e932c4ab38f0", "ksoftirqd is woken for each balancing of idle CPUs: a wakeup, two switches and a busy CPU", "H A", "wakeups and picks of ksoftirqd",
        Edit(CORE, "nohz_csd_func", "__raise_softirq_irqoff(SCHED_SOFTIRQ);", "if (BUG)\n\t\t\traise_softirq_irqoff(SCHED_SOFTIRQ);\n\t\telse\n\t\t\t__raise_softirq_irqoff(SCHED_SOFTIRQ);")),
    row("tick-stops-beside-waiting", "c1f43c342e1f", "the tick stops on a nohz_full CPU while tasks of a group wait", "C", "longest run (nohz_full=, two groups' tasks of one group)",
        Edit(CORE, "sched_can_stop_tick", "if (rq->cfs.h_nr_queued > 1)", "if ((BUG ? rq->cfs.nr_running : rq->cfs.h_nr_queued) > 1)"),
        later=(Edit(CORE, "sched_can_stop_tick", "if (rq->cfs.h_nr_queued > 1)", "if ((BUG ? rq->cfs.nr_queued : rq->cfs.h_nr_queued) > 1)"),)),
    row("hrtick-without-weight", "558c18d3fbb6", "the high-resolution tick of a task of other weight comes too early or too late", "N", "length of runs at the end of a slice",
        fair("hrtick_start_fair", "delta = (se->h_load.weight * vdelta) / NICE_0_LOAD;", "delta = BUG ? vdelta : (se->h_load.weight * vdelta) / NICE_0_LOAD;"), only=("7.3", "HRTICK is off")),
    row("lag-of-old-time", "68e37487810a", "the lag of a task that leaves the queue is that of a stale average", "H A", "lag at dequeue, lag_asleep",
        omitted("__dequeue_task", "update_curr_eevdf(cfs_rq);", 1), only=("7.3", "dequeue_entity updates each level")),
)


def mutant(entry):
    """A row of mutants.json. Its code is that of one version of the kernel."""
    edit = Edit(entry["file"], entry["function"], entry["old"], entry["new"])
    return row(entry["name"], "-", entry["breaks"], entry["needs"], "any rule", edit, only=("7.3", "mutants are made from the text of 7.3"))


MUTANTS = tuple(mutant(entry) for entry in json.loads(Path(__file__).with_name("mutants.json").read_text(encoding="utf-8")))
ROWS += tuple(replace(each, is_blind=True) for each in FIXES_2026_11 + MUTANTS)
