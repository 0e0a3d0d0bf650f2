/* SPDX-License-Identifier: MIT */
#include "base/csv_field.h"
#include "data/switch_rows.h"
#include "support/unit.h"
#include "trace/leave_reason.h"

/* prev_state is the number of one of these texts. */
static const char *const states[] = {"", "R+", ",", "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\""};
enum { STATE_NONE, STATE_PREEMPTED, STATE_COMMA, STATE_LONGEST };

static void state_text(const void *context, uint64_t prev_state, char *text, size_t size)
{
	(void)context;
	snprintf(text, size, "%s", states[prev_state]);
}

static const struct leave_reason_table reasons = {.text = state_text};

static struct sched_comm comm(const char *bytes)
{
	struct sched_comm comm = {.length = (uint8_t)strlen(bytes)};

	memcpy(comm.bytes, bytes, comm.length);
	return comm;
}

static struct ftrace_span span(const char *bytes)
{
	return (struct ftrace_span){bytes, strlen(bytes)};
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

/* Each byte at each place of fields of 1 to 20 bytes, in memory of that length: ASan would tell of a byte too many. */
TEST(each_byte_at_each_place)
{
	for (size_t length = 1; length <= 20; length++)
		for (size_t place = 0; place < length; place++)
			for (unsigned int byte = 0; byte < 256; byte++) {
				char *field = malloc(length);
				char expected[24];
				size_t count = 0;
				assert_non_null(field);
				memset(field, 'x', length);
				field[place] = (char)byte;
				const bool quoted = byte == ',' || byte == '"' || byte == '\r' || byte == '\n';
				if (quoted)
					expected[count++] = '"';
				for (size_t i = 0; i < length; i++) {
					if (field[i] == '"')
						expected[count++] = '"';
					expected[count++] = field[i];
				}
				if (quoted)
					expected[count++] = '"';
				check_field(field, length, expected, count);
				free(field);
			}
}

/* The expected text is that of python3 -c 'csv.writer(...).writerow([field, "x"])'. */
TEST(fields_are_quoted_as_python_quotes_them)
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

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		check_field(known[i].field, strlen(known[i].field), known[i].written, strlen(known[i].written));
	check_field("a\0b", 3, "a\0b", 3);
	check_field("\0,", 2, "\"\0,\"", 4);
	check_field("a name of all 16", 16, "a name of all 16", 16);
	check_field("fifteen and one,", 16, "\"fifteen and one,\"", 18);
}

struct known_row {
	struct csv_time time;
	const char *task_name, *prev_comm;
	uint64_t prev_state;
	int32_t pid;
	uint32_t cpu;
	const char *expected; /* after the timestamp */
};

static void check_out(struct buffer *out, const char *timestamp, const char *expected)
{
	struct buffer whole = {0};

	buffer_printf(&whole, "before|%s,%s", timestamp, expected);
	assert_string_equal(out->data, whole.data);
	assert_int_equal(out->length, whole.length);
	buffer_free(&whole);
	buffer_clear(out);
}

/* Twice, after each other; as an event, and as that of a text trace. */
static void check_row(const struct known_row *row, const char *timestamp)
{
	struct row_writer writer;
	const struct columns standard = switch_columns(NULL);
	struct buffer out = {0};
	struct sched_event event = {.kind = SCHED_SWITCH, .cpu = row->cpu};
	const struct ftrace_text_switch text = {
	    .timestamp = span("00.5"),
	    .cpu = row->cpu,
	    .prev_comm = span(row->prev_comm),
	    .next_comm = span(row->task_name),
	    .prev_state = span(states[row->prev_state]),
	    .next_pid = row->pid,
	};

	event.switched.next = (struct sched_task){.comm = comm(row->task_name), .pid = row->pid};
	event.switched.prev = (struct sched_task){.comm = comm(row->prev_comm)};
	event.switched.prev_state = row->prev_state;
	row_writer_begin(&writer, &standard,
			 &(struct trace_labels){{[LABEL_WORKLOAD] = "w,1", [LABEL_TRACE_ID] = "t_run0"}});
	for (int i = 0; i < 2; i++) {
		buffer_text(&out, "before|");
		row_writer_add(&writer, &(struct dataset_row){.event = &event, .reasons = &reasons, .time = row->time},
			       0, &out);
		check_out(&out, timestamp, row->expected);
		buffer_text(&out, "before|");
		row_writer_add(&writer, &(struct dataset_row){.event = &event, .text = &text, .time = row->time}, 0,
			       &out);
		check_out(&out, "00.5", row->expected);
	}
	row_writer_free(&writer);
	buffer_free(&out);
}

