#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recomputes the decisions of a trace with keys from trace-cmd's text of it, and compares them with those of picknext why.

Usage: reference_rules.py PICKNEXT TRACE...     exit code 1 if a decision differs; prints counts of each trace

Shares no code with src/rules. Virtual times are exact fractions. A level of a decision is compared where this script, too,
finds that the sums of the queue are those of its candidates; each candidate by weight, lag, deadline - V and eligibility, the
choice, and the verdict. Decisions of both are matched by the CPU and the time of the switch, or of the wakeup's test."""
import collections
import fractions
import functools
import itertools
import json
import re
import subprocess
import sys

LINE = re.compile(r"^ *(?P<task>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +(?:\S+ +)?(?P<s>\d+)\.(?P<ns>\d{9}): +(?P<event>\w+): +(?P<rest>.*)$")
FIELD = re.compile(r"(\w+)=(\S+)")
SWITCH = re.compile(r":(-?\d+) \[(-?\d+)\] (\S+) ==> .*:(-?\d+) \[(-?\d+)\]$")
TWO_64 = 1 << 64
NICE_0 = 1 << 20

Event = collections.namedtuple("Event", "ns cpu name fields text")


def number(text):
    return int(text, 16) if text.startswith("0x") else int(text)


def read_events(path):
    text = subprocess.run(["trace-cmd", "report", "-t", path], check=True, capture_output=True).stdout
    for line in text.decode("utf-8", "replace").splitlines():
        match = LINE.match(line)
        if not match:
            continue
        rest = match["rest"]
        is_key = match["event"].startswith("keys_")
        fields = {name: number(value) for name, value in FIELD.findall(rest)} if is_key else {}
        yield Event(int(match["s"]) * 10**9 + int(match["ns"]), int(match["cpu"]), match["event"], fields, rest)


def signed(value):
    value %= TWO_64
    return value - TWO_64 if value >= TWO_64 >> 1 else value


class Kernel:
    """What the scheduler has, by the fields and the mark."""

    def __init__(self, events):
        picks = [e.fields for e in events if e.name == "keys_pick"]
        switches = [e.fields for e in events if e.name == "keys_switch"]
        pick = picks[0] if picks else {}
        switch = switches[0] if switches else {}
        self.eevdf = "prev_deadline" in switch
        self.groups = "next_cfs" in switch
        self.vprot = "curr_vprot" in pick
        self.shift = "sum_shift" in pick
        self.se = switch.get("se_offset", 0)
        self.features = {}
        self.granularity = 0
        for event in events:
            if event.name == "print" and "picknext keys: " in event.text:
                given = dict(word.split("=", 1) for word in event.text.split("picknext keys: ")[1].split())
                self.granularity = int(given["wakeup_granularity_ns"])
                for word in given["features"].split(","):
                    self.features[word.removeprefix("NO_")] = not word.startswith("NO_")

    def has(self, feature, otherwise):
        return self.features.get(feature, otherwise)

    def sum_weight(self, weight, shift):
        if not self.shift:
            return max(2, weight >> 10) if weight else 0
        return max(2, weight >> shift) if shift else weight


