/* SPDX-License-Identifier: MIT
 *
 * The cause of each migration, by the rules and by stacks. The traces are of tasks a (PID 11), b (12), c (13) and the
 * stoppers 20 (CPU 0) and 21 (CPU 1). */
#include "support/text_run.h"

#include "base/buffer.h"
#include "measure/migrations.h"
#include "support/kernel_texts.h"

/* Lines with the kernel's flags: "d..2." nothing, "d.s2." in a softirq, "d.h2." in an interrupt. */
#define LINE(cpu, flags, us, by_pid) "  any-" #by_pid " [00" #cpu "] " flags " 100." us ": "
#define WAKE(cpu, flags, us, by_pid, comm, pid, prio, target)                                                          \
	LINE(cpu, flags, us, by_pid)                                                                                   \
	"sched_wakeup: comm=" comm " pid=" #pid " prio=" #prio " target_cpu=00" #target "\n"
#define NEW(cpu, us, by_pid, comm, pid, target)                                                                        \
	LINE(cpu, "d..2.", us, by_pid)                                                                                 \
	"sched_wakeup_new: comm=" comm " pid=" #pid " prio=120 target_cpu=00" #target "\n"
#define MOVE(cpu, flags, us, by_pid, comm, pid, prio, from, to)                                                        \
	LINE(cpu, flags, us, by_pid)                                                                                   \
	"sched_migrate_task: comm=" comm " pid=" #pid " prio=" #prio " orig_cpu=" #from " dest_cpu=" #to "\n"

/* a and c run on CPUs 0 and 1, b waits for CPU 0. */
#define A_RUNS_B_WAITS                                                                                                 \
	TEXT_SWITCH(0, "000010", "b", 12, 120, "R+", "a", 11, 120)                                                     \
	TEXT_SWITCH(1, "000011", "swapper/1", 0, 120, "R", "c", 13, 120)
/* b sleeps, having run on CPU 0; CPU 1 is idle. */
#define B_SLEEPS                                                                                                       \
	TEXT_SWITCH(0, "000010", "b", 12, 120, "S", "a", 11, 120)                                                      \
	TEXT_SWITCH(1, "000011", "c", 13, 120, "S", "swapper/1", 0, 120)
/* Something later on both CPUs. */
#define LATER                                                                                                          \
	TEXT_SWITCH(0, "900000", "a", 11, 120, "S", "swapper/0", 0, 120)                                               \
	TEXT_SWITCH(1, "900001", "swapper/1", 0, 120, "R", "d", 14, 120)

struct run {
	struct migrations *migrations;
	struct buffer found; /* "12:wakeup 12:pull", with shows_asleep "12:pull 14:pull asleep" */
	bool shows_asleep;
};

static void take_decided(struct run *run)
{
	struct migration migration;

	while (migrations_next(run->migrations, &migration))
		buffer_printf(&run->found, "%s%d:%s%s", run->found.length ? " " : "", migration.task.pid,
			      migration_cause_name(migration.cause),
			      run->shows_asleep && migration.asleep ? " asleep" : "");
}

static void step(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	struct run *run = context;

	assert_int_equal(migrations_step(run->migrations, states, event, step, NULL), STATUS_OK);
	take_decided(run);
}

static void assert_found(const char *text, bool shows_asleep, const char *expected)
{
	struct task_states states = {0};
	struct run run = {.migrations = migrations_open(NULL, NULL, false), .shows_asleep = shows_asleep};

	text_run(&states, text, step, &run);
	migrations_end(run.migrations);
	take_decided(&run);
	assert_string_equal(run.found.data ? run.found.data : "", expected);
	buffer_free(&run.found);
	migrations_close(run.migrations);
	task_states_free(&states);
}

static void assert_causes(const char *text, const char *expected)
{
	assert_found(text, false, expected);
}

TEST(moves_of_sleeping_tasks)
{
	assert_found(A_RUNS_B_WAITS MOVE(1, "d.s2.", "000020", 13, "b", 12, 120, 0, 1) LATER, true, "12:pull");
	assert_found(B_SLEEPS MOVE(1, "d.s2.", "000020", 0, "b", 12, 120, 0, 1)
			 WAKE(1, "d.h2.", "000021", 0, "b", 12, 120, 1) LATER,
		     true, "12:pull asleep");
}