TEST(rows_hold_the_nine_columns)
{
	check_row(&(struct known_row){{12345678901234, 49000, false},
				      "swapper/2",
				      "a\"b",
				      STATE_PREEMPTED,
				      0,
				      2,
				      "0.000049000,swapper/2,0,2,R+,\"a\"\"b\",\"w,1\",t_run0\r\n"},
		  "12345.678901234");
	check_row(&(struct known_row){{500000000, 1000000001, true},
				      "",
				      "",
				      STATE_NONE,
				      INT32_MIN,
				      UINT32_MAX,
				      "-1.000000001,,-2147483648,4294967295,,,\"w,1\",t_run0\r\n"},
		  "0.500000000");
	check_row(
	    &(struct known_row){
		{UINT64_MAX, UINT64_MAX, true},
		"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"",
		"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
		STATE_COMMA,
		INT32_MAX,
		UINT32_MAX,
		"-18446744073.709551615,"
		"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\",2147483647,4294967295,\",\","
		"\"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\",\"w,1\",t_run0\r\n"},
	    "18446744073.709551615");
}

/* A row has room for a name of 16 bytes and a state of 31, all of them quotes. */
TEST(the_longest_names_fit)
{
	static const char quotes[] = "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"";
	struct buffer expected = {0};

	assert_true(CSV_FIELD_MAX(31) <= COLUMN_BYTES_MAX);
	buffer_printf(&expected, "0.000000000,\"%s%s\",-2147483648,0,\"%s%s\",\"%s%s\",\"w,1\",t_run0\r\n", quotes,
		      quotes, states[STATE_LONGEST], states[STATE_LONGEST], quotes, quotes);
	check_row(&(struct known_row){{0}, quotes, quotes, STATE_LONGEST, INT32_MIN, 0, expected.data}, "0.000000000");
	buffer_free(&expected);
}

TEST(seconds_are_exact_at_every_magnitude)
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

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct row_writer writer;
		const struct columns standard = switch_columns(NULL);
		const struct sched_event event = {.kind = SCHED_SWITCH};
		struct buffer out = {0};
		struct buffer expected = {0};
		row_writer_begin(&writer, &standard,
				 &(struct trace_labels){{[LABEL_WORKLOAD] = "", [LABEL_TRACE_ID] = ""}});
		const struct csv_time time = {known[i].ns, known[i].ns, false};
		row_writer_add(&writer, &(struct dataset_row){.event = &event, .reasons = &reasons, .time = time}, 0,
			       &out);
		buffer_printf(&expected, "%s,%s,,0,0,,,,\r\n", known[i].seconds, known[i].seconds);
		assert_string_equal(out.data, expected.data);
		row_writer_free(&writer);
		buffer_free(&out);
		buffer_free(&expected);
	}
}

#define NINE     "timestamp,time_diff,task_name,pid,cpu,prev_state,prev_comm,workload_type,trace_id"
#define EXTENDED "next_prio,prev_pid,prev_prio,prev_runtime,wakeup_latency,waker_pid,waker_comm,migrated,runnable_tasks"

TEST(header_names_the_columns)
{
	static const char *const known[][2] = {
	    {NULL, NINE "\r\n"},
	    {"scheduler", NINE ",scheduler\r\n"},
	    {"extended", NINE "," EXTENDED "\r\n"},
	    {"extended,scheduler", NINE ",scheduler," EXTENDED "\r\n"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct columns columns = switch_columns(known[i][0]);
		struct buffer out = {0};
		columns_add_header(&columns, &out);
		assert_string_equal(out.data, known[i][1]);
		buffer_free(&out);
	}
}

TEST(the_scheduler_is_between_the_nine_columns_and_the_extended_ones)
{
	static const struct extended_values extended = {.runnable = 3};
	static const char *const layouts[] = {"scheduler", "extended,scheduler"};
	static const char *const expected[] = {
	    "0.000000000,0.000000000,,0,0,,,w,t,\"a,b\"\r\n",
	    "0.000000000,0.000000000,,0,0,,,w,t,\"a,b\",120,0,0,,,,,,\r\n",
	};

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const struct columns columns = switch_columns(layouts[i]);
		struct row_writer writer;
		const struct sched_event event = {.kind = SCHED_SWITCH, .switched.next.prio = 120};
		struct buffer out = {0};
		row_writer_begin(&writer, &columns,
				 &(struct trace_labels){
				     {[LABEL_WORKLOAD] = "w", [LABEL_TRACE_ID] = "t", [LABEL_SCHEDULER] = "a,b"}});
		row_writer_add(&writer,
			       &(struct dataset_row){.event = &event, .reasons = &reasons, .extended = &extended}, 0,
			       &out);
		assert_string_equal(out.data, expected[i]);
		row_writer_free(&writer);
		buffer_free(&out);
	}
}