class Level:
    """Candidates of one pick: {id: {"v", "w", "d", "delayed"}}."""

    def __init__(self, kernel, event, candidates):
        self.kernel, self.at, self.fields = kernel, event, event.fields
        self.cands = candidates
        self.running = event.fields["curr"] if event.fields["curr"] and event.fields["curr_on_rq"] else None
        self.shift = event.fields.get("sum_shift", 0)

    def rest(self):
        """How the sums of the queue differ from those of the candidates."""
        f, k = self.fields, self.kernel
        waiting = {i: c for i, c in self.cands.items() if i != self.running}
        if k.eevdf:
            weights = {i: k.sum_weight(c["w"], self.shift) for i, c in waiting.items()}
            keyed = sum(signed(c["v"] - f["zero_vruntime"]) * weights[i] for i, c in waiting.items())
            return (sum(weights.values()) - f["avg_load"], (keyed - f["avg_vruntime"]) % TWO_64, len(self.cands) - f["nr"])
        return (sum(c["w"] for c in self.cands.values()) - f["load"], 0, len(self.cands) - f["nr"])

    def prove(self):
        """The delayed sleepers that have left, or None if the candidates cannot be those of the queue."""
        if self.rest() == (0, 0, 0):
            return []
        delayed = [i for i, c in self.cands.items() if c["delayed"] and i != self.running]
        for count in range(1, min(len(delayed), 3) + 1):
            for left in itertools.combinations(delayed, count):
                kept, self.cands = self.cands, {i: c for i, c in self.cands.items() if i not in left}
                if self.rest() == (0, 0, 0):
                    return left
                self.cands = kept
        return None

    def distance(self, time):
        """V - time, exactly."""
        total, keyed, base = self.average()
        return fractions.Fraction(keyed, total or 1) + signed(base - time)

    @functools.lru_cache(maxsize=1)
    def average(self):
        """Sum of the weights, and of weight * (vruntime - base); of a proven level."""
        base = next(iter(self.cands.values()))["v"] if self.cands else 0
        weights = {i: self.kernel.sum_weight(c["w"], self.shift) for i, c in self.cands.items()}
        return sum(weights.values()), sum(weights[i] * signed(c["v"] - base) for i, c in self.cands.items()), base

    def eligible(self, i):
        return i in self.cands and self.distance(self.cands[i]["v"]) >= 0

    def choices(self):
        """Those of which the rule picks one: several if their keys are equal."""
        if len(self.cands) < 2:
            return set(self.cands)
        return self.choices_eevdf() if self.kernel.eevdf else self.choices_cfs()

    def is_protected(self):
        f = self.fields
        if self.kernel.vprot:
            return signed(f["curr_vruntime"] - f["curr_vprot"]) < 0
        return self.kernel.has("RUN_TO_PARITY", True) and f["curr_vlag"] % TWO_64 == f["curr_deadline"]

    def choices_eevdf(self):
        f, k = self.fields, self.kernel
        tests_only = "protect" in f and not f["protect"]
        if "protect" in f and k.has("PICK_BUDDY", True) and not tests_only and self.eligible(f.get("next_buddy")):
            return {f["next_buddy"]}
        if not tests_only and self.eligible(self.running) and self.is_protected():
            return {self.running}
        able = [i for i in self.cands if self.eligible(i)]
        first = min(able, key=lambda i: signed(self.cands[i]["d"] - self.cands[able[0]]["d"]), default=None)
        same = {i for i in able if self.cands[i]["d"] == self.cands[first]["d"]}
        return same - {self.running} or same  # of equal deadlines the waiting one

    def choices_for(self, woken):
        """Those of a wakeup's test: where slices are not protected from the woken one, whose slice is shorter, it becomes the next
        buddy of a flat queue if it is eligible."""
        f = self.fields
        is_short = not self.kernel.groups and not f.get("protect", 1) and self.kernel.has("PICK_BUDDY", True)
        return {woken} if is_short and self.eligible(woken) and woken not in self.choices() else self.choices()

    def choices_cfs(self):
        f, all_of = self.fields, self.cands

        def smallest(among):
            start = next(iter(among))
            low = min(signed(all_of[i]["v"] - all_of[start]["v"]) for i in among)
            same = {i for i in among if signed(all_of[i]["v"] - all_of[start]["v"]) == low}
            return same - {self.running} or same

        def near(i, left):
            behind = signed(all_of[i]["v"] - all_of[left]["v"])
            return behind <= self.kernel.granularity * 1024 // max(2, all_of[left]["w"] >> 10)  # the kernel's, rounded down before

        result = smallest(all_of)
        left = next(iter(result))
        if f["skip_buddy"] in result and len(result) == 1:
            others = set(all_of) - {left}
            second = smallest(others)
            if near(next(iter(second)), left):
                result = second
        for buddy in (f["next_buddy"], f["last_buddy"]):
            if buddy in all_of and near(buddy, left):
                return {buddy}
        return result