TEST(wakeups)
{
	/* By a, at once. */
	assert_causes(B_SLEEPS MOVE(0, "d..3.", "000020", 11, "b", 12, 120, 0, 1)
			  WAKE(0, "d..3.", "000021", 11, "b", 12, 120, 1) LATER,
		      "12:wakeup");
	/* By a timer that interrupts a; and onto the waker's own CPU. */
	assert_causes(B_SLEEPS MOVE(1, "d.h2.", "000020", 0, "b", 12, 120, 0, 1)
			  WAKE(1, "d.h2.", "000021", 0, "b", 12, 120, 1) LATER,
		      "12:wakeup");
	/* Queued for CPU 1, which is told by an interrupt; meanwhile something else on CPU 0, which was idle before. */
	assert_causes(TEXT_SWITCH(0, "000008", "b", 12, 120, "S", "swapper/0", 0, 120)
			  TEXT_SWITCH(0, "000009", "swapper/0", 0, 120, "R", "a", 11, 120)
			      MOVE(0, "d..3.", "000020", 11, "b", 12, 120, 0, 1)
				  TEXT_SWITCH(0, "000021", "a", 11, 120, "S", "swapper/0", 0, 120)
				      WAKE(1, "d.h2.", "000022", 0, "b", 12, 120, 1) LATER,
		      "12:wakeup");
	/* A softirq that pulls a task which is still queued may run its timer just after. */
	assert_causes(B_SLEEPS MOVE(1, "d.s2.", "000020", 0, "b", 12, 120, 0, 1)
			  WAKE(1, "d.s2.", "000050", 0, "b", 12, 120, 1) LATER,
		      "12:wakeup");
	assert_causes(B_SLEEPS MOVE(1, "d.s2.", "000020", 0, "b", 12, 120, 0, 1)
			  WAKE(1, "d.s2.", "000150", 0, "b", 12, 120, 1) LATER,
		      "12:unknown");
	/* By a timer: an interrupt does not move what is still queued. */
	assert_causes(B_SLEEPS MOVE(0, "d.h3.", "000020", 11, "b", 12, 120, 0, 1)
			  WAKE(1, "d.h2.", "000022", 0, "b", 12, 120, 1) LATER,
		      "12:wakeup");
	/* CPU 0 was not idle since b went to sleep, so b may still be on its queue (delayed dequeue), where a or load
	 * balance moved it. A timer of CPU 1 then woke it. */
	assert_causes(B_SLEEPS MOVE(0, "d..3.", "000020", 11, "b", 12, 120, 0, 1)
			  TEXT_SWITCH(0, "000021", "a", 11, 120, "S", "swapper/0", 0, 120)
			      WAKE(1, "d.h2.", "000022", 0, "b", 12, 120, 1) LATER,
		      "12:unknown");
	assert_causes(B_SLEEPS MOVE(0, "d.s3.", "000020", 11, "b", 12, 120, 0, 1)
			  WAKE(1, "d.h2.", "000022", 0, "b", 12, 120, 1) LATER,
		      "12:unknown");
	/* A task that nothing is known of. */
	assert_causes(TEXT_SWITCH(0, "000010", "d", 14, 120, "S", "a", 11, 120)
			  MOVE(0, "d..3.", "000020", 11, "b", 12, 120, 0, 1)
			      WAKE(0, "d..3.", "000021", 11, "b", 12, 120, 1) LATER,
		      "12:wakeup");
	/* Before Linux 5.18, a task that is woken while it goes to sleep shows R. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 120, "R", "a", 11, 120)
			  MOVE(0, "d.s3.", "000020", 11, "b", 12, 120, 0, 1)
			      WAKE(0, "d.s4.", "000021", 11, "b", 12, 120, 1) LATER,
		      "12:wakeup");
	/* A real-time task is woken like any other. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 49, "S", "a", 11, 120)
			  MOVE(0, "d..3.", "000020", 11, "b", 12, 49, 0, 1)
			      WAKE(0, "d..3.", "000021", 11, "b", 12, 49, 1) LATER,
		      "12:wakeup");
}

TEST(forks)
{
	assert_causes(B_SLEEPS NEW(0, "000020", 11, "e", 15, 1) NEW(0, "000021", 11, "f", 16, 0) LATER, "15:fork");
}

TEST(pulls)
{
	/* In the softirq of CPU 1, and of CPU 0 for idle CPU 1. */
	assert_causes(A_RUNS_B_WAITS MOVE(1, "d.s2.", "000020", 13, "b", 12, 120, 0, 1) LATER, "12:pull");
	assert_causes(A_RUNS_B_WAITS MOVE(0, "d.s2.", "000020", 11, "b", 12, 120, 0, 1) LATER, "12:pull");
	/* c leaves CPU 1 asleep, which pulls b and d before. */
	assert_causes(TEXT_SWITCH(0, "000009", "d", 14, 120, "R+", "b", 12, 120)
			  A_RUNS_B_WAITS MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 1)
			      MOVE(1, "d..2.", "000021", 13, "d", 14, 120, 0, 1)
				  TEXT_SWITCH(1, "000022", "c", 13, 120, "S", "b", 12, 120) LATER,
		      "12:pull 14:pull");
	/* b was the only task of CPU 0, or sleeps: c may have changed its affinity before it sleeps, too. */
	assert_causes(TEXT_SWITCH(0, "000009", "a", 11, 120, "S", "swapper/0", 0, 120)
			  TEXT_SWITCH(1, "000010", "swapper/1", 0, 120, "R", "c", 13, 120)
			      WAKE(1, "d..3.", "000015", 13, "b", 12, 120, 0)
				  MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 1)
				      TEXT_SWITCH(1, "000021", "c", 13, 120, "S", "b", 12, 120) LATER,
		      "12:unknown");
	assert_causes(B_SLEEPS TEXT_SWITCH(1, "000012", "swapper/1", 0, 120, "R", "c", 13, 120)
			  MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 1)
			      TEXT_SWITCH(1, "000021", "c", 13, 120, "S", "b", 12, 120) LATER,
		      "12:unknown");
	/* The idle task does. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 120, "R+", "a", 11, 120)
			  TEXT_SWITCH(1, "000011", "c", 13, 120, "S", "swapper/1", 0, 120)
			      MOVE(1, "d..2.", "000020", 0, "b", 12, 120, 0, 1) LATER,
		      "12:pull");
	/* So does the thread for softirqs of a kernel with PREEMPT_RT, whose events do not show the context. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 120, "R+", "a", 11, 120)
			  TEXT_SWITCH(1, "000011", "c", 13, 120, "S", "ksoftirqd/1", 16, 120)
			      MOVE(1, "d..2.", "000020", 16, "b", 12, 120, 0, 2) LATER,
		      "12:pull");
	/* The wakeup that follows is another's: of the softirq, and of an interrupt. */
	assert_causes(B_SLEEPS MOVE(1, "d.s2.", "000020", 0, "b", 12, 120, 0, 1)
			  WAKE(1, "d.h2.", "000021", 0, "b", 12, 120, 1) LATER,
		      "12:pull");
	/* Delayed dequeue: b may have been pulled, since its wakeup comes late. */
	assert_causes(B_SLEEPS MOVE(1, "d.s2.", "000020", 0, "b", 12, 120, 0, 1)
			  WAKE(1, "d.s5.", "002021", 0, "b", 12, 120, 1) LATER,
		      "12:unknown");
	/* Delayed dequeue: b sleeps, but is still on its queue. It is woken for good only later. */
	assert_causes(B_SLEEPS MOVE(1, "d.s2.", "000020", 0, "b", 12, 120, 0, 1)
			  TEXT_SWITCH(1, "000021", "swapper/1", 0, 120, "R", "c", 13, 120)
			      WAKE(0, "d..3.", "000030", 11, "b", 12, 120, 1) LATER,
		      "12:pull");
}

