#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes mechanical mutants of the scheduler as rows of corpus.py: mutants.json, on standard output.

mutants.py TREE [--seed 1] [--count 100]

TREE is a tree of 7.3 that build_kernel.py has configured; its pristine texts are read. Functions are taken in turn, in random
order. For each one an operator is drawn, then a place. The same text and seed give the same mutants. Left out are places that the
configuration does not compile, that have to do with locks, statistics, checks or lists, and lines that another row edits.
"""
import argparse
import json
import random
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import build_kernel
import corpus

LINE = "7.3"
# Functions that decide, by subject; a subject's needs choose the workloads (corpus.FIRST).
SUBJECTS = {
    "": "pick_eevdf entity_before entity_eligible vruntime_eligible set_protect_slice update_protect_slice update_deadline update_curr update_se "
        "set_next_task_fair put_prev_task_fair pick_task_fair task_tick_fair wakeup_preempt_fair preempt_sync hrtick_start_fair calc_delta_fair __resched_curr "
        "wakeup_preempt try_to_wake_up ttwu_runnable ttwu_do_activate ttwu_queue_cond",
    "H": "place_entity avg_vruntime update_zero_vruntime entity_lag update_entity_lag enqueue_task_fair dequeue_task_fair __dequeue_task enqueue_entity "
         "dequeue_entity set_delayed clear_delayed requeue_delayed_entity cfs_rq_max_slice __min_vruntime_update select_task_rq_fair select_idle_sibling "
         "select_idle_cpu __select_idle_cpu select_idle_core select_idle_smt wake_affine wake_affine_idle wake_affine_weight wake_wide record_wakee "
         "choose_idle_cpu update_rq_avg_idle sched_balance_newidle update_newidle_cost find_new_ilb kick_ilb nohz_balancer_kick nohz_csd_func _nohz_idle_balance "
         "nohz_balance_enter_idle update_idle_cpu_scan",
    "H A": "can_migrate_task detach_tasks detach_one_task task_hot sched_balance_find_src_group sched_balance_find_src_rq calculate_imbalance "
           "update_sd_pick_busiest update_sg_lb_stats update_sd_lb_stats group_has_capacity group_is_overloaded group_classify should_we_balance "
           "need_active_balance sched_balance_rq sched_balance_domains get_sd_balance_interval update_cpu_capacity __active_load_balance_cpu_stop",
    "F": "sched_balance_find_dst_group sched_balance_find_dst_group_cpu sched_balance_find_dst_cpu update_sg_wakeup_stats update_pick_idlest __sched_fork "
         "sched_cgroup_fork wake_up_new_task post_init_entity_util_avg",
    "C": "update_cfs_group calc_tasks_shares calc_max_shares calc_concur_shares __calc_smp_shares __calc_prop_weight tg_tasks enqueue_hierarchy "
         "dequeue_hierarchy update_tg_load_avg update_tg_cfs_load propagate_entity_load_avg update_cfs_rq_load_avg attach_entity_load_avg detach_entity_load_avg "
         "update_load_avg task_change_group_fair sched_move_task update_cfs_rq_h_load",
    "N": "rescale_entity reweight_eevdf reweight_entity reweight_task_fair set_load_weight set_user_nice prio_changed_fair",
    "Q": "throttle_cfs_rq unthrottle_cfs_rq tg_throttle_down tg_unthrottle_up enqueue_throttled_task dequeue_throttled_task throttle_cfs_rq_work "
         "__refill_cfs_bandwidth_runtime __assign_cfs_rq_runtime __account_cfs_rq_runtime distribute_cfs_runtime do_sched_cfs_period_timer "
         "runtime_refresh_within start_cfs_slack_bandwidth __return_cfs_rq_runtime do_sched_cfs_slack_timer check_enqueue_throttle sched_cfs_period_timer "
         "tg_set_cfs_bandwidth",
    "Y": "yield_task_fair do_sched_yield",
    "A": "affine_move_task __set_cpus_allowed_ptr_locked migration_cpu_stop is_cpu_allowed select_task_rq select_fallback_rq __sched_setaffinity",
    "RT": "update_curr_rt need_pull_rt_task inc_rt_prio dec_rt_prio __enqueue_rt_entity requeue_rt_entity requeue_task_rt select_task_rq_rt "
          "check_preempt_equal_prio wakeup_preempt_rt find_lowest_rq find_lock_lowest_rq pick_highest_pushable_task pick_next_pushable_task push_rt_task "
          "pull_rt_task task_woken_rt switched_to_rt prio_changed_rt task_tick_rt __sched_setscheduler dl_server_timer dl_server_start dl_server_stop "
          "dl_server_update_idle",
    "DL": "replenish_dl_new_period setup_new_dl_entity replenish_dl_entity dl_entity_overflow update_dl_entity start_dl_timer dl_task_timer "
          "dl_check_constrained_dl update_curr_dl_se enqueue_dl_entity enqueue_task_dl wakeup_preempt_dl select_task_rq_dl push_dl_task pull_dl_task "
          "task_woken_dl yield_task_dl find_later_rq",
}
FILES = (corpus.FAIR, corpus.CORE, corpus.RT, corpus.DL, corpus.SYSCALLS)
LEFT_OUT = re.compile(r"(?<![bc])lock|WARN|BUG|trace_|schedstat|stats_|_stat\b|printk|preempt_(en|dis)able|irq|rcu|barrier|refcount|smp_|list_|rb_|"
                      r"numa|NUMA|node\b|uclamp|psi_|cookie|sched_core|energy|asym|llc|scx|cpuset|get_task|put_task|nr_cpu_ids|NULL|IS_ERR|\bret\b|#")
NO_NUMBER = re.compile(r"cpu$|prio|flags|state|policy|on_rq|type$")  # a number that is an index or a name
RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COUNT, AMOUNT = "unsigned int|int|u32", "unsigned long|long|u64|s64"  # off by one; half and double


def closing(text, at):
    """The offset after the bracket that closes the one at AT."""
    depth = 0
    for here in range(at, len(text)):
        depth += (text[here] == "(") - (text[here] == ")")
        if not depth:
            return here + 1
    raise ValueError("no end of a bracket")


def names_of(body, kind):
    """Local variables of these types."""
    declared = re.findall(rf"^\t+(?:{kind})\s+([^;]*);", body, re.M)
    return {name for text in declared for name in re.findall(r"(\w+)(?:\s*=[^,]*)?(?:,|$)", text)}


def places(text, begin, end, fields):
    """(operator, begin, end, new text) of each possible mutant of a function's body, which is text[begin:end]."""
    def either(mutated, original):
        return f"(BUG ? ({mutated}) : ({original}))"

    body = re.sub(r"/\*.*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment[0]), text[begin:end], flags=re.S)
    counts, amounts = (names_of(body, kind) | fields[kind] for kind in (COUNT, AMOUNT))
    for match in re.finditer(r"\b(if|return) ", body):
        at = match.end()
        stop = closing(body, at) if match[1] == "if" else body.index(";", at)
        span, inside = (begin + at, begin + stop), body[at:stop]
        if match[1] == "if" and re.search(r"[a-z]", inside):
            yield "negated condition", *span, f"(BUG == !{inside})"
        for found in re.finditer(r'(?<= )(<|<=|>|>=|==|!=)(?= )|(?<=")(<|<=|>|>=)(?=")', inside):
            yield "relational operator", *span, either(inside[:found.start()] + RELATIONS[found[0]] + inside[found.end():], inside)
        for found in re.finditer(r"(?<=[<>=+-] )\d+\b", inside):
            yield "off by one", *span, either(f"{inside[:found.start()]}{int(found[0]) + 1}{inside[found.end():]}", inside)
    for match in re.finditer(r"^\t+((?:[\w>\-.\[\]]+) [-+]?= [^;{}]*;|\w+(?:->\w+)*\([^;{}]*\);|goto \w+;|continue;)$", body, re.M):
        variable = re.match(r"(\w+) = ", match[1])
        if not variable or re.search(rf"\b{variable[1]} = ", body[:match.start()]):  # else it would have no value
            yield "dropped statement", begin + match.start(1), begin + match.end(1), f"{{ if (!BUG) {match[1]} }}"
    for match in re.finditer(r"^\t+(?:[\w.>\-]*[.>])?(\w+) [-+]?= ([^;{}]*);$", body, re.M):
        span = (begin + match.start(2), begin + match.end(2))
        if NO_NUMBER.search(match[1]) or re.match(r"-E|0$", match[2]):
            continue
        if match[1] in counts:
            yield "off by one", *span, either(f"({match[2]}) + 1", match[2])
        elif match[1] in amounts:
            yield "half", *span, either(f"({match[2]}) / 2", match[2])
            yield "double", *span, either(f"({match[2]}) * 2", match[2])
    for match in re.finditer(r"\b(min|max)(_t|3)?(?=\()", body):
        stop = closing(body, match.end())
        call, other = body[match.start():stop], {"min": "max", "max": "min"}[match[1]]
        yield "min and max", begin + match.start(), begin + stop, either(other + call[3:], call)


def compiled(text, config):
    """For each line, whether the configuration compiles it. An #if of anything but one option is not."""
    states, lines = [], []
    for line in text.splitlines():
        word = re.match(r"#\s*(ifdef|ifndef|if|else|elif|endif)\b\s*(\w*)", line)
        if word and word[1].startswith("if"):
            states.append({"ifdef": word[2] in config, "ifndef": word[2] not in config}.get(word[1]))
        elif word and word[1] == "endif":
            states.pop()
        elif word:
            states[-1] = None if states[-1] is None else not states[-1]
        lines.append(not word and all(states))
    return lines


def lines_of(text, begin, end):
    return range(text.count("\n", 0, begin), text.count("\n", 0, end) + 1)


def unique(text, function, begin, end):
    """The place with as many lines before it as make it unique in the function: (begin, end)."""
    low, high = build_kernel.function_span(text, function)
    begin = text.rindex("\n", 0, begin) + 1
    while text.count(text[begin:end], low, high) > 1:
        begin = text.rindex("\n", 0, begin - 1) + 1
    return begin, end


def place_of(texts, function):
    for path, text in texts.items():
        try:
            return path, *build_kernel.function_span(text, function)
        except build_kernel.CorpusError:
            continue
    raise build_kernel.CorpusError(f"no definition of {function}")


def candidates(texts, tree, config):
    """{function: {operator: [(file, begin, end, new)]}}, in the order of SUBJECTS."""
    headers = "".join((tree / path).read_text(encoding="utf-8") for path in ("include/linux/sched.h", corpus.FAIR.replace("fair.c", "sched.h")))
    fields = {kind: set(re.findall(rf"^\t+(?:{kind})\s+(\w+);", headers, re.M)) for kind in (COUNT, AMOUNT)}
    active = {path: compiled(text, config) for path, text in texts.items()}
    found = {}
    for function in " ".join(SUBJECTS.values()).split():
        path, low, high = place_of(texts, function)
        text = texts[path]
        for operator, begin, end, new in places(text, text.index("\n{\n", low) + 2, high, fields):
            whole = text[text.rindex("\n", 0, begin):text.index("\n", end)]
            if not LEFT_OUT.search(whole) and all(active[path][line] for line in lines_of(text, begin, end)):
                found.setdefault(function, {}).setdefault(operator, []).append((path, begin, end, new))
    return found


def taken_lines(texts, rows):
    """{(file, line)} that rows edit."""
    taken = set()
    for row in rows:
        for edit in row.edits.get(LINE, ()):
            if edit.file in texts:
                at = texts[edit.file].find(edit.old, build_kernel.function_span(texts[edit.file], edit.function)[0])
                taken |= {(edit.file, line) for line in lines_of(texts[edit.file], at, at + len(edit.old))} if at >= 0 else set()
    return taken


def make(tree, seed, count):
    config = set(re.findall(r"^(CONFIG_\w+)=y", (tree / ".config").read_text(encoding="utf-8"), re.M))
    texts = {path: build_kernel.pristine(tree, path) for path in FILES}
    needs = {function: need for need, names in SUBJECTS.items() for function in names.split()}
    others = [row for row in corpus.ROWS if not row.is_mutant]
    found, taken, rows, chance = candidates(texts, tree, config), taken_lines(texts, others), [], random.Random(seed)
    edited, _ = build_kernel.edited_files(tree, LINE, others)
    turn = []
    while len(rows) < count:
        turn = turn or chance.sample(sorted(found), len(found))
        function = turn.pop()
        operator = chance.choice(sorted(found[function]))
        path, begin, end, new = chance.choice(found[function][operator])
        text = texts[path]
        first, end = unique(text, function, begin, end)
        lines = {(path, line) for line in lines_of(text, first, end)}
        edit = corpus.Edit(path, function, text[first:end], text[first:begin] + new)
        if lines & taken:
            continue
        try:
            edited[path] = build_kernel.apply_edit(edited.get(path, text), edit, 1)
        except build_kernel.CorpusError:
            continue
        taken |= lines
        shown = " ".join(text[begin:end].split())
        rows.append({"name": f"mutant-{len(rows) + 1:03}", "breaks": f"{operator} in {function}: {shown[:60] + '…' * (len(shown) > 60)}", "needs": needs[function],
                     "file": path, "function": function, "old": edit.old, "new": edit.new})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    print(json.dumps(make(options.tree, options.seed, options.count), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
