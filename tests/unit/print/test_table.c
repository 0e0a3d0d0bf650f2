/* SPDX-License-Identifier: MIT
 *
 * Tables that are too wide: what is shortened, what is left out, and what never is. */
#include "print/table.h"
#include "support/unit.h"

static const struct table_column columns[] = {
    {"name", "name", TABLE_TEXT, TABLE_ALWAYS},
    {"value", "value", TABLE_VALUE, TABLE_ALWAYS},
    {"details", "the\ndetails", TABLE_WORD, TABLE_WIDE},
    {"verdict", "verdict", TABLE_WORD, TABLE_KEPT},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

static void add_row(struct table *table, const char *name, const char *verdict)
{
	table_string(table, name);
	table_string(table, "123.4");
	table_string(table, "of little interest");
	table_string(table, verdict);
}

static void make_table(struct table *table)
{
	*table = table_of(columns);
	add_row(table, "hackbench_pipe_small_groups", "better");
	add_row(table, "hackbench_pipe_large_groups", "worse?");
	add_row(table, "short", "equal");
}

static void assert_shown(unsigned int width, const char *wanted)
{
	struct buffer out = {0};
	struct table table;

	make_table(&table);
	table_write_text(&table, width, &out);
	assert_string_equal(out.data, wanted);
	buffer_free(&out);
	table_free(&table);
}

TEST(test_whole)
{
	assert_shown(0, "                                    the\n"
			"name                         value  details             verdict\n"
			"hackbench_pipe_small_groups  123.4  of little interest  better\n"
			"hackbench_pipe_large_groups  123.4  of little interest  worse?\n"
			"short                        123.4  of little interest  equal\n");
}

TEST(test_columns_left_out)
{
	assert_shown(50, "name                         value  verdict\n"
			 "hackbench_pipe_small_groups  123.4  better\n"
			 "hackbench_pipe_large_groups  123.4  worse?\n"
			 "short                        123.4  equal\n"
			 "Left out at this width: the details\n");
	assert_shown(26, "name               verdict\n"
			 "hackbenc…ll_groups better\n"
			 "hackbenc…ge_groups worse?\n"
			 "short              equal\n"
			 "Left out at this width:\n"
			 "  value, the details\n");
}

static const struct table_column unclear_columns[] = {
    {"run", "run", TABLE_NUMBER, TABLE_DATA},
    {"name", "name", TABLE_TEXT, TABLE_ALWAYS},
    {"verdict", "verdict", TABLE_VERDICT, TABLE_KEPT},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

static void assert_unclear(unsigned int width, const char *wanted)
{
	struct buffer out = {0};

	struct table table = table_of(unclear_columns);
	table_number(&table, 7);
	table_string(&table, "involuntary_share");
	table_string(&table, "unclear ≤19.7%, 53 runs");
	table_write_text(&table, width, &out);
	assert_string_equal(out.data, wanted);
	buffer_free(&out);
	table_free(&table);
}

/* The first column that is shown begins the line, whatever columns are only data. */
TEST(test_verdict_without_runs)
{
	assert_unclear(42, "name               verdict\n"
			   "involuntary_share  unclear ≤19.7%, 53 runs\n");
	assert_unclear(40, "name             verdict\n"
			   "involunt…y_share unclear ≤19.7%, 53 runs\n");
	assert_unclear(32, "name              verdict\n"
			   "involuntary_share unclear ≤19.7%\n"
			   "Left out at this width: runs to\n"
			   "  decide\n");
}

/* The ellipsis is as near to the middle as the difference of two names allows. */
TEST(test_names_shortened)
{
	assert_shown(35, "name                  value verdict\n"
			 "hackbench…mall_groups 123.4 better\n"
			 "hackbench…arge_groups 123.4 worse?\n"
			 "short                 123.4 equal\n"
			 "Left out at this width: the details\n");
}

/* Columns that never shrink make the table wider than the terminal. */
TEST(test_too_narrow)
{
	assert_shown(10, "name             verdict\n"
			 "hackben…l_groups better\n"
			 "hackben…e_groups worse?\n"
			 "short            equal\n"
			 "Left out\n"
			 "  at this\n"
			 "  width:\n"
			 "  value,\n"
			 "  the\n"
			 "  details\n");
}

/* Names that differ only in one place keep that place, at every width. */
TEST(test_one_difference)
{
	static const struct table_column one[] = {{"name", "name", TABLE_TEXT, TABLE_ALWAYS}, {NULL, NULL, 0, 0}};
	char name[61], lines[2][128];

	for (unsigned int width = 16; width < 60; width++)
		for (size_t place = 0; place < 60; place++) {
			struct buffer out = {0};
			struct table table = table_of(one);
			memset(name, 'a', 60);
			name[60] = '\0';
			table_string(&table, name);
			name[place] = 'b';
			table_string(&table, name);
			table_write_text(&table, width, &out);
			assert_int_equal(sscanf(out.data, "name\n%127s\n%127s\n", lines[0], lines[1]), 2);
			assert_string_not_equal(lines[0], lines[1]);
			buffer_free(&out);
			table_free(&table);
		}
}

TEST(test_markdown)
{
	struct buffer out = {0};
	char long_name[601];

	memset(long_name, 'x', 600);
	long_name[600] = '\0';
	struct table table = table_of(columns);
	add_row(&table, "a|b_c <i>", "worse?");
	table_strong(&table);
	add_row(&table, long_name, "equal");
	table_write_markdown(&table, &out);
	assert_non_null(strstr(out.data, long_name));
	*strstr(out.data, "| xxx") = '\0';
	assert_string_equal(out.data, "| name | value | the details | verdict |\n"
				      "|:--|--:|:--|:--|\n"
				      "| a&#124;b_c &#60;i&#62; | 123.4 | of little interest | **worse?** |\n");
	buffer_free(&out);
	table_free(&table);
}