TEST(affinity)
{
	/* c on CPU 1 sends b to CPU 2; and to its own, and goes on. */
	assert_causes(A_RUNS_B_WAITS MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 2) LATER, "12:affinity");
	assert_causes(A_RUNS_B_WAITS MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 1)
			  WAKE(1, "d..2.", "000021", 13, "d", 14, 120, 1) LATER,
		      "12:affinity");
	/* c sleeps at once, but another waits for CPU 1, so that nothing need be pulled there. */
	assert_causes(TEXT_SWITCH(1, "000009", "d", 14, 120, "R+", "e", 15, 120)
			  TEXT_SWITCH(0, "000010", "b", 12, 120, "R+", "a", 11, 120)
			      TEXT_SWITCH(1, "000011", "e", 15, 120, "S", "c", 13, 120)
				  MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 1)
				      TEXT_SWITCH(1, "000022", "c", 13, 120, "S", "b", 12, 120) LATER,
		      "12:unknown");
}

/* a runs on CPU 0 and c on CPU 1; the stopper of CPU 0 is woken as WAKE_STOPPER says, moves a, and wakes who asked. */
#define A_AND_C                                                                                                        \
	TEXT_SWITCH(0, "000010", "swapper/0", 0, 120, "R", "a", 11, 120)                                               \
	TEXT_SWITCH(1, "000011", "swapper/1", 0, 120, "R", "c", 13, 120)
