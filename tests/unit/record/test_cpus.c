/* SPDX-License-Identifier: MIT
 *
 * Lists of CPUs, and who runs on which. */
#include "base/cpu_list.h"
#include "record/tracefs/cpus.h"
#include "support/unit.h"

static void assert_round_trip(const char *from, int count, const char *to)
{
	cpu_set_t set;
	char text[256];

	assert_true(cpu_list_parse(from, &set));
	assert_int_equal(CPU_COUNT(&set), count);
	cpu_list_text(&set, text, sizeof(text));
	assert_string_equal(text, to);
}

TEST(reads_and_writes_lists)
{
	assert_round_trip("", 0, "");
	assert_round_trip("\n", 0, "");
	assert_round_trip("0", 1, "0");
	assert_round_trip("0-1\n", 2, "0-1");
	assert_round_trip("0-2,4,6-7", 6, "0-2,4,6-7");
	assert_round_trip("3,2,1", 3, "1-3");
	assert_round_trip("1023", 1, "1023");
}

TEST(refuses_what_is_no_list)
{
	static const char *const bad[] = {"a", "1-", "-1", "2-1", "1,", "1,,2", "1 2", "1024", "0-99999999999", "0x1"};
	cpu_set_t set;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (cpu_list_parse(bad[i], &set))
			fail_msg("took '%s' for a list of CPUs", bad[i]);
}

TEST(cuts_a_long_list)
{
	cpu_set_t set;
	char text[8];

	assert_true(cpu_list_parse("100,200,300,400", &set));
	cpu_list_text(&set, text, sizeof(text));
	assert_string_equal(text, "100,200");
}

static struct cpu_layout decided(const char *online, const char *isolated, const char *original)
{
	struct cpu_layout layout = {0};

	assert_true(cpu_list_parse(online, &layout.online));
	assert_true(cpu_list_parse(isolated, &layout.isolated));
	assert_true(cpu_list_parse(original, &layout.original));
	cpu_layout_decide(&layout);
	return layout;
}

static void assert_workload(const struct cpu_layout *layout, const char *expected)
{
	char text[64];

	cpu_list_text(&layout->workload, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(gives_the_tracer_an_isolated_cpu)
{
	struct cpu_layout layout = decided("0-3", "2-3", "0-1");

	assert_int_equal(layout.tracer_cpu, 3);
	assert_workload(&layout, "0-1");
	/* isolated, but offline: not there for the tracer */
	layout = decided("0-2", "2-3", "0-1");
	assert_int_equal(layout.tracer_cpu, 2);
	assert_workload(&layout, "0-1");
}

TEST(leaves_all_to_the_workload_otherwise)
{
	struct cpu_layout layout = decided("0-3", "", "0-3");

	assert_int_equal(layout.tracer_cpu, -1);
	assert_workload(&layout, "0-3");
	/* taskset before picknext counts */
	layout = decided("0-3", "", "1-2");
	assert_workload(&layout, "1-2");
	/* every CPU isolated: nothing would be left */
	layout = decided("0-1", "0-1", "0-1");
	assert_int_equal(layout.tracer_cpu, -1);
	assert_workload(&layout, "0-1");
	/* only an offline one isolated */
	layout = decided("0-1", "3", "0-1");
	assert_int_equal(layout.tracer_cpu, -1);
	assert_workload(&layout, "0-1");
}
