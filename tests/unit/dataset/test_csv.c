/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/csv_field.h"
#include "dataset/csv.h"

static struct csv_text text(const char *bytes)
{
	return (struct csv_text){bytes, strlen(bytes)};
}

static void check_field(const char *bytes, size_t length, const char *expected, size_t expected_length)
{
	struct buffer out = {0};

	csv_field_add(&out, bytes, length);
	assert_int_equal(out.length, expected_length);
	assert_memory_equal(out.data, expected, expected_length);
	assert_int_equal(out.data[out.length], 0);
	buffer_free(&out);
}

/* What python3 -c 'csv.writer(...).writerow([field, "x"])' writes for the field. */
static void fields_are_quoted_as_python_quotes_them(void **state)
{
	static const struct {
		const char *field, *written;
	} known[] = {
	    {"", ""},
	    {"plain", "plain"},
	    {" lead", " lead"},
	    {"tab\tand;", "tab\tand;"},
	    {"it's", "it's"},
	    {"back\\slash", "back\\slash"},
	    {"caf\xc3\xa9", "caf\xc3\xa9"},
	    {"\xff\xfe", "\xff\xfe"},
	    {"a,b", "\"a,b\""},
	    {"\"", "\"\"\"\""},
	    {"say \"hi\"", "\"say \"\"hi\"\"\""},
	    {"two\nlines", "\"two\nlines\""},
	    {"\r", "\"\r\""},
	    {"\"\"\"\"\"", "\"\"\"\"\"\"\"\"\"\"\"\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		check_field(known[i].field, strlen(known[i].field), known[i].written, strlen(known[i].written));
	check_field("a\0b", 3, "a\0b", 3);
	check_field("\0,", 2, "\"\0,\"", 4);
}

static void check_row_once(struct csv_row *row, const char *expected)
{
	struct buffer labels = {0};
	struct buffer out = {0};

	csv_add_labels(&labels, "w,1", "t_run0", false);
	buffer_text(&out, "before|");
	csv_add_row(&out, row, &labels);
	assert_string_equal(out.data, expected);
	assert_int_equal(out.length, strlen(expected));
	buffer_free(&labels);
	buffer_free(&out);
}

/* Also with what is kept from a row before, and of fields that were made beforehand. */
static void check_row(struct csv_row *row, const char *expected)
{
	struct csv_fields task;
	struct csv_fields left;

	check_row_once(row, expected);
	check_row_once(row, expected);
	csv_make_task(&task, row->task_name, row->pid);
	csv_make_left(&left, row->prev_state, row->prev_comm);
	row->task = &task;
	row->left = &left;
	check_row_once(row, expected);
}

/* The most that fits into struct csv_fields. */
static void the_longest_names_fit(void **state)
{
	char quotes[] = "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"";
	const struct csv_text name = {quotes, 16};
	struct csv_fields task;
	struct csv_fields left;

	(void)state;
	csv_make_task(&task, name, INT32_MIN);
	assert_int_equal(task.length, 34 + 1 + 11 + 1);
	csv_make_left(&left, (struct csv_text){quotes, 31}, name);
	assert_int_equal(left.length, sizeof(left.bytes));
	assert_memory_equal(left.bytes + 64, ",\"\"\"", 4);
}

static void rows_hold_the_nine_columns(void **state)
{
	(void)state;
	check_row(&(struct csv_row){.ts_ns = 12345678901234,
				    .time_diff_ns = 49000,
				    .task_name = text("swapper/2"),
				    .prev_state = text("R+"),
				    .prev_comm = text("a\"b"),
				    .pid = 0,
				    .cpu = 2},
		  "before|12345.678901234,0.000049000,swapper/2,0,2,R+,\"a\"\"b\",\"w,1\",t_run0\r\n");
	check_row(&(struct csv_row){.timestamp = text("00.5"),
				    .ts_ns = 500000000,
				    .time_diff_ns = 1000000001,
				    .time_diff_negative = true,
				    .pid = INT32_MIN,
				    .cpu = UINT32_MAX},
		  "before|00.5,-1.000000001,,-2147483648,4294967295,,,\"w,1\",t_run0\r\n");
	check_row(&(struct csv_row){.ts_ns = UINT64_MAX,
				    .time_diff_ns = UINT64_MAX,
				    .time_diff_negative = true,
				    .task_name = text("\"\"\"\"\"\"\"\"\"\"\"\"\"\"\""),
				    .prev_comm = text("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"),
				    .prev_state = text(","),
				    .pid = INT32_MAX,
				    .cpu = UINT32_MAX},
		  "before|18446744073.709551615,-18446744073.709551615,"
		  "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\",2147483647,4294967295,\",\","
		  "\"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\",\"w,1\",t_run0\r\n");
}

static void seconds_are_exact_at_every_magnitude(void **state)
{
	static const struct {
		uint64_t ns;
		const char *seconds;
	} known[] = {
	    {0, "0.000000000"},
	    {1, "0.000000001"},
	    {10, "0.000000010"},
	    {99, "0.000000099"},
	    {999999999, "0.999999999"},
	    {1000000000, "1.000000000"},
	    {9999999999, "9.999999999"},
	    {10000000000, "10.000000000"},
	    {99099009009, "99.099009009"},
	    {100000000000, "100.000000000"},
	    {123456789012345678, "123456789.012345678"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct buffer labels = {0};
		struct buffer out = {0};
		struct buffer expected = {0};
		csv_add_labels(&labels, "", "", false);
		csv_add_row(&out, &(struct csv_row){.ts_ns = known[i].ns, .time_diff_ns = known[i].ns}, &labels);
		buffer_printf(&expected, "%s,%s,,0,0,,,,\r\n", known[i].seconds, known[i].seconds);
		assert_string_equal(out.data, expected.data);
		buffer_free(&labels);
		buffer_free(&out);
		buffer_free(&expected);
	}
}

static void header_names_the_columns(void **state)
{
	struct buffer out = {0};

	(void)state;
	csv_add_header(&out, false);
	assert_string_equal(out.data, "timestamp,time_diff,task_name,pid,cpu,prev_state,prev_comm,workload_type,"
				      "trace_id\r\n");
	buffer_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fields_are_quoted_as_python_quotes_them),
	    cmocka_unit_test(rows_hold_the_nine_columns),
	    cmocka_unit_test(the_longest_names_fit),
	    cmocka_unit_test(seconds_are_exact_at_every_magnitude),
	    cmocka_unit_test(header_names_the_columns),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
