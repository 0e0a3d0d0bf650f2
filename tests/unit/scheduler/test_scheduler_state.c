/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "scheduler/scheduler_state.h"
#include "support/own_directory.h"
#include "support/unit.h"

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void put_enabled(const char *sequence)
{
	put("state", "enabled\n");
	put("enable_seq", sequence);
	put("switch_all", "1\n");
	put("nr_rejected", "2\n");
	mkdir("root", 0755);
	put("root/ops", "simple\n");
	put("root/events", "SCX_EV_A 5\nSCX_EV_B 0\nnone\n");
}

TEST_WITH(test_a_kernel_without_sched_ext_has_no_state, own_directory_enter, own_directory_leave)
{
	struct scheduler_state now;

	scheduler_state_read("nowhere", &now);
	assert_string_equal(now.state, "");
	assert_false(scheduler_is_enabled(&now));
}

TEST_WITH(test_a_scheduler_has_its_name_and_counts, own_directory_enter, own_directory_leave)
{
	struct scheduler_state now;

	put_enabled("3\n");
	scheduler_state_read(".", &now);
	assert_true(scheduler_is_enabled(&now));
	assert_string_equal(now.ops, "simple");
	assert_string_equal(now.subs, "");
	assert_int_equal(now.enable_seq, 3);
	assert_int_equal(now.nr_rejected, 2);
	assert_true(now.switch_all);
	assert_int_equal(now.event_count, 2);
	assert_string_equal(now.events[0].name, "SCX_EV_A");
	assert_int_equal(now.events[0].count, 5);
}

TEST_WITH(test_schedulers_of_cgroups_are_listed_after_the_machines, own_directory_enter, own_directory_leave)
{
	struct scheduler_state now;

	put_enabled("1\n");
	mkdir("root/sub", 0755);
	mkdir("root/sub/a", 0755);
	mkdir("root/sub/b", 0755);
	put("root/sub/a/ops", "flatcg\n");
	put("root/sub/b/ops", "qmap\n");
	scheduler_state_read(".", &now);
	assert_string_equal(now.ops, "simple");
	assert_string_equal(now.subs, "flatcg qmap");
}

TEST_WITH(test_it_was_kept_if_its_number_is_the_same, own_directory_enter, own_directory_leave)
{
	struct scheduler_state before, after;

	put_enabled("3\n");
	scheduler_state_read(".", &before);
	put("root/events", "SCX_EV_A 9\nSCX_EV_B 0\n");
	scheduler_state_read(".", &after);
	assert_true(scheduler_was_kept(&before, &after));
	scheduler_events_subtract(&before, &after);
	assert_int_equal(after.event_count, 1);
	assert_int_equal(after.events[0].count, 4);

	/* Ejected, and enabled again. */
	put("enable_seq", "4\n");
	scheduler_state_read(".", &after);
	assert_false(scheduler_was_kept(&before, &after));
	/* Ejected: the directory goes with it. */
	put("state", "disabled\n");
	put("enable_seq", "3\n");
	remove("root/ops");
	remove("root/events");
	scheduler_state_read(".", &after);
	assert_false(scheduler_was_kept(&before, &after));
}

TEST(test_the_kernels_log_has_the_reason)
{
	static const char log[] =
	    "<6>[    1.0] sched_ext: BPF scheduler \"simple\" enabled\n"
	    "<6>[    2.0] sched_ext: BPF scheduler \"simple\" disabled (unregistered from user space)\n"
	    "<3>[    9.0] sched_ext: BPF scheduler \"qmap\" disabled (runnable task stall)\n"
	    "<3>[    9.0] sched_ext: qmap: sh[960] failed to run for 7.376s\n"
	    "<3>[    9.1]    scx_watchdog_workfn+0x1\n";
	char reason[256];

	assert_true(scheduler_find_reason(log, "qmap", reason, sizeof(reason)));
	assert_string_equal(reason, "runnable task stall (sh[960] failed to run for 7.376s)");
	assert_true(scheduler_find_reason(log, "simple", reason, sizeof(reason)));
	assert_string_equal(reason, "unregistered from user space");
	assert_false(scheduler_find_reason(log, "flatcg", reason, sizeof(reason)));
	assert_true(scheduler_find_reason(log, "qmap", reason, 8));
	assert_string_equal(reason, "runnabl");
}

TEST(test_the_last_exit_of_the_output_is_the_reason)
{
	char reason[64];

	assert_true(
	    scheduler_find_exit("local=1\nEXIT: one\nlocal=2\nEXIT: disabled by sysrq-S", reason, sizeof(reason)));
	assert_string_equal(reason, "disabled by sysrq-S");
	assert_false(scheduler_find_exit("local=1\n", reason, sizeof(reason)));
}
