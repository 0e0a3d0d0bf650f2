/* SPDX-License-Identifier: MIT
 *
 * Which events a list means, and what is said where it means none. */
#include "base/buffer.h"
#include "record/tracefs/event_names.h"
#include "support/unit.h"

/* Systems are not always together in the kernel's list, and not every line is an event. */
static const char available[] = "sched:sched_switch\nirq:softirq_exit\nsched:sched_waking\nftrace:function\n"
				"irq:softirq_entry\nsched:sched_wakeup\npower:cpu_idle\n\nno colon\n:empty\nempty:\n"
				"other:sched_switch\nsched:sched_wakeup_new\n";

/* "system:name system:name": what wanted means. */
static void assert_means(const char *wanted, const char *expected)
{
	struct event_names names;
	struct error err = {0};
	struct buffer text = {0};

	event_names_read(available, &names);
	if (event_names_choose(&names, &wanted, 1, &err) != STATUS_OK)
		fail_msg("%s: %s", err.where, err.what);
	for (size_t i = 0; i < names.count; i++)
		buffer_printf(&text, "%s%s:%s", i ? " " : "", names.all[i].system, names.all[i].name);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
	event_names_free(&names);
}

static void assert_refused(const char *wanted, const char *what, const char *remedy)
{
	struct event_names names;
	struct error err = {0};

	event_names_read(available, &names);
	assert_int_equal(event_names_choose(&names, &wanted, 1, &err), STATUS_USAGE);
	assert_non_null(strstr(err.what, what));
	assert_non_null(strstr(err.remedy, remedy));
	event_names_free(&names);
}

TEST(takes_names_and_systems)
{
	assert_means("sched:sched_waking", "sched:sched_waking");
	assert_means("sched_waking", "sched:sched_waking");
	assert_means("sched_switch", "other:sched_switch sched:sched_switch");
	assert_means("irq", "irq:softirq_entry irq:softirq_exit");
}

TEST(takes_wildcards)
{
	assert_means("irq:*", "irq:softirq_entry irq:softirq_exit");
	assert_means("*_exit", "irq:softirq_exit");
	assert_means("sched:*_wak*g", "sched:sched_waking");
	assert_means("*:cpu_i?le", "power:cpu_idle");
	assert_means("po*", "power:cpu_idle");
	assert_means("*wakeup", "sched:sched_wakeup");
}

/* trace.dat wants the events of a system together, each once. */
TEST(groups_by_system)
{
	assert_means("sched:sched_wakeup,irq,power:cpu_idle,sched:sched_switch,*wakeup",
		     "irq:softirq_entry irq:softirq_exit power:cpu_idle sched:sched_switch sched:sched_wakeup");
}

TEST(takes_several_lists)
{
	static const char *const lists[] = {"power:cpu_idle,irq", "sched_waking", "irq:softirq_exit"};
	struct event_names names;

	event_names_read(available, &names);
	assert_int_equal(event_names_choose(&names, lists, 3, NULL), STATUS_OK);
	assert_int_equal(names.count, 4);
	assert_string_equal(names.all[0].name, "softirq_entry");
	assert_string_equal(names.all[3].name, "sched_waking");
	event_names_free(&names);
}

TEST(refuses_unknown_ones)
{
	assert_refused("sched_wakin", "'sched_wakin'", "sched_waking");
	assert_refused("sched_waking,sched:sched_swich", "'sched:sched_swich'", "sched:sched_switch");
	assert_refused("softirq", "'softirq'", "softirq_entry, softirq_exit");
	assert_refused("zzz", "'zzz'", "available_events");
	assert_refused("ftrace:function", "'ftrace:function'", "available_events");
	assert_refused("Sched_switch?", "'Sched_switch?'", "");
}

TEST(refuses_empty_names)
{
	char longer[200];

	assert_refused("", "separated by commas", "");
	assert_refused("sched_switch,", "separated by commas", "");
	assert_refused("sched_switch,,irq", "separated by commas", "");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_refused(longer, "separated by commas", "");
}