class Reference:
    def __init__(self, path):
        self.events = list(read_events(path))
        self.kernel = Kernel(self.events)
        self.schedule_callers = self.find_callers()
        self.waiting = collections.defaultdict(dict)
        self.owner = {}   # queue of a group: (its entity, the queue that it is on)
        self.prio = {}
        self.chain = collections.defaultdict(list)
        self.run_now = {}  # (CPU, queue): entity
        self.entities = {e.fields["pid"]: e.fields["task"] + self.kernel.se for e in self.events if e.name == "keys_enqueue"}
        self.enqueued = {}
        self.asked = set()
        self.found = {}   # (cpu, time of the last pick): (levels, picked ids, woken or None, whether it asked)

    def find_callers(self):
        """Return addresses of the picks that a switch follows more often than the event of a wakeup: a pick after which the same
        task goes on has no switch, and a wakeup may be the next event."""
        last, enqueues, votes = {}, {}, collections.Counter()
        for event in self.events:
            if event.name == "keys_pick":
                last.setdefault(event.cpu, set()).add(event.fields["caller"])
            elif event.name == "keys_switch" and event.cpu in last:
                votes.update(last.pop(event.cpu))
            elif event.name not in ("keys_resched", "keys_resched_lazy", "sched_switch"):
                found = last.pop(event.cpu, set())
                if event.name == "sched_wakeup" and enqueues.get(event.cpu):
                    votes.subtract(found)
                enqueues[event.cpu] = event.name == "keys_enqueue"
        return {caller for caller, count in votes.items() if count > 0}

    def queue(self, fields, name, cpu):
        return fields[name] if self.kernel.groups else cpu

    @staticmethod
    def keys(fields, prefix, delayed=0):
        return {"v": fields[prefix + "vruntime"], "w": fields[prefix + "weight"], "d": fields.get(prefix + "deadline", 0),
                "delayed": fields.get(prefix + "delayed", delayed)}

    def leave(self, entity):
        for queue in self.waiting.values():
            queue.pop(entity, None)

    def parents(self, fields, prefix):
        """The groups of a task, as this event has them: (entity, keys, queue)."""
        depth, inner = fields.get(prefix + "depth", 0), fields.get(prefix + "cfs")
        for i in range(1, depth + 1):
            name = f"{prefix}p{i}"
            if name not in fields:
                return
            self.owner[inner] = (fields[name], fields[name + "_cfs"])
            yield fields[name], self.keys(fields, name + "_"), fields[name + "_cfs"], inner
            inner = fields[name + "_cfs"]

    def path(self, entity, queue):
        """{queue: entity} of a task and its groups."""
        result = {queue: entity}
        while queue in self.owner and len(result) < 8:
            entity, queue = self.owner[queue]
            result[queue] = entity
        return result

    def on_enqueue(self, event):
        f = event.fields
        self.end_chain(event)
        self.enqueued.pop(event.cpu, None)
        if f["policy"] not in (0, 3, 5):
            return
        entity, queue = f["task"] + self.kernel.se, self.queue(f, "cfs", f["cpu"])
        self.leave(entity)
        if entity not in self.run_now.values():
            self.waiting[queue][entity] = self.keys(f, "")
        for group, keys, outer, _ in self.parents(f, ""):
            if group not in self.run_now.values():
                self.leave(group)
                self.waiting[outer][group] = keys
        self.enqueued[event.cpu] = (self.path(entity, queue), f["cpu"], f["pid"])
        self.asked.discard(event.cpu)

    def on_pick(self, event):
        f = event.fields
        chain = self.chain[event.cpu]
        if chain and chain[-1].fields["caller"] != f["caller"] and not {chain[-1].fields["caller"], f["caller"]} <= self.schedule_callers:
            self.end_chain(None, event.cpu)
            chain = self.chain[event.cpu]
        queue = self.queue(f, "cfs", f["cpu"])
        candidates = {i: c for i, c in self.waiting[queue].items() if i != f["curr"]}
        if f["curr"] and f["curr_on_rq"]:
            candidates[f["curr"]] = self.keys(f, "curr_")
        level = Level(self.kernel, event, candidates)
        left = level.prove()
        level.is_proven = left is not None
        level.queue = queue
        for entity in left or ():
            self.leave(entity)
        for i, before in enumerate(chain):
            if before.queue == queue:
                del chain[i:]
                break
        chain.append(level)
        self.asked.discard(event.cpu)

    def end_chain(self, event, cpu=None):
        cpu = event.cpu if event else cpu
        chain = self.chain.pop(cpu, [])
        if chain and chain[-1].fields["caller"] in self.schedule_callers:  # the task that runs was picked again
            self.found[(chain[-1].fields["cpu"], chain[-1].at.ns)] = (chain, [l.running for l in chain], None, None)
            return
        if not chain or cpu not in self.enqueued:
            return
        path, target, pid = self.enqueued[cpu]
        closed = event and event.name in ("sched_wakeup", "sched_wakeup_new") and f":{pid} [" in event.text
        last = chain[-1]
        if closed or cpu not in self.asked:
            self.found[(target, last.at.ns)] = ([last], [path.get(last.queue)], path.get(last.queue), cpu in self.asked)

    def on_switch(self, event):
        f, cpu = event.fields, event.cpu
        prev, following = f["prev"] + self.kernel.se, f["next"] + self.kernel.se
        if self.chain[cpu] and self.chain[cpu][-1].fields["caller"] not in self.schedule_callers:
            self.end_chain(None, cpu)
        chain = self.chain.pop(cpu, [])
        queue = self.queue(f, "next_cfs", cpu)
        path = self.path(following, queue)
        if chain:
            self.found[(cpu, self.ends[cpu]["ns"])] = (chain, [path.get(l.queue) for l in chain], None, None)
        self.put_prev(f, prev, cpu, chain)
        for key in [k for k in self.run_now if k[0] == cpu]:
            del self.run_now[key]
        if self.is_fair(cpu, "next"):
            for on, entity in path.items():
                self.leave(entity)
                self.run_now[(cpu, on)] = entity
        elif self.next_pid.get(cpu) == 0:
            for on in [q for q, l in self.waiting.items() if self.cpu_of.get(q) == cpu]:
                self.waiting[on].clear()
        self.enqueued.pop(cpu, None)

    def is_fair(self, cpu, which):
        pid, prio = self.ends.get(cpu, {}).get(which, (0, 120))
        return pid != 0 and prio >= 100

    def put_prev(self, f, prev, cpu, chain):
        if not self.is_fair(cpu, "prev"):
            return
        self.leave(prev)
        queue = self.queue(f, "prev_cfs", cpu)
        if f["prev_on_rq"]:
            self.waiting[queue][prev] = self.keys(f, "prev_")
        is_left = bool(f["prev_on_rq"])
        for group, keys, outer, inner in list(self.parents(f, "prev_")):
            pick = next((l for l in chain if l.queue == outer), None)
            has_more = is_left or bool(self.waiting[inner])
            self.leave(group)
            if pick and pick.running == group:
                self.waiting[outer][group] = pick.cands[group]
            elif has_more or (not pick and self.kernel.eevdf):
                self.waiting[outer][group] = dict(keys, delayed=not has_more)
            is_left = group in self.waiting[outer]

    def first_halves(self):
        """Of each CPU the first half of a switch, where the recording began between the halves: then the others, taken two by
        two from the second on, name the same next task."""
        halves = collections.defaultdict(list)
        for event in self.events:
            if event.name in ("sched_switch", "keys_switch"):
                halves[event.cpu].append(event)
        next_of = lambda half: half.fields["next_pid"] if half.name == "keys_switch" else int(SWITCH.search(half.text)[4])
        same = lambda of, at: all(next_of(a) == next_of(b) for a, b in zip(of[at::2], of[at + 1::2]))
        return [of[0] for of in halves.values() if len(of) > 2 and not same(of, 0) and same(of, 1)]

    def read(self):
        self.cpu_of, self.ends, self.next_pid = {}, {}, {}
        alone = self.first_halves()
        ends = {}
        for event in self.events:  # the other half of each switch
            if event.name == "sched_switch" and event not in alone:
                match = SWITCH.search(event.text)
                ends.setdefault(event.cpu, []).append({"ns": event.ns, "prev": (int(match[1]), int(match[2])), "next": (int(match[4]), int(match[5]))})
        taken = collections.Counter()
        for event in self.events:
            if event.name == "keys_switch" and event not in alone and taken[event.cpu] < len(ends[event.cpu]):
                self.ends[event.cpu] = ends[event.cpu][taken[event.cpu]]
                self.next_pid[event.cpu] = self.ends[event.cpu]["next"][0]
                taken[event.cpu] += 1
                self.on_switch(event)
            elif event.name == "keys_pick":
                self.cpu_of[self.queue(event.fields, "cfs", event.fields["cpu"])] = event.fields["cpu"]
                self.on_pick(event)
            elif event.name == "keys_enqueue":
                self.on_enqueue(event)
            elif event.name in ("keys_resched", "keys_resched_lazy"):
                if event.cpu in self.enqueued and event.fields["cpu"] == self.enqueued[event.cpu][1]:
                    self.asked.add(event.cpu)
            elif event.name not in ("sched_switch", "keys_switch"):
                self.end_chain(event)
                self.enqueued.pop(event.cpu, None)
                if event.name == "sched_migrate_task":
                    self.leave(self.entity_of(event))
        return self.found

    def entity_of(self, event):
        pid = int(re.search(r"[: =](\d+) (?:\[|prio)", event.text)[1])
        return self.entities.get(pid)