#define STOPPER_COMES TEXT_SWITCH(0, "000030", "a", 11, 120, "R+", "migration/0", 20, 0)
#define STOPPER_MOVES MOVE(0, "d..2.", "000031", 20, "a", 11, 120, 0, 1)
#define STOPPER_GOES  TEXT_SWITCH(0, "000040", "migration/0", 20, 0, "S", "swapper/0", 0, 120)

TEST(by_the_stopper)
{
	/* a asked itself: exec, or its own affinity. */
	assert_causes(A_AND_C WAKE(0, "d..3.", "000020", 11, "migration/0", 20, 0, 0)
			  STOPPER_COMES STOPPER_MOVES STOPPER_GOES LATER,
		      "11:self");
	/* The load balancer of CPU 1, in its softirq. */
	assert_causes(A_AND_C WAKE(1, "d.s3.", "000020", 13, "migration/0", 20, 0, 0)
			  STOPPER_COMES STOPPER_MOVES STOPPER_GOES LATER,
		      "11:active-balance");
	/* c asked, waits, and is woken: it changed a's affinity. */
	assert_causes(A_AND_C WAKE(1, "d..3.", "000020", 13, "migration/0", 20, 0, 0)
			  TEXT_SWITCH(1, "000021", "c", 13, 120, "D", "swapper/1", 0, 120)
			      STOPPER_COMES STOPPER_MOVES WAKE(0, "d..3.", "000032", 20, "c", 13, 120, 1)
				  STOPPER_GOES LATER,
		      "11:affinity");
	/* c asked from CPU 1 for a move to CPU 2. */
	assert_causes(A_AND_C WAKE(1, "d..3.", "000020", 13, "migration/0", 20, 0, 0)
			  STOPPER_COMES MOVE(0, "d..2.", "000031", 20, "a", 11, 120, 0, 2) STOPPER_GOES LATER,
		      "11:affinity");
	/* c waits for a completion on CPU 1, of this or of something else: its wakeup by the stopper may be queued. */
	assert_causes(A_AND_C WAKE(1, "d..3.", "000020", 13, "migration/0", 20, 0, 0)
			  TEXT_SWITCH(1, "000021", "c", 13, 120, "D", "swapper/1", 0, 120)
			      STOPPER_COMES STOPPER_MOVES STOPPER_GOES LATER,
		      "11:unknown");
	/* c leaves CPU 1 and is not waited for: CPU 1 became idle. */
	assert_causes(A_AND_C WAKE(1, "d..3.", "000020", 13, "migration/0", 20, 0, 0)
			  TEXT_SWITCH(1, "000021", "c", 13, 120, "S", "swapper/1", 0, 120)
			      STOPPER_COMES STOPPER_MOVES STOPPER_GOES LATER,
		      "11:active-balance");
	/* Nobody knows who asked: the stopper was woken by an interrupt for another CPU. */
	assert_causes(A_AND_C WAKE(0, "d.h3.", "000020", 11, "migration/0", 20, 0, 0)
			  STOPPER_COMES STOPPER_MOVES STOPPER_GOES LATER,
		      "11:unknown");
	assert_causes(A_AND_C WAKE(0, "d.h3.", "000020", 11, "migration/0", 20, 0, 0)
			  STOPPER_COMES STOPPER_MOVES WAKE(0, "d..3.", "000032", 20, "c", 13, 120, 1)
			      STOPPER_GOES LATER,
		      "11:affinity");
	/* a changed its own affinity and sleeps until it is done: it moves as it is woken, or before if it is still on
	 * the queue (delayed dequeue). */
	assert_causes(A_AND_C WAKE(0, "d..3.", "000020", 11, "migration/0", 20, 0, 0)
			  TEXT_SWITCH(0, "000030", "a", 11, 120, "D", "migration/0", 20, 0)
			      STOPPER_MOVES WAKE(0, "d..3.", "000032", 20, "a", 11, 120, 1) STOPPER_GOES LATER,
		      "11:unknown");
	/* It was about to sleep, but is still runnable when it is moved. */
	assert_causes(A_AND_C WAKE(0, "d..3.", "000020", 11, "migration/0", 20, 0, 0)
			  STOPPER_COMES STOPPER_MOVES WAKE(0, "d..3.", "000032", 20, "a", 11, 120, 1)
			      STOPPER_GOES LATER,
		      "11:self");
	/* An interrupt of the stopper wakes c: c need not have asked. */
	assert_causes(A_AND_C WAKE(0, "d.h3.", "000020", 11, "migration/0", 20, 0, 0)
			  STOPPER_COMES STOPPER_MOVES WAKE(0, "d.h3.", "000032", 20, "c", 13, 120, 1)
			      STOPPER_GOES LATER,
		      "11:unknown");
	/* Both stoppers were asked, but no tasks change places: CPUs go offline so in Linux 5.10. */
	assert_causes(A_AND_C WAKE(1, "d..3.", "000020", 13, "migration/0", 20, 0, 0)
			  WAKE(1, "d..3.", "000021", 13, "migration/1", 21, 0, 1)
			      STOPPER_COMES STOPPER_MOVES WAKE(0, "d..3.", "000032", 20, "c", 13, 120, 1)
				  STOPPER_GOES LATER,
		      "11:unknown");
	/* The same, but its wakeup is queued for CPU 1. */
	assert_causes(A_AND_C WAKE(1, "d..3.", "000020", 13, "migration/0", 20, 0, 0)
			  TEXT_SWITCH(0, "000030", "a", 11, 120, "D", "migration/0", 20, 0)
			      STOPPER_MOVES STOPPER_GOES WAKE(1, "d.h3.", "000041", 13, "a", 11, 120, 1) LATER,
		      "11:wakeup");
	/* Two tasks change places: both stoppers were asked. */
	assert_causes(A_AND_C WAKE(0, "d..3.", "000020", 11, "migration/0", 20, 0, 0)
			  WAKE(0, "d..3.", "000021", 11, "migration/1", 21, 0, 1)
			      STOPPER_COMES STOPPER_MOVES MOVE(0, "d..3.", "000032", 20, "c", 13, 120, 1, 0)
				  STOPPER_GOES LATER,
		      "11:numa 13:numa");
	/* The stopper leaves its CPU without work, which pulls a waiting task in its stead. */
	assert_causes(TEXT_SWITCH(1, "000009", "e", 15, 120, "R+", "c", 13, 120)
			  TEXT_SWITCH(0, "000010", "swapper/0", 0, 120, "R", "a", 11, 120)
			      WAKE(0, "d..3.", "000020", 11, "migration/0", 20, 0, 0)
				  STOPPER_COMES STOPPER_MOVES MOVE(0, "d..3.", "000032", 20, "e", 15, 120, 1, 0)
				      STOPPER_GOES LATER,
		      "11:self 15:pull");
	/* A request is over when the stopper sleeps: the next one's asker is not known. */
	assert_causes(
	    A_AND_C WAKE(0, "d..3.", "000020", 11, "migration/0", 20, 0, 0)
		STOPPER_COMES STOPPER_GOES TEXT_SWITCH(0, "000050", "swapper/0", 0, 120, "R", "migration/0", 20, 0)
		    MOVE(0, "d..2.", "000051", 20, "a", 11, 120, 0, 1)
			TEXT_SWITCH(0, "000060", "migration/0", 20, 0, "S", "swapper/0", 0, 120) LATER,
	    "11:unknown");
}

