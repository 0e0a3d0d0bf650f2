/* SPDX-License-Identifier: MIT
 *
 * How many guests run side by side. */
#include "support/unit.h"
#include "vm/launch/jobs.h"

TEST(one_guest_per_free_cpu_and_memory)
{
	static const struct {
		struct jobs_host host;
		uint64_t memory_mb;
		unsigned int jobs;
	} cases[] = {
	    {{2, 2.0, 16000}, 1024, 2},        {{2, 1.9, 16000}, 1024, 2}, {{2, 1.2, 16000}, 1024, 1},
	    {{2, 0.0, 16000}, 1024, 1},        {{8, 8.0, 4000}, 1024, 3},  {{8, 8.0, 100}, 1024, 1},
	    {{1000, 1000, 4000000}, 192, 256}, {{4, 4.3, 16000}, 1024, 4},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(jobs_default(&cases[i].host, cases[i].memory_mb), cases[i].jobs);
}

TEST(ticks_of_the_allowed_cpus)
{
	static const char text[] = "cpu  99 99 99 99 99 99 99 99 0 0\n"
				   "cpu0 1 2 3 40 5 6 7 8 0 0\n"
				   "cpu1 1 1 1 1 1 1 1 1 0 0\n"
				   "cpu2 0 0 0 10 0 0 0 0 0 0\n"
				   "cpu3 broken\n"
				   "intr 5 cpu2\n";
	cpu_set_t allowed;
	uint64_t all, idle;

	CPU_ZERO(&allowed);
	CPU_SET(0, &allowed);
	CPU_SET(2, &allowed);
	CPU_SET(3, &allowed);
	jobs_parse_stat(text, &allowed, &all, &idle);
	assert_int_equal(all, 82);
	assert_int_equal(idle, 55);
	jobs_parse_stat("", &allowed, &all, &idle);
	assert_int_equal(all, 0);
}
