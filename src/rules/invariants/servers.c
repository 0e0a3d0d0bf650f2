/* SPDX-License-Identifier: MIT
 *
 * Budgets: those of deadline tasks, and what the fair class gets beside higher classes, by the fair server or by the
 * limit of real-time tasks. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

/* Kernels as delivered: kernel/sched/deadline.c, fair_server_init(). */
#define FAIR_PERIOD_NS  UINT64_C(1000000000)
#define FAIR_RUNTIME_NS UINT64_C(50000000)
/* So much of its runtime is certainly left: it is charged by another clock. */
#define SERVED_MAX_NS (FAIR_RUNTIME_NS * 4 / 5)

/* The fair server of a CPU lets fair tasks run before real-time ones that wait, but only after they have waited for
 * what is left of its period (it is deferred), and then until its deadline. */
struct fair_server {
	bool runs;          /* it lets the running fair task run */
	uint64_t served_ns; /* that fair tasks have run by it, with less than a period between them */
	uint64_t since_ns;  /* of the latest switch from or to a fair task */
	uint64_t left_ns;   /* when it stopped, as the last of them went to sleep; 0: it did not, or others have run */
	uint64_t came_ns;   /* when the first one came after that; 0: none has */
	/* Its share by the kernel, as the latest tick has shown; 0: not known. */
	uint64_t runtime_ns, period_ns;
	bool has_picked;     /* the running task, before those of higher classes */
	uint64_t over_at_ns; /* as of then: */
	rule_wide over;      /* ns * period_ns: what it gave beyond its rate, in the window that has most of it */
};

/* A deadline task: its whole budget and its period, as far as they are known from wakeups; the deadline at the latest;
 * what was left when it stopped to run last, and when that was. 0: not known. */
struct budget {
	uint64_t budget_ns, period_ns, deadline_ns, left_at_ns;
	int64_t left_ns;
	uint32_t periods;
};

struct servers {
	bool has_slow_budgets; /* budgets are charged by less than the time that is run: by frequency */
};

/* --- Fair tasks beside higher classes --- */

static enum invariant_result check_served(const struct sight *sight, const struct family_state *state,
					  struct evidence *evidence)
{
	const struct switch_sight *at = sight->switched;
	const uint64_t higher_ns = sight_cpu(sight)->higher_since_ns, waits_ns = at->next_waits_since_ns;
	const struct key_path *next = &at->keys.switched.next;

	(void)state;
	/* A task of a throttled group waits for its budget, one that has moved here waited elsewhere. */
	if (rule_class_of(&at->event->switched.next) != CLASS_FAIR || !higher_ns || !waits_ns || at->next_has_moved ||
	    !machine_tick_ns(sight->machine) || !sight->machine->mark.rt_runtime_us || !next->depth ||
	    queues_has_quota(&sight->machine->queues, next->queues[0]) ||
	    !machine_is_same_since(sight->machine, at->event->switched.next.pid, waits_ns))
		return INVARIANT_NOT_JUDGED;
	/* Without the fair server, which is as old as delayed dequeues, real-time tasks may use up what is left of one
	 * period (sched_rt_period_us) and then the next one. */
	const uint64_t periods = has_feature(sight, FEATURE_DELAY_DEQUEUE) ? 1 : 2;
	const uint64_t since_ns = higher_ns > waits_ns ? higher_ns : waits_ns;
	return expect_max(evidence, "wait while higher classes run", UNIT_CPU_NS,
			  (int64_t)(sight->machine->now_ns - since_ns), with_tick(sight, periods * FAIR_PERIOD_NS));
}

/* Other fair tasks wait on the CPU, or sleepers that its queue still has. */
static bool may_have_fair(const struct sight *sight)
{
	const struct task_states *states = sight->states;
	const uint64_t root = sight_cpu(sight)->root_queue;

	for (uint32_t task = sight->cpu < states->cpu_count ? states->cpus[sight->cpu].runnable_first : TASK_NONE;
	     task != TASK_NONE; task = states->tasks[task].next)
		if (states->tasks[task].prio >= 100 || !machine_knows_prio(sight->machine, &states->tasks[task]))
			return true;
	return !root || queues_count(&sight->machine->queues, root);
}