def same_level(level, rows, choices):
    """None, or how the candidates differ. The deadline of older keys is not known."""

    def of_reference(i, c):
        lag = level.distance(c["v"])
        ahead = -level.distance(c["d"]) if level.kernel.eevdf else None
        return (c["w"] >> 10, lag, ahead, level.kernel.eevdf and lag >= 0, i in choices)

    mine = sorted((of_reference(i, c) for i, c in level.cands.items()), key=lambda t: (t[0], t[1], t[2] or 0, t[4]))
    theirs = sorted(((r["weight"], int(r["lag_virtual_ns"]), None if r["deadline_ns"] is None else int(r["deadline_ns"]),
                      bool(r["eligible"]), r["rules"], r["older_keys"]) for r in rows), key=lambda t: (t[0], t[1], t[2] or 0, t[4]))
    if len(mine) != len(theirs):
        return f"{len(mine)} candidates, not {len(theirs)}"
    for a, b in zip(mine, theirs):
        if b[5] and len(rows) == 1:
            continue  # the only one is picked whatever its keys are
        if a[0] != b[0] or abs(a[1] - b[1]) > 1 or (a[2] is not None and b[2] is not None and not b[5] and abs(a[2] - b[2]) > 1) or a[3] != b[3] or (b[4] and not a[4]):
            return f"{[float(x) if x is not None else x for x in a]}, not {b}"
    return None


