/* SPDX-License-Identifier: MIT */
#include "runs/loss.h"
#include "support/unit.h"

static void check_text(const struct losses *losses, const char *expected)
{
	struct buffer text = {0};

	losses_describe(losses, &text);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

static void add(struct losses *losses, uint32_t cpu, uint64_t events)
{
	losses_add(losses, &(struct loss){.cpu = cpu, .events = events});
}

TEST(the_larger_figure_of_a_cpu_counts)
{
	struct losses losses = {0};

	assert_false(losses_any(&losses));
	add(&losses, 3, 10);
	add(&losses, 0, 0);
	add(&losses, 3, 7);
	add(&losses, LOSS_CPU_UNKNOWN, 5);
	add(&losses, 3, 12);
	assert_true(losses_any(&losses));
	assert_int_equal(losses_events(&losses), 17);
	check_text(&losses,
		   "17 events (12 on CPU 3, an unknown number on CPU 0, 5 on a CPU that the trace does not name)");
	losses_free(&losses);
	assert_false(losses_any(&losses));
}

TEST(texts_fit_their_number)
{
	struct losses losses = {.incomplete = true};

	assert_true(losses_any(&losses));
	check_text(&losses, "the end of the trace");
	add(&losses, 1, 1);
	check_text(&losses, "1 event (1 on CPU 1) and the end of the trace");
	losses_free(&losses);
	add(&losses, 1, 0);
	check_text(&losses, "events (an unknown number on CPU 1)");
	losses_free(&losses);
}

TEST(losses_in_the_trace_have_times)
{
	const struct loss reported[] = {
	    {.cpu = 2, .events = 5, .places = 1, .after_ns = 8100000999, .before_ns = 8200000000},
	    {.cpu = 3, .places = 4, .after_ns = 0, .before_ns = 1000},
	};
	struct losses losses = {0};

	for (size_t i = 0; i < 2; i++)
		losses_add(&losses, &reported[i]);
	check_text(&losses,
		   "5 events (5 on CPU 2 between 8.100000 and 8.200000 s, an unknown number on CPU 3 at 4 places "
		   "before 0.000001 s)");
	losses_free(&losses);
}

TEST(many_cpus_are_bounded)
{
	struct losses losses = {0};

	for (uint32_t cpu = 0; cpu < 3000; cpu++)
		add(&losses, cpu, UINT64_MAX);
	assert_true(losses.count <= LOSS_CPUS_MAX + 1);
	assert_int_equal(losses_events(&losses), UINT64_MAX);
	losses_free(&losses);
	for (uint32_t cpu = 0; cpu < 10; cpu++)
		add(&losses, cpu, 1);
	check_text(&losses,
		   "10 events (1 on CPU 0, 1 on CPU 1, 1 on CPU 2, 1 on CPU 3, 1 on CPU 4, 1 on CPU 5, 1 on CPU 6, "
		   "1 on CPU 7, and on 2 more CPUs)");
	losses_free(&losses);
}

static void assert_place(const struct losses *losses, size_t index, unsigned int cpu, uint64_t events,
			 uint64_t after_ns, uint64_t before_ns)
{
	assert_true(index < losses->count);
	assert_int_equal(losses->items[index].cpu, cpu);
	assert_int_equal(losses->items[index].events, events);
	assert_int_equal(losses->items[index].after_ns, after_ns);
	assert_int_equal(losses->items[index].before_ns, before_ns);
}

static void add_place(struct losses *losses, unsigned int cpu, uint64_t events, uint64_t after_ns, uint64_t before_ns)
{
	losses_add_place(losses,
			 &(struct loss){.cpu = cpu, .events = events, .after_ns = after_ns, .before_ns = before_ns});
}

TEST(keeps_places_of_each_cpu)
{
	struct losses losses = {0};

	add_place(&losses, 0, 5, 100, 150);
	add_place(&losses, 1, 7, 100, 151);
	add_place(&losses, 0, 2, 300, 350);
	assert_int_equal(losses.count, 3);
	assert_place(&losses, 0, 0, 5, 100, 150);
	assert_place(&losses, 1, 1, 7, 100, 151);
	assert_place(&losses, 2, 0, 2, 300, 350);
	losses_free(&losses);
	assert_int_equal(losses.count, 0);
}

TEST(joins_neighbours)
{
	struct losses losses = {0};

	add_place(&losses, 0, 5, 100, 150);
	add_place(&losses, 1, 1, 100, 150);
	add_place(&losses, 0, 6, 149, 200);
	add_place(&losses, 0, 7, 199, 250);
	assert_int_equal(losses.count, 2);
	assert_place(&losses, 0, 0, 18, 100, 250);
	/* One event of the trace lies between these two. */
	add_place(&losses, 0, 3, 250, 260);
	assert_int_equal(losses.count, 3);
	losses_free(&losses);
}

TEST(sorts_by_time)
{
	struct losses losses = {0};

	losses_sort(&losses);
	add_place(&losses, 1, 1, 500, 600);
	add_place(&losses, 1, 2, 900, 910);
	add_place(&losses, 0, 3, 500, 550);
	add_place(&losses, 2, 4, 100, 950);
	losses_sort(&losses);
	assert_place(&losses, 0, 2, 4, 100, 950);
	assert_place(&losses, 1, 0, 3, 500, 550);
	assert_place(&losses, 2, 1, 1, 500, 600);
	assert_place(&losses, 3, 1, 2, 900, 910);
	losses_free(&losses);
}

TEST(stays_bounded_and_forgets_no_event)
{
	struct losses losses = {0};
	uint64_t sum = 0;

	for (uint64_t i = 0; i < LOSS_PLACES_MAX + 500; i++)
		add_place(&losses, (unsigned int)(i % 2), 3, 100 * i, 100 * i + 10);
	assert_int_equal(losses.count, LOSS_PLACES_MAX);
	for (size_t i = 0; i < losses.count; i++)
		sum += losses.items[i].events;
	assert_int_equal(sum, 3 * (LOSS_PLACES_MAX + 500));
	assert_int_equal(losses.items[losses.count - 1].before_ns, 100 * (LOSS_PLACES_MAX + 499) + 10);
	/* A CPU that had none before is told all the same. */
	add_place(&losses, 9, 4, 1, 2);
	assert_place(&losses, LOSS_PLACES_MAX, 9, 4, 1, 2);
	losses_free(&losses);
}