/* The server begins to run the fair task that is switched in. */
static bool is_served(const struct sight *sight)
{
	return rule_class_of(&sight->switched->event->switched.next) == CLASS_FAIR &&
	       rule_class_of(&sight->switched->event->switched.prev) == CLASS_REAL_TIME &&
	       leave_reason_is_runnable(sight->switched->out);
}

static enum invariant_result check_deferred(const struct sight *sight, const struct family_state *state,
					    struct evidence *evidence)
{
	const struct fair_server *server = state_of_cpu(state, sight->cpu);
	const bool is_late = server->left_ns && server->came_ns && server->came_ns - server->left_ns > FAIR_PERIOD_NS;

	if (!is_late || !is_served(sight) || !machine_tick_ns(sight->machine) ||
	    !has_feature(sight, FEATURE_DELAY_DEQUEUE))
		return INVARIANT_NOT_JUDGED;
	return expect_min(evidence, "wait before the fair server runs", UNIT_CPU_NS,
			  with_tick(sight, sight->machine->now_ns - server->came_ns),
			  (int64_t)(FAIR_PERIOD_NS - FAIR_RUNTIME_NS));
}

/* Time that it gave until now beyond its rate. */
static rule_wide over_until(const struct fair_server *server, uint64_t now_ns)
{
	return beyond_rate(server->over, time_between(server->over_at_ns, now_ns), server->has_picked,
			   server->runtime_ns, server->period_ns);
}

/* In any window: one runtime a period, one at its beginning, and those of the periods that it cuts. It is charged at
 * ticks. */
static enum invariant_result check_limited(const struct sight *sight, const struct family_state *state,
					   struct evidence *evidence)
{
	const struct fair_server *server = state_of_cpu(state, sight->cpu);

	if (!server->has_picked || !server->period_ns || !machine_tick_ns(sight->machine))
		return INVARIANT_NOT_JUDGED;
	return expect_max(evidence, "time that the fair server gave beyond its rate", UNIT_CPU_NS,
			  (int64_t)(over_until(server, sight->machine->now_ns) / (rule_wide)server->period_ns),
			  with_tick(sight, 2 * server->runtime_ns + machine_tick_ns(sight->machine)));
}

static void note_rate(struct fair_server *server, const struct sight *sight)
{
	const struct key_event *keys = sight->keys;
	const uint64_t period_ns = sight->kind == SEEN_TICK ? known_period(keys->tick.server_period) : 0;

	server->over = over_until(server, sight->machine->now_ns);
	server->over_at_ns = sight->machine->now_ns;
	if (sight->kind == SEEN_SWITCH) {
		server->has_picked = sight->switched->keys.switched.is_served;
	} else if (keys->tick.server_runtime != server->runtime_ns || period_ns != server->period_ns) {
		server->runtime_ns = keys->tick.server_runtime;
		server->period_ns = server->runtime_ns <= period_ns ? period_ns : 0;
		server->over = 0;
	}
}

static void note_fair_switch(struct fair_server *server, const struct sight *sight)
{
	const enum rule_class out = rule_class_of(&sight->switched->event->switched.prev),
			      in = rule_class_of(&sight->switched->event->switched.next);
	const uint64_t now_ns = sight->machine->now_ns;

	if (out != CLASS_FAIR && in != CLASS_FAIR)
		return;
	if (out == CLASS_FAIR && server->runs)
		server->served_ns += now_ns - server->since_ns;
	if (out == CLASS_FAIR && in != CLASS_FAIR) {
		/* If it lets tasks run, and finds none, it stops: its deadline is at most a period after it began to.
		 * If its runtime is used up, it goes on at its deadline. */
		if (server->runs && !leave_reason_is_runnable(sight->switched->out) && !may_have_fair(sight) &&
		    server->served_ns < SERVED_MAX_NS)
			server->left_ns = now_ns;
		server->runs = false;
	} else if (out != CLASS_FAIR) {
		if (now_ns - server->since_ns > FAIR_PERIOD_NS)
			server->served_ns = 0;
		server->runs = is_served(sight);
		server->left_ns = server->came_ns = 0;
	}
	server->since_ns = now_ns;
}

