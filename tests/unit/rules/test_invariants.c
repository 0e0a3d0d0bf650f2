/* SPDX-License-Identifier: MIT
 *
 * The rows of invariants: that each is complete, and named once. What they find is in tests/golden/rules. */
#include "rules/invariants.h"
#include "support/unit.h"

static bool is_listed(const char *event, size_t length, const char *field)
{
	for (int i = 0; i < KEY_ROWS; i++) {
		const struct key_event_row *row = &key_event_rows[i];
		if (strlen(row->name) != length || memcmp(row->name, event, length) != 0)
			continue;
		for (size_t j = 0; field && j < row->field_count; j++)
			if (strcmp(row->fields[j].name, field) == 0)
				return true;
		return !field;
	}
	return false;
}

TEST(each_row_is_complete)
{
	assert_true(invariant_count() > 0 && invariant_count() <= INVARIANTS_MAX);
	for (uint32_t i = 0; i < invariant_count(); i++) {
		const struct invariant_row *row = invariant_row(i);
		const char *const texts[] = {row->key, row->holds, row->broken, row->source, row->applies_to};
		for (size_t j = 0; j < sizeof(texts) / sizeof(*texts); j++)
			assert_true(texts[j] && texts[j][0]);
		assert_non_null(row->check);
		assert_int_not_equal(row->on, 0);
	}
}

TEST(each_key_is_that_of_one_row)
{
	for (uint32_t i = 0; i < invariant_count(); i++) {
		const char *key = invariant_row(i)->key;
		assert_int_equal(invariant_find(key), i);
		assert_int_equal(strspn(key, "abcdefghijklmnopqrstuvwxyz_"), strlen(key));
		for (uint32_t j = 0; j < i; j++) {
			assert_string_not_equal(invariant_row(j)->holds, invariant_row(i)->holds);
			assert_string_not_equal(invariant_row(j)->broken, invariant_row(i)->broken);
		}
	}
	assert_int_equal(invariant_find("lag"), RULE_NONE);
}

TEST(the_fields_that_a_row_needs_exist)
{
	for (uint32_t i = 0; i < invariant_count(); i++) {
		char needs[256], *rest = needs, *name;

		assert_true(strlen(invariant_row(i)->needs) < sizeof(needs));
		strcpy(needs, invariant_row(i)->needs);
		while (*needs && (name = strsep(&rest, " "))) {
			char *field = strchr(name, '.');
			const size_t length = field ? (size_t)(field - name) : strlen(name);
			if (strcmp(name, NEEDS_EQUAL_CPUS) != 0 && !is_listed(name, length, field ? field + 1 : NULL))
				fail_msg("%s needs %s, which is not recorded", invariant_row(i)->key, name);
		}
	}
}

TEST(weights_are_those_of_nice_levels)
{
	assert_int_equal(rule_class_weight(100, 0), UINT64_C(88761) << RULE_WEIGHT_SHIFT);
	assert_int_equal(rule_class_weight(120, 0), RULE_NICE_0_WEIGHT);
	assert_int_equal(rule_class_weight(139, 0), UINT64_C(15) << RULE_WEIGHT_SHIFT);
	assert_int_equal(rule_class_weight(120, 5), UINT64_C(3) << RULE_WEIGHT_SHIFT);
	assert_int_equal(rule_class_weight(99, 0), 0);
	assert_int_equal(rule_class_weight(140, 0), 0);
}

/* Fills the row with counts, and a first break of this run. */
static struct invariants found(uint64_t checked, uint64_t broken, uint64_t since_ns)
{
	struct invariants found = {.unjudged = 0};

	found.rows[0] = (struct invariant_account){
	    .checked = checked, .broken = broken, .first = {.row = 0, .evidence = {.since_ns = since_ns}}};
	return found;
}

TEST(the_first_break_of_several_traces)
{
	struct invariants sum = found(4, 0, 0), further = found(5, 2, 70);

	further.unjudged = 2;
	invariants_sum(&sum, &further, 3);
	assert_int_equal(sum.rows[0].checked, 9);
	assert_int_equal(sum.rows[0].broken, 2);
	assert_int_equal(sum.rows[0].first.run, 3);
	assert_int_equal(sum.rows[0].first.evidence.since_ns, 70);
	assert_int_equal(sum.unjudged, 2);
	further = found(1, 1, 20);
	invariants_sum(&sum, &further, 4);
	assert_int_equal(sum.rows[0].checked, 10);
	assert_int_equal(sum.rows[0].broken, 3);
	assert_int_equal(sum.rows[0].first.run, 3);
	assert_int_equal(sum.rows[0].first.evidence.since_ns, 70);
	assert_int_equal(sum.unjudged, 2);
}
