/* SPDX-License-Identifier: MIT
 *
 * What is read from a guest's console: panics, and other faults that its kernel reports. */
#include "support/unit.h"
#include "vm/launch/console.h"

static struct console console;

static void say(const char *text)
{
	console_add(&console, text, strlen(text));
}

static int set_up(void **state)
{
	console = (struct console){.file = -1};
	return 0;
}

TEST_WITH(faults, set_up, NULL)
{
	static const struct {
		const char *line, *fault;
	} cases[] = {
	    {"[    1.5] WARNING: CPU: 0 PID: 1 at kernel/sched/core.c:12 x+0x1\r\n",
	     "WARNING: CPU: 0 PID: 1 at kernel/sched/core.c:12 x+0x1"},
	    {"[    1.5] BUG: kernel NULL pointer dereference\n", "BUG: kernel NULL pointer dereference"},
	    {"[    1.5] watchdog: BUG: soft lockup - CPU#1 stuck for 23s!\n",
	     "BUG: soft lockup - CPU#1 stuck for 23s!"},
	    {"[   61.0] rcu: INFO: rcu_preempt self-detected stall on CPU\n",
	     "rcu: INFO: rcu_preempt self-detected stall on CPU"},
	    {"[   61.0] rcu: INFO: rcu_sched detected stalls on CPUs/tasks:\n",
	     "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:"},
	    {"[  242.0] INFO: task kworker/0:1:17 blocked for more than 120 seconds.\n",
	     "INFO: task kworker/0:1:17 blocked for more than 120 seconds."},
	    {"[    1.5] WARNING: no certificate was found\n", ""},
	    {"[    0.0] rcu: INFO: rcu_preempt is loaded\n", ""},
	    {"[    1.5] DEBUG: level 3\n", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up(NULL);
		say(cases[i].line);
		assert_string_equal(console.fault, cases[i].fault);
		assert_string_equal(console.panic, "");
	}
}

TEST_WITH(the_first_one_counts, set_up, NULL)
{
	say("[1] WARNING: CPU: 0 PID: 1 at a.c:1\n[2] BUG: b\n[3] Kernel panic - not syncing: \x1b[2Jc\n");
	assert_string_equal(console.fault, "WARNING: CPU: 0 PID: 1 at a.c:1");
	assert_non_null(strstr(console.panic, "Kernel panic - not syncing: "));
	assert_null(strchr(console.panic, '\x1b'));
	console_begin_again(&console);
	assert_string_equal(console.fault, "");
	say("[1] WARNING: CPU: 0 PI");
	say("D: 1 at b.c:2");
	assert_string_equal(console.fault, "");
	say("\n");
	assert_string_equal(console.fault, "WARNING: CPU: 0 PID: 1 at b.c:2");
}

/* What the agent could not send to the host. */
TEST_WITH(last_message_of_picknext, set_up, NULL)
{
	say("[ 1.0] x: picknext: no\r\npicknext: first\r\npicknext: /dev/port: \x1b[2Jthe guest cannot reach the "
	    "host\r\n"
	    "reboot: Power down\n");
	assert_true(console.powered_off);
	assert_non_null(strstr(console.said, "/dev/port: "));
	assert_null(strpbrk(console.said, "\x1b\r"));
	console_begin_again(&console);
	assert_string_equal(console.said, "");
}

TEST_WITH(an_oops_says_what_and_where, set_up, NULL)
{
	static const struct {
		const char *lines, *oops, *rip;
	} cases[] = {
	    {"[    2.1] BUG: kernel NULL pointer dereference, address: 0000000000000048\r\n[    2.1] #PF: supervisor "
	     "read\r\n"
	     "[    2.1] RIP: 0010:pick_task_fair+0x4a/0x90\r\n[    2.1] RIP: 0033:0x7f00\r\n",
	     "NULL pointer in pick_task_fair", "RIP: 0010:pick_task_fair+0x4a/0x90"},
	    {"[    2.1] BUG: unable to handle page fault for address: ffff\n[    2.1] RIP: 0010:0x0\n",
	     "page fault in 0x0", "RIP: 0010:0x0"},
	    {"[    2.1] kernel BUG at kernel/sched/core.c:12!\n", "BUG", ""},
	    {"[    2.1] divide error: 0000 [#1]\n[    2.1] RIP:  \n", "divide error", "RIP:  "},
	    {"[    2.1] WARNING: CPU: 0 PID: 1 at a.c:1\n[    2.1] RIP: 0010:update_rq+0x1/0x2\n", "", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up(NULL);
		say(cases[i].lines);
		assert_string_equal(console.oops, cases[i].oops);
		assert_string_equal(console.rip, cases[i].rip);
	}
}