/* Written by picknext at the beginning of a run. */
#define MARK(text) LINE(0, ".....", "000001", 1) "tracing_mark_write: " text "\n"
/* CPU 1 takes b from a queue in schedule(), before the switch to it. */
#define B_IS_DISPATCHED                                                                                                \
	A_RUNS_B_WAITS MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 1)                                              \
	    TEXT_SWITCH(1, "000021", "c", 13, 120, "R+", "b", 12, 120) LATER

TEST(dispatch)
{
	assert_causes(MARK("scheduler simple enabled 1") B_IS_DISPATCHED, "12:dispatch");
	/* By the idle task. */
	assert_causes(MARK("scheduler simple enabled 1") TEXT_SWITCH(0, "000010", "b", 12, 120, "R+", "a", 11, 120)
			  TEXT_SWITCH(1, "000011", "c", 13, 120, "S", "swapper/1", 0, 120)
			      MOVE(1, "d..2.", "000020", 0, "b", 12, 120, 0, 1)
				  TEXT_SWITCH(1, "000021", "swapper/1", 0, 120, "R", "b", 12, 120) LATER,
		      "12:dispatch");
	/* c goes on running: it has changed b's affinity. */
	assert_causes(MARK("scheduler simple enabled 1")
			  A_RUNS_B_WAITS MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 1)
			      WAKE(1, "d..2.", "000022", 13, "d", 14, 120, 1) LATER,
		      "12:affinity");
	/* No scheduler, or one that has not all tasks, or another text: the rules of the fair class. */
	assert_causes(MARK("scheduler none disabled 0") B_IS_DISPATCHED, "12:unknown");
	assert_causes(MARK("scheduler simple enabled 1 partial") B_IS_DISPATCHED, "12:unknown");
	assert_causes(MARK("scheduler simple") B_IS_DISPATCHED, "12:unknown");
	assert_causes(B_IS_DISPATCHED, "12:unknown");
	/* It was disabled meanwhile. */
	assert_causes(MARK("scheduler simple enabled 1") MARK("scheduler none disabled 1") B_IS_DISPATCHED,
		      "12:unknown");
}

