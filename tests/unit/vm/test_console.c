/* SPDX-License-Identifier: MIT
 *
 * A guest's console: the log that is kept, the lines that are shown, panics and other faults that its kernel reports.
 */
#include <unistd.h>

#include "base/file.h"
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

/* A message that the agent could not send to the host. */
TEST_WITH(last_message_of_picknext, set_up, NULL)
{
	say("[ 1.0] x: picknext: no\r\npicknext: first\r\npicknext: resource2: \x1b[2Jthe guest cannot reach the "
	    "host\r\n"
	    "reboot: Power down\n");
	assert_true(console.powered_off);
	assert_non_null(strstr(console.said, "resource2: "));
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
	    /* arm64 */
	    {"[    2.1] Unable to handle kernel NULL pointer dereference at virtual address 0000000000000048\r\n"
	     "[    2.1] Internal error: Oops: 0000000096000004 [#1] SMP\r\n"
	     "[    2.1] pc : pick_task_fair+0x4a/0x90\r\n[    2.1] lr : __schedule+0x1/0x2\r\n",
	     "NULL pointer in pick_task_fair", "pc : pick_task_fair+0x4a/0x90"},
	    {"[    2.1] Unable to handle kernel paging request at virtual address ffff\n[    2.1] pc : 0x0\n",
	     "page fault in 0x0", "pc : 0x0"},
	    {"[    2.1] kernel BUG at kernel/sched/core.c:12!\n[    2.1] Internal error: Oops - BUG: 00000000f2000800 "
	     "[#1] "
	     "SMP\n[    2.1] pc : update_rq+0x1/0x2 [m]\n",
	     "BUG in update_rq", "pc : update_rq+0x1/0x2 [m]"},
	    {"[    2.1] Internal error: Oops - Undefined instruction: 0000000002000000 [#1] SMP\n",
	     "undefined instruction", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up(NULL);
		say(cases[i].lines);
		assert_string_equal(console.oops, cases[i].oops);
		assert_string_equal(console.rip, cases[i].rip);
	}
}

TEST(console_is_kept_whole_and_shown_escaped)
{
	char path[] = "/tmp/picknext-test-console-XXXXXX";
	struct buffer kept = {0};
	char lines[1024];

	close(mkstemp(path));
	console_open(&console, path);
	say("one\r\ntwo\033[31m\r\n");
	say("th");
	say("ree\x9b\x01\n\n");
	console_last_lines(&console, 2, lines, sizeof(lines));
	assert_string_equal(lines, "  | two\\x1b[31m\n  | three\\x9b\\x01\n");
	console_last_lines(&console, 100, lines, sizeof(lines));
	assert_string_equal(lines, "  | one\n  | two\\x1b[31m\n  | three\\x9b\\x01\n");
	console_close(&console);
	assert_int_equal(file_read(path, 4096, &kept, NULL), STATUS_OK);
	assert_string_equal(kept.data, "one\r\ntwo\033[31m\r\nthree\x9b\x01\n\n");
	buffer_free(&kept);
	unlink(path);
}

TEST(a_panic_is_seen_however_it_is_cut)
{
	static const char text[] =
	    "[    1.0] x\r\n[    2.0] Kernel panic - not syncing: Attempted to \033kill init!\r\n"
	    "[    2.1] Kernel panic - not syncing: second\r\n";

	for (size_t step = 1; step < sizeof(text); step++) {
		console_open(&console, "/dev/null/none");
		for (size_t i = 0; i < sizeof(text) - 1; i += step)
			console_add(&console, text + i, step < sizeof(text) - 1 - i ? step : sizeof(text) - 1 - i);
		assert_string_equal(console.panic, "Kernel panic - not syncing: Attempted to \\x1bkill init!");
		console_close(&console);
	}
}

TEST(a_flood_keeps_the_tail)
{
	char lines[CONSOLE_TAIL * 2];
	char line[64];

	console_open(&console, "/dev/null/none");
	assert_int_not_equal(console.write_errnum, 0);
	for (int i = 0; i < 100000; i++) {
		snprintf(line, sizeof(line), "line %d\n", i);
		say(line);
	}
	console_last_lines(&console, 3, lines, sizeof(lines));
	assert_string_equal(lines, "  | line 99997\n  | line 99998\n  | line 99999\n");
	/* no newline for long, in pieces larger than the tail */
	char *flood = calloc(1, 3 * CONSOLE_TAIL);
	assert_non_null(flood);
	memset(flood, 'z', 3 * CONSOLE_TAIL);
	console_add(&console, flood, 3 * CONSOLE_TAIL);
	console_last_lines(&console, 5, lines, sizeof(lines));
	assert_int_equal(strspn(lines + 4, "z"), CONSOLE_TAIL);
	console_last_lines(&console, 5, lines, 32); /* a small text is cut, not overrun */
	assert_true(strlen(lines) < 32);
	free(flood);
	console_close(&console);
}