/* --- Deadline tasks --- */

static bool is_deadline_switch(const struct sight *sight)
{
	return rule_class_of(&sight->switched->event->switched.prev) == CLASS_DEADLINE &&
	       sight->switched->keys.switched.has_budget;
}

/* So much less is charged at most, as the clock is read before and after a run. */
#define SLOW_MIN_NS INT64_C(200000)
#define PERIODS_MIN 3

static bool is_slow(const struct budget *budget, int64_t left_ns, uint64_t ran_ns)
{
	return budget->left_ns > 0 && budget->left_ns - left_ns < (int64_t)(ran_ns - ran_ns / 4) - SLOW_MIN_NS;
}

static const struct budget *budget_of(const struct family_state *state, const struct sight *sight)
{
	return state_of_task(state, sight->machine, sight->switched->event->switched.prev.pid);
}

static enum invariant_result check_budget_kept(const struct sight *sight, const struct family_state *state,
					       struct evidence *evidence)
{
	const int32_t pid = sight->switched->event->switched.prev.pid;
	const struct machine_task *task = machine_task_of(sight->machine, pid);
	const int64_t left_ns = sight->switched->keys.switched.budget_ns;
	const struct budget *budget = is_deadline_switch(sight) ? budget_of(state, sight) : NULL;

	if (!is_deadline_switch(sight) || !machine_tick_ns(sight->machine) ||
	    !machine_is_same_since(sight->machine, pid, sight_cpu(sight)->began_ns))
		return INVARIANT_NOT_JUDGED;
	/* A budget that was asked for is that from the next period on. */
	if (left_ns < 0 || !task || !task->asked_ns || task->asked_policy != POLICY_DEADLINE || !budget ||
	    budget->periods < 2)
		return expect_min(evidence, "budget left", UNIT_CPU_NS, left_ns, -with_tick(sight, 0));
	return expect_max(evidence, "budget left", UNIT_CPU_NS, left_ns, (int64_t)task->asked_ns);
}

/* The budget that was asked for, if it was changed; else the largest of some periods. 0: not known. */
static uint64_t whole_budget(const struct sight *sight, const struct budget *budget)
{
	const struct machine_task *task = machine_task_of(sight->machine, sight->switched->event->switched.prev.pid);

	if (!task || budget->periods < PERIODS_MIN)
		return 0;
	if (!task->changed_ns)
		return budget->budget_ns;
	return task->asked_policy == POLICY_DEADLINE ? task->asked_ns : 0;
}

/* The budget with which the task that stops to run began, at most: what was left, or a whole one. One whose deadline
 * passes while it runs gets the next one at once: not within a period of its last run. */
static enum invariant_result check_refilled(const struct sight *sight, const struct family_state *state,
					    struct evidence *evidence)
{
	const struct servers *servers = state_of_trace(state);
	const uint64_t ran_ns = is_deadline_switch(sight) ? sight->switched->ran_ns : 0;
	const struct budget *budget = ran_ns ? budget_of(state, sight) : NULL;
	const int64_t left_ns = sight->switched->keys.switched.budget_ns;

	const uint64_t whole_ns = budget ? whole_budget(sight, budget) : 0;
	if (!budget || sight_cpu(sight)->was_woken || !budget->left_ns || servers->has_slow_budgets ||
	    is_slow(budget, left_ns, ran_ns) || !whole_ns ||
	    sight->machine->now_ns - budget->left_at_ns >= budget->period_ns)
		return INVARIANT_NOT_JUDGED;
	const uint64_t begun_ns = budget->left_ns > 0 ? (uint64_t)budget->left_ns : whole_ns;
	/* Interrupts are not charged. */
	return expect_max(evidence, "budget left", UNIT_CPU_NS, left_ns,
			  (int64_t)(begun_ns + begun_ns / 16 + CLOCK_NS) - (int64_t)(ran_ns / 2));
}