TEST(real_time)
{
	/* b (priority 49) waits for CPU 0, where a (40) runs. Pulled by CPU 1 as r (30) leaves it; pushed by CPU 0. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 49, "R+", "a", 11, 40)
			  TEXT_SWITCH(1, "000011", "swapper/1", 0, 120, "R", "r", 13, 30)
			      MOVE(1, "d..3.", "000020", 13, "b", 12, 49, 0, 1)
				  TEXT_SWITCH(1, "000021", "r", 13, 30, "S", "b", 12, 49) LATER,
		      "12:rt-pull");
	/* r does not leave: it may have changed b's affinity. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 49, "R+", "a", 11, 40)
			  TEXT_SWITCH(1, "000011", "swapper/1", 0, 120, "R", "r", 13, 30)
			      MOVE(1, "d..3.", "000020", 13, "b", 12, 49, 0, 1)
				  WAKE(1, "d..3.", "000021", 13, "e", 15, 120, 0) LATER,
		      "12:unknown");
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 49, "R+", "a", 11, 40)
			  MOVE(0, "d..3.", "000020", 11, "b", 12, 49, 0, 1) LATER,
		      "12:rt-push");
	/* By an interrupt of the stopper, which has nothing to do with it. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 49, "R+", "a", 11, 40)
			  TEXT_SWITCH(0, "000011", "a", 11, 40, "R+", "migration/0", 20, 0)
			      MOVE(0, "d.h3.", "000020", 20, "b", 12, 49, 0, 1)
				  TEXT_SWITCH(0, "000021", "migration/0", 20, 0, "S", "a", 11, 40) LATER,
		      "12:rt-push");
	/* a has run for a while. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 49, "R+", "a", 11, 40)
			  WAKE(0, "d..3.", "000015", 11, "e", 15, 120, 1)
			      MOVE(0, "d..3.", "000020", 11, "b", 12, 49, 0, 1) LATER,
		      "12:unknown");
	/* c wakes a deadline task for CPU 0, which then has more than it can run. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 49, "R+", "a", 11, 40)
			  TEXT_SWITCH(1, "000011", "swapper/1", 0, 120, "R", "c", 13, 120)
			      WAKE(1, "d..3.", "000019", 13, "e", 15, -1, 0)
				  MOVE(1, "d..3.", "000020", 13, "b", 12, 49, 0, 2) LATER,
		      "12:rt-push");
	/* c (120) is no real-time task, so it pulls none; but it may change its own or another's class. */
	assert_causes(TEXT_SWITCH(0, "000010", "b", 12, 49, "R+", "a", 11, 40)
			  TEXT_SWITCH(1, "000011", "swapper/1", 0, 120, "R", "c", 13, 120)
			      MOVE(1, "d..3.", "000020", 13, "b", 12, 49, 0, 1) LATER,
		      "12:unknown");
}

TEST(hotplug)
{
#define OFFLINE                                                                                                        \
	A_AND_C TEXT_SWITCH(0, "000012", "a", 11, 120, "R+", "cpuhp/0", 22, 120)                                       \
	    TEXT_SWITCH(0, "000013", "cpuhp/0", 22, 120, "D", "a", 11, 120)
#define ASKS                                                                                                           \
	WAKE(0, "d..3.", "000020", 11, "migration/0", 20, 0, 0)                                                        \
	STOPPER_COMES STOPPER_MOVES STOPPER_GOES LATER
	/* A task that runs on a CPU that goes offline asks the stopper, as for its own affinity. */
	assert_causes(OFFLINE ASKS, "11:unknown");
	/* The CPU is in use: it gets a task, which then leaves it by itself. */
	assert_causes(OFFLINE WAKE(1, "d..3.", "000014", 13, "e", 15, 120, 0)
			  TEXT_SWITCH(0, "000015", "a", 11, 120, "R", "e", 15, 120)
			      TEXT_SWITCH(0, "000016", "e", 15, 120, "S", "a", 11, 120) ASKS,
		      "11:self");
	assert_causes(OFFLINE WAKE(1, "d..3.", "000014", 13, "e", 15, 120, 0) ASKS, "11:unknown");
}

