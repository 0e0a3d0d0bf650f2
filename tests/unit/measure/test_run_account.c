/* SPDX-License-Identifier: MIT */
#include "measure/run_account.h"
#include "support/text_run.h"

static void take(void *context, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	run_account_step(context, states, event, step);
}

static void finish(struct run_account *account, struct task_states *states, uint64_t end_ns)
{
	struct task_slice slice;

	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		if (task_states_end_cpu(states, cpu, end_ns, &slice))
			run_account_slice(account, states, &slice);
	run_account_end(account, states, end_ns, end_ns - states->first_ns);
}

static uint64_t us(uint64_t microseconds)
{
	return 100000000000u + microseconds * 1000;
}

static const struct name_account *named(const struct run_account *account, struct task_states *states, const char *name)
{
	struct sched_comm comm = {.length = (uint8_t)strlen(name)};

	memcpy(comm.bytes, name, strlen(name));
	uint32_t number = comm_table_number(&states->comms, &comm);
	assert_true(2 * number + 1 < account->name_count);
	return &account->names[2 * number];
}

/* hog runs on CPU 0 from 0 to 30, then w, which was woken at 20, to 50; hog waits from 30 to 50 and runs to 70. w is
 * blocked in D from 50 to 65, waits to 70, runs to 80 and sleeps to the end at 100; hog waits from 70 and runs from
 * 80. */
static const char life[] = TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "hog", 10, 120)
    TEXT_WAKEUP(0, "000020", 10, "w", 11, 120, 0) TEXT_SWITCH(0, "000030", "hog", 10, 120, "R", "w", 11, 120)
	TEXT_SWITCH(0, "000050", "w", 11, 120, "D", "hog", 10, 120) TEXT_WAKEUP(0, "000065", 10, "w", 11, 120, 0)
	    TEXT_SWITCH(0, "000070", "hog", 10, 120, "R+", "w", 11, 120)
		TEXT_SWITCH(0, "000080", "w", 11, 120, "S", "hog", 10, 120);

TEST(test_all_of_a_tasks_time_is_told)
{
	struct task_states states = {0};
	struct run_account account = {0};

	text_run(&states, life, take, &account);
	finish(&account, &states, us(100));
	const struct name_account *w = named(&account, &states, "w");
	assert_int_equal(w->time_ns[TIME_RUNNING], 30000);
	assert_int_equal(w->time_ns[TIME_AFTER_WAKEUP], 10000 + 5000);
	assert_int_equal(w->time_ns[TIME_AFTER_PREEMPTION], 0);
	assert_int_equal(w->time_ns[TIME_UNINTERRUPTIBLE], 15000);
	assert_int_equal(w->time_ns[TIME_BLOCKED], 20000);
	assert_int_equal(w->tasks, 1);
	const struct name_account *hog = named(&account, &states, "hog");
	assert_int_equal(hog->time_ns[TIME_RUNNING], 30000 + 20000 + 20000);
	assert_int_equal(hog->time_ns[TIME_AFTER_PREEMPTION], 20000 + 10000);
	assert_int_equal(name_account_cpu(hog, 0), 70000);
	assert_int_equal(name_account_cpu(hog, 1), 0);
	assert_int_equal(account.cpu_count, 1);
	/* All that ran or waited, in the one bin of a millisecond. */
	assert_int_equal(account.bin_ns, 1000000);
	assert_int_equal(account.load_ns[0], 30000 + 15000 + 70000 + 30000);
	run_account_free(&account);
	task_states_free(&states);
}

TEST(test_who_waits_at_the_end_has_waited)
{
	struct task_states states = {0};
	struct run_account account = {0};

	text_run(&states,
		 TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "hog", 10, 120)
		     TEXT_WAKEUP(0, "000020", 10, "w", 11, 120, 0),
		 take, &account);
	finish(&account, &states, us(60));
	assert_int_equal(named(&account, &states, "w")->time_ns[TIME_AFTER_WAKEUP], 40000);
	run_account_free(&account);
	task_states_free(&states);
}

struct told {
	struct run_account account;
	struct descendants descendants;
};

static void take_told(void *context, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step)
{
	struct told *told = context;

	descendants_step(&told->descendants, states, step);
	run_account_step(&told->account, states, event, step);
}

/* sh 10 runs to 20, its namesake 11 to 50. */
TEST(test_a_name_is_told_apart_by_descent)
{
	static const int32_t root = 10;
	static struct told told;
	struct task_states states = {0};

	told = (struct told){.descendants = {.roots = &root, .root_count = 1}};
	told.account.descendants = &told.descendants;
	text_run(&states,
		 TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "sh", 10, 120)
		     TEXT_SWITCH(0, "000020", "sh", 10, 120, "S", "sh", 11, 120)
			 TEXT_SWITCH(0, "000050", "sh", 11, 120, "R", "swapper/0", 0, 120),
		 take_told, &told);
	finish(&told.account, &states, us(100));
	const struct name_account *sh = named(&told.account, &states, "sh");
	assert_int_equal(sh[0].time_ns[TIME_RUNNING], 20000);
	assert_int_equal(sh[0].time_ns[TIME_BLOCKED], 80000);
	assert_int_equal(sh[0].tasks, 1);
	assert_int_equal(sh[1].time_ns[TIME_RUNNING], 30000);
	assert_int_equal(sh[1].time_ns[TIME_AFTER_PREEMPTION], 50000);
	assert_int_equal(sh[1].tasks, 1);
	run_account_free(&told.account);
	descendants_free(&told.descendants);
	task_states_free(&states);
}