static void note_budget(struct family_state *state, const struct sight *sight)
{
	struct servers *servers = state_of_trace(state);
	struct budget *budget = state_of_task(state, sight->machine, sight->switched->event->switched.prev.pid);
	const int64_t left_ns = sight->switched->keys.switched.budget_ns;
	const uint64_t ran_ns = sight->switched->ran_ns;
	const bool was_woken = sight_cpu(sight)->was_woken;

	if (was_woken && ran_ns && left_ns + (int64_t)ran_ns > (int64_t)budget->budget_ns)
		budget->budget_ns = (uint64_t)left_ns + ran_ns;
	if (!was_woken && ran_ns && is_slow(budget, left_ns, ran_ns))
		servers->has_slow_budgets = true;
	/* After a yield what is left is lost. */
	budget->left_ns = left_ns > 0 && sight->switched->keys.switched.is_prev_throttled ? -1 : left_ns;
	budget->left_at_ns = sight->machine->now_ns;
}

/* Deadlines at wakeups are a period apart, or more if one has passed. The first one may be of a period that was cut
 * when the recording began. */
static void note_deadline(struct family_state *state, const struct sight *sight)
{
	const uint64_t deadline_ns = sight->wakeup->event.enqueued.deadline_ns;
	struct budget *budget = state_of_task(state, sight->machine, sight->wakeup->event.enqueued.pid);

	if (!deadline_ns)
		return;
	const uint64_t apart_ns = deadline_ns - budget->deadline_ns;
	if (budget->deadline_ns && deadline_ns > budget->deadline_ns && budget->periods++)
		budget->period_ns = budget->period_ns && budget->period_ns < apart_ns ? budget->period_ns : apart_ns;
	budget->deadline_ns = deadline_ns;
}

static void note(struct family_state *state, const struct sight *sight)
{
	struct fair_server *fair = state_of_cpu(state, sight->cpu);

	if (sight->kind == SEEN_SWITCH || sight->kind == SEEN_TICK)
		note_rate(fair, sight);
	if (sight->kind == SEEN_SWITCH) {
		note_fair_switch(fair, sight);
		if (is_deadline_switch(sight))
			note_budget(state, sight);
	} else if (sight->kind == SEEN_ENQUEUE) {
		if (sight->wakeup->event.enqueued.task.depth && fair->left_ns && !fair->came_ns)
			fair->came_ns = sight->machine->now_ns;
		note_deadline(state, sight);
	} else if (sight->kind == SEEN_CHANGE && sight->keys && sight->keys->kind == KEY_CHANGE) {
		struct budget *budget = state_of_task(state, sight->machine, sight->keys->change.pid);
		if (budget)
			*budget = (struct budget){0};
	}
}

static const struct invariant_row rows[] = {
    {"fair_served", "higher classes keep fair tasks waiting for a second at most, or two without a fair server",
     "fair tasks starve", DL_C "fair server; rt.c, sched_rt_period", "CFS, EEVDF", "keys_unthrottle.cfs", SEEN_IN,
     STOPS_LONG, check_served},
    {"fair_deferred",
     "fair tasks that come to a CPU after the fair server's deadline wait for 0.95 s, if real-time tasks run",
     "fair server", DL_C "update_dl_entity", "Linux 6.12 and later, without groups of real-time tasks", "", SEEN_IN,
     STOPS_LONG, check_deferred},
    {"fair_limited", "the fair server gives fair tasks its runtime each period, and no more", "time of the fair server",
     DL_C "update_curr_dl_se, replenish_dl_entity", "Linux 6.12 and later",
     "keys_switch.next_server keys_tick.server_runtime", SEEN_OUT, STOPS_LONG, check_limited},
    {"budget_kept", "a deadline task has at most its budget, and overruns it by at most a tick", "budget",
     DL_C "update_curr_dl", "deadline tasks", "keys_switch.prev_dl_runtime", SEEN_OUT, STOPS_LONG, check_budget_kept},
    {"budget_refilled", "a deadline task has what was left, or one budget per period, less what it runs",
     "budget after a refill", DL_C "replenish_dl_entity", "deadline tasks",
     "keys_switch.prev_dl_runtime keys_switch.prev_throttled keys_enqueue.dl_deadline", SEEN_OUT, STOPS_LONG,
     check_refilled},
};

const struct invariant_family servers_family = {ROWS_OF(rows), sizeof(struct servers), sizeof(struct fair_server),
						sizeof(struct budget), .note = note};