TEST(what_cannot_be_told_is_unknown)
{
	/* Events are missing just behind it. */
	assert_causes(B_SLEEPS MOVE(1, "d..2.", "000020", 0, "b", 12, 120, 0, 1) TEXT_LOST(1) LATER, "12:unknown");
	/* c is throttled, so that it leaves although it is runnable; or b preempts it. */
	assert_causes(A_RUNS_B_WAITS MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 1)
			  TEXT_SWITCH(1, "000021", "c", 13, 120, "R", "b", 12, 120) LATER,
		      "12:unknown");
	/* c has changed the affinity of b before, so it may have done so again. */
	assert_causes(A_RUNS_B_WAITS MOVE(1, "d..2.", "000020", 13, "b", 12, 120, 0, 2)
			  MOVE(1, "d..2.", "000021", 13, "b", 12, 120, 2, 1)
			      TEXT_SWITCH(1, "000022", "c", 13, 120, "S", "b", 12, 120) LATER,
		      "12:affinity 12:unknown");
	/* The trace ends. */
	assert_causes(B_SLEEPS MOVE(0, "d..2.", "000020", 11, "b", 12, 120, 0, 1), "12:unknown");
	/* A running task is moved by nobody but a stopper. */
	assert_causes(A_AND_C MOVE(1, "d..2.", "000020", 13, "a", 11, 120, 0, 1)
			  TEXT_SWITCH(0, "000021", "a", 11, 120, "S", "swapper/0", 0, 120) LATER,
		      "11:unknown");
}

/* More than can wait for a stack or an event: each is given, in the order of time. */
TEST(none_is_forgotten)
{
	const struct kernel_symbols symbols = {0};
	struct task_states states = {0};
	struct task_step step;
	struct migration migration;
	uint64_t given = 0;
	uint64_t last_ns = 0;

	struct migrations *migrations = migrations_open(NULL, &symbols, false);
	task_states_begin(&states, NULL, NULL);
	for (uint64_t i = 0; i < 5000; i++) {
		struct sched_event event = {
		    .ts_ns = 1000 + i, .cpu = (uint32_t)(i % 200), .kind = SCHED_MIGRATE, .common_pid = 5};
		event.migrate.task.pid = (int32_t)i + 10;
		event.migrate.task.prio = 120;
		event.migrate.from_cpu = (uint32_t)(i % 200);
		event.migrate.to_cpu = 300;
		assert_int_equal(task_states_step(&states, &event, &step, NULL), STATUS_OK);
		assert_int_equal(migrations_step(migrations, &states, &event, &step, NULL), STATUS_OK);
		for (; migrations_next(migrations, &migration); given++) {
			assert_true(migration.ts_ns > last_ns);
			last_ns = migration.ts_ns;
		}
	}
	migrations_end(migrations);
	for (; migrations_next(migrations, &migration); given++)
		last_ns = migration.ts_ns;
	assert_int_equal(given, 5000);
	assert_int_equal(last_ns, 5999);
	migrations_close(migrations);
	task_states_free(&states);
}

static const char symbols_text[] = "1000 t set_task_cpu\n2000 t try_to_wake_up\n3000 t detach_tasks.isra.0\n"
				   "4000 t migration_cpu_stop\n5000 t sched_exec\n6000 t __set_cpus_allowed_ptr\n"
				   "7000 t active_load_balance_cpu_stop\n8000 t unrelated\n"
				   "9000 t sched_balance_newidle\na000 t _nohz_idle_balance.isra.0\n"
				   "b000 t sched_balance_softirq\nc000 t unrelated\n";

/* One migration of PID 11 with this stack, by 20, the stopper, which asker (-1: nobody) woke with that stack. */
static struct migration with_stack(const uint64_t *stack, int32_t asker, const uint64_t *asking)
{
	struct kernel_symbols symbols;
	struct migration migration = {0};
	struct sched_event event = {.ts_ns = 1, .kind = SCHED_WAKING, .common_pid = asker};

