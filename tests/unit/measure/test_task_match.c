/* SPDX-License-Identifier: MIT */
#include "support/text_run.h"

#include "measure/task_match.h"

struct starts {
	uint64_t ns[64];
	uint32_t count;
};

static void note(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	struct starts *starts = context;

	(void)step;
	while (starts->count < states->task_count)
		starts->ns[starts->count++] = event->ts_ns;
}

static void match_of(const char *a, const char *b, struct task_states *states, struct task_match *match)
{
	struct starts starts = {0};

	*states = (struct task_states){0};
	text_run(states, a, note, &starts);
	text_run(states, b, note, &starts);
	task_match_make(states, starts.ns, NULL, match);
}

#define NS(us) (UINT64_C(100) * 1000000000 + (us)*1000)

#define NEW(cpu, us, by_pid, comm, pid, target)                                                                        \
	"  any-" #by_pid " [00" #cpu "] d..2. 100." us ": sched_wakeup_new: comm=" comm " pid=" #pid                   \
	" prio=120 target_cpu=00" #target "\n"

static const char first[] =
    TEXT_SWITCH(0, "000100", "swapper/0", 0, 120, "R", "make", 10, 120) NEW(0, "000200", 10, "worker", 11, 0)
	NEW(0, "000300", 10, "worker", 12, 0) TEXT_SWITCH(0, "000400", "make", 10, 120, "S", "worker", 12, 120)
	    TEXT_SWITCH(0, "000500", "worker", 12, 120, "S", "kworker/0:1", 5, 120)
		TEXT_SWITCH(0, "000600", "kworker/0:1", 5, 120, "I", "worker", 11, 120)
		    TEXT_SWITCH(0, "000700", "worker", 11, 120, "S", "swapper/0", 0, 120);

/* Its workers have PIDs in the other order and appear in another; another kworker of the pool. */
static const char second[] =
    TEXT_SWITCH(0, "000100", "swapper/0", 0, 120, "R", "make", 90, 120) NEW(0, "000200", 90, "worker", 93, 0)
	NEW(0, "000300", 90, "worker", 92, 0) TEXT_SWITCH(0, "000400", "make", 90, 120, "S", "worker", 93, 120)
	    TEXT_SWITCH(0, "000500", "worker", 93, 120, "S", "kworker/0:7", 5, 120)
		TEXT_SWITCH(0, "000600", "kworker/0:7", 5, 120, "I", "other", 94, 120)
		    TEXT_SWITCH(0, "000700", "other", 94, 120, "S", "swapper/0", 0, 120);

TEST(by_name_and_birth)
{
	struct task_states states;
	struct task_match match;

	match_of(first, second, &states, &match);
	uint32_t one = task_match_find(&match, 0, 11, NS(700));
	uint32_t two = task_match_find(&match, 0, 12, NS(700));
	assert_int_equal(one, task_match_find(&match, 1, 93, NS(700)));
	assert_int_equal(two, task_match_find(&match, 1, 92, NS(700)));
	assert_int_not_equal(one, two);
	assert_int_equal(match.pairs[one].rank, 1);
	assert_int_equal(match.pairs[two].rank, 2);
	assert_int_equal(match.pairs[two].pool_size, 2);
	assert_int_equal(match.pairs[one].pool, match.pairs[two].pool);
	assert_int_equal(task_match_find(&match, 0, 5, NS(700)), task_match_find(&match, 1, 5, NS(700)));
	assert_int_equal(task_match_find(&match, 0, 0, NS(700)), TASK_MATCH_IDLE);
	assert_int_equal(task_match_find(&match, 1, 0, NS(700)), TASK_MATCH_IDLE);
	assert_int_equal(task_match_find(&match, 0, 94, NS(700)), UINT32_MAX);
	assert_int_equal(match.matched, 4);
	assert_int_equal(match.renumbered, 3);
	assert_int_equal(match.only[0], 0);
	assert_int_equal(match.only[1], 1);
	task_match_free(&match);
	task_states_free(&states);
}

/* PID 11 is one worker, then another. */
static const char reused[] = TEXT_SWITCH(0, "000100", "swapper/0", 0, 120, "R", "make", 10, 120)
    NEW(0, "000200", 10, "worker", 11, 0) TEXT_SWITCH(0, "000300", "make", 10, 120, "R", "worker", 11, 120)
	TEXT_SWITCH(0, "000400", "worker", 11, 120, "X", "make", 10, 120) NEW(0, "000500", 10, "worker", 11, 0)
	    TEXT_SWITCH(0, "000600", "make", 10, 120, "S", "worker", 11, 120);

TEST(lives_of_one_pid)
{
	struct task_states states;
	struct task_match match;

	match_of(first, reused, &states, &match);
	assert_int_equal(task_match_find(&match, 1, 11, NS(400)), task_match_find(&match, 0, 11, NS(400)));
	assert_int_equal(task_match_find(&match, 1, 11, NS(600)), task_match_find(&match, 0, 12, NS(400)));
	task_match_free(&match);
	task_states_free(&states);
}

/* PIDs give the order of tasks that were there before; the first run does not. */
TEST(order_of_the_old)
{
	static const char a[] = TEXT_SWITCH(0, "000100", "w", 7, 120, "S", "w", 5, 120)
	    TEXT_SWITCH(0, "000200", "w", 5, 120, "S", "w", 6, 120);
	static const char b[] = TEXT_SWITCH(0, "000100", "w", 25, 120, "S", "w", 26, 120)
	    TEXT_SWITCH(0, "000200", "w", 26, 120, "S", "w", 27, 120);
	struct task_states states;
	struct task_match match;

	match_of(a, b, &states, &match);
	for (int32_t i = 5; i < 8; i++) {
		uint32_t pair = task_match_find(&match, 0, i, NS(200));
		assert_int_equal(pair, task_match_find(&match, 1, 20 + i, NS(200)));
		assert_int_equal(match.pairs[pair].rank, i - 4);
	}
	task_match_free(&match);
	task_states_free(&states);
}

/* Thread 12 of 11 calls exec and is 11 from then on; the same with other PIDs. */
#define EXEC(leader, thread)                                                                                           \
	TEXT_SWITCH(0, "000100", "swapper/0", 0, 120, "R", "main", leader, 120)                                        \
	NEW(0, "000200", leader, "main", thread, 0)                                                                    \
	TEXT_SWITCH(0, "000300", "main", leader, 120, "Z", "main", thread, 120)                                        \
	TEXT_SWITCH(0, "000500", "program", leader, 120, "S", "swapper/0", 0, 120)

TEST(a_thread_that_calls_exec)
{
	struct task_states states;
	struct task_match match;

	match_of(EXEC(11, 12), EXEC(21, 22), &states, &match);
	uint32_t leader = task_match_find(&match, 0, 11, NS(300));
	uint32_t thread = task_match_find(&match, 0, 12, NS(300));
	assert_int_not_equal(leader, thread);
	assert_int_equal(task_match_find(&match, 1, 21, NS(300)), leader);
	assert_int_equal(task_match_find(&match, 1, 22, NS(300)), thread);
	assert_int_equal(task_match_find(&match, 0, 11, NS(500)), thread);
	assert_int_equal(task_match_find(&match, 1, 21, NS(500)), thread);
	assert_int_equal(match.matched, 2);
	task_match_free(&match);
	task_states_free(&states);
}