def compare(picknext, path):
    reference = Reference(path)
    found = reference.read()
    text = subprocess.run([picknext, "why", "--json", "--decision", "1", "--max", "1000000000", path], check=True, capture_output=True)
    result = json.loads(text.stdout)
    first = result["trace"]["first_ts_ns"]
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in result["candidates"]:
        rows[row["decision"]][row["level"]].append(row)
    counts, wrong = collections.Counter(), []
    for decision in result["decisions"]:
        if decision["verdict"] == "not judged" or not rows[decision["decision"]]:
            continue
        counts["judged"] += 1
        mine = found.get((decision["cpu"], first + decision["since_start_ns"]))
        if not mine or len(mine[0]) != len(rows[decision["decision"]]) or not all(l.is_proven for l in mine[0]):
            counts["not compared"] += 1
            continue
        levels, picked, woken, asked = mine
        choices = [l.choices() if woken is None else l.choices_for(woken) for l in levels]
        problem = next((p for i, l in enumerate(levels) if (p := same_level(l, rows[decision["decision"]][i], choices[i]))), None)
        if woken is not None:
            expected = (woken in choices[0]) == asked or (woken in choices[0] and len(choices[0]) > 1)
        else:
            expected = all(p in of for p, of in zip(picked, choices) if p is not None)
        if (decision["verdict"] == "the rule's") != expected:
            problem = problem or f"the verdict '{decision['verdict']}' is wrong"
        counts["compared"] += 1
        if problem:
            wrong.append(f"decision {decision['decision']}: {problem}")
    return counts, wrong


def main():
    picknext, status = sys.argv[1], 0
    for path in sys.argv[2:]:
        counts, wrong = compare(picknext, path)
        print(f"{path}: {counts['compared']} of {counts['judged']} decisions compared, {len(wrong)} differ")
        print("\n".join(wrong[:10]))
        if wrong or counts["compared"] < 0.95 * counts["judged"] or not counts["judged"]:
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