	kernel_symbols_make(SPAN(symbols_text), &symbols);
	struct migrations *migrations = migrations_open(NULL, &symbols, true);
	if (asker >= 0) {
		event.wakeup.task = (struct sched_task){.comm = {"migration/0", 11}, .pid = 20, .prio = 0};
		assert_int_equal(migrations_step(migrations, NULL, &event, NULL, NULL), STATUS_OK);
		migrations_stack(migrations, &event, asking, 3);
	}
	event = (struct sched_event){.ts_ns = 2, .kind = SCHED_MIGRATE, .common_pid = 20};
	event.migrate.task.pid = 11;
	event.migrate.to_cpu = 1;
	assert_int_equal(migrations_step(migrations, NULL, &event, NULL, NULL), STATUS_OK);
	assert_false(migrations_next(migrations, &migration));
	event.kind = SCHED_OTHER_EVENT;
	migrations_stack(migrations, &event, stack, 3);
	assert_true(migrations_next(migrations, &migration));
	migrations_close(migrations);
	kernel_symbols_free(&symbols);
	return migration;
}

static void assert_stack(const struct migration *migration, enum migration_cause cause, const char *function)
{
	assert_int_equal(migration->cause, cause);
	assert_int_equal(migration->exact, cause != MIGRATION_UNKNOWN);
	if (function)
		assert_string_equal(migration->function, function);
	else
		assert_null(migration->function);
}

TEST(stacks_tell)
{
	static const uint64_t wakeup[] = {0x1010, 0x2010, 0x8010};
	static const uint64_t pull[] = {0x1010, 0x3010, 0x8010};
	static const struct {
		uint64_t stack[3];
		enum pull_kind kind;
	} pulls[] = {{{0x3010, 0x9010, 0x8010}, PULL_NEWIDLE},
		     {{0x3010, 0xa010, 0xb010}, PULL_NOHZ},
		     {{0x3010, 0x8010, 0xb010}, PULL_PERIODIC}};
	static const uint64_t active[] = {0x1010, 0x8010, 0x7010};
	static const uint64_t asked[] = {0x1010, 0x4010, 0x8010};
	static const uint64_t none[] = {0x1010, 0x8010, 0x8020};
	static const uint64_t exec[] = {0x2010, 0x5010, 0x8010};
	static const uint64_t allowed[] = {0x2010, 0x8010, 0x6010};
	/* The call was the last thing in try_to_wake_up(), so it returns to the function behind it. */
	static const uint64_t at_end[] = {0x1010, 0x3000, 0x8010};
	struct migration migration;

	migration = with_stack(wakeup, -1, NULL);
	assert_stack(&migration, MIGRATION_WAKEUP, "try_to_wake_up");
	migration = with_stack(pull, -1, NULL);
	assert_stack(&migration, MIGRATION_PULL, "detach_tasks");
	assert_int_equal(migration.pull, PULL_UNKNOWN);
	for (size_t i = 0; i < sizeof(pulls) / sizeof(*pulls); i++) {
		migration = with_stack(pulls[i].stack, -1, NULL);
		assert_stack(&migration, MIGRATION_PULL, "detach_tasks");
		assert_int_equal(migration.pull, pulls[i].kind);
	}
	migration = with_stack(active, -1, NULL);
	assert_stack(&migration, MIGRATION_ACTIVE, "active_load_balance_cpu_stop");
	migration = with_stack(at_end, -1, NULL);
	assert_stack(&migration, MIGRATION_WAKEUP, "try_to_wake_up");
	migration = with_stack(none, -1, NULL);
	assert_stack(&migration, MIGRATION_UNKNOWN, NULL);
	/* By the stopper: whoever asked it knows why. */
	migration = with_stack(asked, 11, exec);
	assert_stack(&migration, MIGRATION_EXEC, "sched_exec");
	migration = with_stack(asked, 11, allowed);
	assert_stack(&migration, MIGRATION_SELF, "__set_cpus_allowed_ptr");
	migration = with_stack(asked, 13, allowed);
	assert_stack(&migration, MIGRATION_AFFINITY, "__set_cpus_allowed_ptr");
	/* Another task's exec is not about this one. */
	migration = with_stack(asked, 13, exec);
	assert_stack(&migration, MIGRATION_UNKNOWN, "migration_cpu_stop");
	migration = with_stack(asked, -1, NULL);
	assert_stack(&migration, MIGRATION_UNKNOWN, "migration_cpu_stop");
}