#define TEXT_BIRTH(us, by_pid, comm, pid)                                                                              \
	"  any-" #by_pid " [000] d..2. 100." us ": sched_wakeup_new: comm=" comm " pid=" #pid                          \
	" prio=120 target_cpu=000\n"

/* t 11, a thread of sh 10, calls exec at 30 and goes on as 10, which had died at 20. The PID of other 20, which died at
 * 5, is used again by one whose birth is missing, switched to at 60. */
TEST(test_a_thread_that_calls_exec_stays_ours)
{
	static const int32_t root = 9;
	static struct told told;
	struct task_states states = {0};

	told = (struct told){.descendants = {.roots = &root, .root_count = 1}};
	text_run(&states,
		 TEXT_SWITCH(0, "000000", "other", 20, 120, "R", "other", 20, 120)
		     TEXT_SWITCH(0, "000005", "other", 20, 120, "X", "sh", 9, 120) TEXT_BIRTH("000006", 9, "sh", 10)
			 TEXT_SWITCH(0, "000008", "sh", 9, 120, "S", "sh", 10, 120) TEXT_BIRTH("000010", 10, "t", 11)
			     TEXT_SWITCH(0, "000020", "sh", 10, 120, "Z", "t", 11, 120)
				 TEXT_WAKEUP(0, "000030", 10, "kworker", 30, 120, 0),
		 take_told, &told);
	uint32_t successor = text_run_task(&states, 10);
	assert_true(states.tasks[successor].is_born); /* it is the thread */
	assert_int_equal(states.cpus[0].current, successor);
	assert_true(descendants_has(&told.descendants, successor));
	assert_true(descendants_has(&told.descendants, text_run_task(&states, 11)));
	assert_false(descendants_has(&told.descendants, text_run_task(&states, 30)));
	assert_false(descendants_has(&told.descendants, text_run_task(&states, 20)));
	run_account_free(&told.account);
	descendants_free(&told.descendants);
	task_states_free(&states);
}

/* As a switch after the exec shows it; and a dead PID that is switched to is none of ours. */
TEST(test_only_who_runs_without_a_switch_has_called_exec)
{
	static const int32_t root = 10;
	static struct told told;
	struct task_states states = {0};

	told = (struct told){.descendants = {.roots = &root, .root_count = 1}};
	text_run(&states,
		 TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "other", 20, 120)
		     TEXT_SWITCH(0, "000005", "other", 20, 120, "X", "sh", 10, 120) TEXT_BIRTH("000010", 10, "t", 11)
			 TEXT_SWITCH(0, "000020", "sh", 10, 120, "Z", "t", 11, 120)
			     TEXT_SWITCH(0, "000030", "t", 10, 120, "R", "other", 20, 120),
		 take_told, &told);
	assert_true(descendants_has(&told.descendants, text_run_task(&states, 10)));
	assert_false(descendants_has(&told.descendants, text_run_task(&states, 20)));
	run_account_free(&told.account);
	descendants_free(&told.descendants);
	task_states_free(&states);
}

TEST(test_bins_grow_with_the_run)
{
	static struct run_account account;

	account = (struct run_account){0};
	run_account_migration(&account, MIGRATION_WAKEUP, 0, 1, 0);
	run_account_migration(&account, MIGRATION_WAKEUP, 0, 1, 1500000);
	assert_int_equal(account.bin_ns, 1000000);
	assert_int_equal(account.bins[MIGRATION_WAKEUP][1], 1);
	run_account_migration(&account, MIGRATION_PULL, 1, 5000, 200000000);
	assert_int_equal(account.bin_ns, 2000000);
	assert_int_equal(account.bins[MIGRATION_WAKEUP][0], 2);
	assert_int_equal(account.bins[MIGRATION_PULL][100], 1);
	assert_int_equal(account.pairs[1], 2);
	assert_int_equal(account.pairs[RUN_ACCOUNT_CPUS + RUN_ACCOUNT_CPUS - 1], 1);
	assert_int_equal(account.migrations, 3);
	run_account_free(&account);
}

/* A damaged trace may jump there: the end of the last bin is more than 64 bits hold. */
TEST(test_a_run_may_last_as_long_as_can_be_told)
{
	static struct run_account account;
	struct task_states states = {0};

	account = (struct run_account){0};
	text_run(&states, TEXT_SWITCH(0, "000000", "swapper/0", 0, 120, "R", "hog", 10, 120), take, &account);
	finish(&account, &states, UINT64_MAX);
	uint64_t sum = 0;
	for (size_t i = 0; i < RUN_ACCOUNT_BINS; i++)
		sum += account.load_ns[i];
	assert_int_equal(sum, UINT64_MAX - us(0));
	run_account_free(&account);
	task_states_free(&states);
}
