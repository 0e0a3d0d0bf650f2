/* SPDX-License-Identifier: MIT
 *
 * People see those of many candidates that matter; programs see all. */
#include "print/decision_print.h"
#include "support/unit.h"

#define MS           UINT64_C(1000000)
#define CANDIDATES   160
#define PICKED       90
#define RUNNING_RANK 130

static size_t count_of(const char *text, const char *words)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, words)); at++)
		count++;
	return count;
}

static void add_decision(struct decision_print *print, uint32_t candidates)
{
	static struct rule_entity entities[CANDIDATES];
	const struct analysis_options options = {.json = false};
	const struct task_states states = {.task_count = 0};
	const struct rules rules = {.machine.traits = {.has_deadline = true}};
	struct pick_level level = {.entities = entities,
				   .level = {.entities = entities,
					     .count = candidates,
					     .running = RUNNING_RANK % candidates,
					     .next = RULE_NONE,
					     .last = RULE_NONE,
					     .skip = RULE_NONE}};
	const struct rule_decision decision = {.kind = DECISION_SWITCH,
					       .next = TASK_NONE,
					       .rule_task = TASK_NONE,
					       .level_count = 1,
					       .levels = &level,
					       .picked = {PICKED % candidates},
					       .choices = {{.entity = PICKED % candidates}}};
	const struct found_decision found = {.decision = &decision, .rules = &rules};

	for (uint32_t i = 0; i < candidates; i++)
		entities[i] = (struct rule_entity){.id = i + 1,
						   .vruntime = 100 * MS,
						   .deadline = (1000 - i) * MS,
						   .weight = RULE_NICE_0_WEIGHT,
						   .on_rq = true};
	print->options = &options;
	decision_print_begin(print);
	decision_print_add(print, &states, &found);
}

TEST(a_level_with_many_candidates_fits_on_a_screen)
{
	struct decision_print print = {.options = NULL};

	add_decision(&print, CANDIDATES);
	assert_int_equal(count_of(print.text.data, "\ngroup "), 16);
	assert_int_equal(count_of(print.text.data, "<- picked"), 1);
	assert_int_equal(count_of(print.text.data, "running"), 1);
	/* That with the earliest deadline is among them, that with the latest is not. */
	assert_int_equal(count_of(print.text.data, "\ngroup 0000a0 "), 1);
	assert_int_equal(count_of(print.text.data, "\ngroup 000001 "), 0);
	assert_non_null(strstr(print.text.data, "and 144 more of 160 candidates"));
	assert_int_equal(print.tables[0].table.cell_count / print.tables[0].table.column_count, CANDIDATES);
	decision_print_free(&print);
}

TEST(all_of_few_candidates_are_shown)
{
	struct decision_print print = {.options = NULL};

	add_decision(&print, 16);
	assert_int_equal(count_of(print.text.data, "\ngroup "), 16);
	assert_null(strstr(print.text.data, "more of"));
	decision_print_free(&print);
}
