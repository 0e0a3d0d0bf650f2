/* SPDX-License-Identifier: MIT
 *
 * The values of --topology, and which of them and which numbers of CPUs it refuses. */
#include "support/unit.h"
#include "vm/protocol/topology.h"

static struct error err;

TEST(groups_are_as_large_as_asked)
{
	struct topology topology;

	assert_int_equal(topology_parse("smt=2,numa=2,llc=3,distance=254", &topology, NULL), STATUS_OK);
	assert_int_equal(topology_check(&topology, 24, NULL), STATUS_OK);
	assert_int_equal(topology_core_cpus(&topology), 2);
	assert_int_equal(topology_cache_cpus(&topology, 24), 4);
	assert_int_equal(topology_node_cpus(&topology, 24), 12);
	assert_int_equal(topology_caches(&topology), 6);
	assert_int_equal(topology.distance, 254);
}

TEST(nothing_given_is_one_group)
{
	struct topology topology;

	assert_int_equal(topology_parse(NULL, &topology, NULL), STATUS_OK);
	assert_false(topology_is_given(&topology));
	assert_int_equal(topology_check(&topology, 3, NULL), STATUS_OK);
	assert_int_equal(topology_caches(&topology), 1);
	assert_int_equal(topology_cache_cpus(&topology, 3), 3);
}

TEST(refuses_other_texts)
{
	static const char *const texts[] = {"",
					    "numa",
					    "numa=",
					    "numa=9",
					    "smt=5",
					    "llc=33",
					    "numa=2,,smt=2",
					    ",",
					    "smt=-1",
					    "smt=0",
					    "smt= 2",
					    "distance=10",
					    "numa=2,smt=2,",
					    "SMT=2",
					    "x=1",
					    "smt=2;",
					    "llc=00000000000000000000001",
					    "smt=2,smt=2",
					    "big=2",
					    "little=2",
					    "big=0,little=2",
					    "big=64,little=2",
					    "big=2,little=2,big=2",
					    "big=2,little=2,numa=2",
					    "big=2,little=2,smt=1",
					    "big=2,little=2,distance=20"};
	struct topology topology;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (topology_parse(texts[i], &topology, &err) != STATUS_USAGE)
			fail_msg("'%s' is taken", texts[i]);
	assert_int_equal(topology_parse("smt=2,distance=20", &topology, &err), STATUS_USAGE);
}

TEST(refuses_cpus_that_do_not_divide)
{
	struct topology topology;

	assert_int_equal(topology_parse("numa=2,smt=2", &topology, NULL), STATUS_OK);
	assert_int_equal(topology_check(&topology, 2, &err), STATUS_USAGE);
	assert_string_equal(err.remedy, "give --cpus 4");
	assert_int_equal(topology_check(&topology, 6, &err), STATUS_USAGE);
	assert_string_equal(err.remedy, "give --cpus 4"); /* no more than were asked for: there is a maximum */
	assert_int_equal(topology_check(&topology, 4, NULL), STATUS_OK);
}

TEST(kinds_are_all_of_the_cpus)
{
	struct topology topology;

	assert_int_equal(topology_parse("little=3,big=1", &topology, NULL), STATUS_OK);
	assert_true(topology_has_kinds(&topology) && !topology_is_given(&topology));
	assert_int_equal(topology_check(&topology, 4, NULL), STATUS_OK);
	assert_int_equal(topology_check(&topology, 2, &err), STATUS_USAGE);
	assert_string_equal(err.remedy, "give --cpus 4");
	assert_int_equal(topology_check(&topology, 8, &err), STATUS_USAGE);
}
