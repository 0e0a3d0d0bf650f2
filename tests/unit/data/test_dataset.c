/* SPDX-License-Identifier: MIT
 *
 * Whole datasets from trace.dat files made record by record. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/message.h"
#include "data/dataset.h"
#include "data/row_kind.h"
#include "data/switch_rows.h"
#include "support/event_recipe.h"
#include "support/own_directory.h"
#include "support/trace_recipe.h"
#include "support/unit.h"

#define HEADER "timestamp,time_diff,task_name,pid,cpu,prev_state,prev_comm,workload_type,trace_id\r\n"

static char warnings[4096];

static void keep_warning(void *context, enum message_kind kind, const char *text)
{
	(void)context;
	if (kind != MESSAGE_WARNING)
		return;
	strncat(warnings, text, sizeof(warnings) - strlen(warnings) - 2);
	strcat(warnings, "\n");
}

static int enter(void **state)
{
	warnings[0] = '\0';
	message_divert(keep_warning, NULL);
	return own_directory_enter(state) == 0 && mkdir("raw", 0777) == 0 ? 0 : -1;
}

static void save(struct trace_recipe *recipe, const char *path)
{
	struct buffer file = {0};
	struct error err = {0};

	assert_true(trace_build(recipe, &file));
	assert_int_equal(file_replace(path, file.data, file.length, &err), STATUS_OK);
	buffer_free(&file);
	trace_end(recipe);
}

static void assert_file(const char *path, const char *expected, size_t length)
{
	struct buffer text = {0};
	struct error err = {0};

	assert_int_equal(file_read(path, 1 << 20, &text, &err), STATUS_OK);
	if (text.length != length || memcmp(text.data, expected, length) != 0)
		fail_msg("%s is\n%s", path, text.data);
	buffer_free(&text);
}

/* *rows: of all.csv. */
static enum status make(bool allow_lossy, uint64_t *rows, struct error *err)
{
	const struct dataset_request request = {.kind = &switch_rows,
						.columns = switch_columns(NULL),
						.output_directory = ".",
						.train_ratio = 1,
						.seed = 42,
						.allowed = allow_lossy ? ALLOW_LOSSY : 0};
	struct dataset_summary summary;

	*err = (struct error){0};
	enum status status = dataset_build(&request, &summary, err);
	*rows = summary.files[OUTPUT_ALL].rows;
	dataset_summary_free(&summary);
	return status;
}

/* Two CPUs whose events alternate, every kind of name and state. */
TEST_WITH(rows_are_what_the_records_say, enter, own_directory_leave)
{
	struct trace_recipe recipe;
	struct page_recipe page;
	struct error err;
	uint64_t rows;

	trace_begin(&recipe, 2);
	page_begin(&page, 12345678901234);
	page_switch(&page, 0, "swapper/0", 0, 0, "a,b", 11);
	page_wakeup(&page, 5, ID_WAKEUP, "other", 99, 1);
	page_switch(&page, 995, "a,b", 11, 0x100, "two\nlines", 12);
	page_time_extend(&page, 10000000000);
	page_switch(&page, 0, "two\nlines", 12, 1, "say \"hi\"", 4194304);
	page_end(&page);
	trace_page(&recipe, 0, &page);
	page_begin(&page, 12345678901235);
	page_switch(&page, 0, "", 0, 2, "sixteen_bytes_xx", 13);
	page_switch(&page, 0, "sixteen_bytes_xx", 13, 0x80, "\xff\xfe", 14);
	page_end(&page);
	trace_page(&recipe, 1, &page);
	save(&recipe, "raw/odd_x_run7.dat");

	assert_int_equal(make(false, &rows, &err), STATUS_OK);
	static const char expected[] =
	    HEADER "12345.678901234,0.000000000,\"a,b\",11,0,R,swapper/0,odd_x,odd_x_run7\r\n"
		   "12345.678901235,0.000000001,sixteen_bytes_xx,13,1,D,,odd_x,odd_x_run7\r\n"
		   "12345.678901235,0.000000000,\xff\xfe,14,1,I,sixteen_bytes_xx,odd_x,odd_x_run7\r\n"
		   "12345.678902234,0.000000999,\"two\nlines\",12,0,R+,\"a,b\",odd_x,odd_x_run7\r\n"
		   "12355.678902234,10.000000000,\"say \"\"hi\"\"\",4194304,0,S,\"two\nlines\",odd_x,odd_x_run7\r\n";
	assert_file("all.csv", expected, sizeof(expected) - 1);
	assert_file("train.csv", expected, sizeof(expected) - 1);
	assert_file("test_seen.csv", HEADER, sizeof(HEADER) - 1);
	assert_file("test_unseen.csv", HEADER, sizeof(HEADER) - 1);
	assert_int_equal(rows, 5);
	assert_non_null(strstr(warnings, "no metadata in odd_x_run7.json"));
}

/* So many switches on CPU 0, one a microsecond. */
static void simple(struct trace_recipe *recipe, int switches)
{
	struct page_recipe page;

	trace_begin(recipe, 2);
	page_begin(&page, 1000000);
	for (int i = 0; i < switches; i++)
		page_switch(&page, 1000, "a", 1, 1, "b", 2);
	page_end(&page);
	trace_page(recipe, 0, &page);
}

TEST_WITH(statistics_that_tell_of_losses_are_refused, enter, own_directory_leave)
{
	struct trace_recipe recipe;
	struct error err;
	uint64_t rows;

	simple(&recipe, 3);
	recipe.stats[1] = STATS("30", "4");
	save(&recipe, "raw/a_b_run0.dat");
	assert_int_equal(make(false, &rows, &err), STATUS_LOST);
	assert_string_equal(err.where, "./raw/a_b_run0.dat");
	assert_string_equal(err.what, "lost 34 events (34 on CPU 1)");
	assert_non_null(strstr(err.remedy, "--buffer-size"));
	assert_int_equal(access("all.csv", F_OK), -1);
	assert_int_equal(access(".dataset.partial", F_OK), -1);
	assert_int_equal(make(true, &rows, &err), STATUS_OK);
	assert_int_equal(rows, 3);
	assert_non_null(strstr(warnings, "lost 34 events"));
}

TEST_WITH(pages_that_tell_of_losses_are_refused, enter, own_directory_leave)
{
	struct trace_recipe recipe;
	struct page_recipe page;
	struct error err;
	uint64_t rows;

	simple(&recipe, 3);
	page_begin(&page, 9000000);
	page_switch(&page, 0, "a", 1, 1, "b", 2);
	page_end_missed(&page, 1, 77);
	trace_page(&recipe, 0, &page);
	save(&recipe, "raw/a_b_run0.dat");
	assert_int_equal(make(false, &rows, &err), STATUS_LOST);
	assert_string_equal(err.what, "lost 77 events (77 on CPU 0 between 0.001003 and 0.009000 s)");
	assert_int_equal(make(true, &rows, &err), STATUS_OK);
	assert_int_equal(rows, 4);
}

TEST_WITH(metadata_marks_what_was_lost, enter, own_directory_leave)
{
	struct trace_recipe recipe;
	struct error err;
	uint64_t rows;
	struct buffer text = {0};
	struct json_value *json;
	uint64_t lost;

	simple(&recipe, 3);
	recipe.stats[1] = STATS("0", "4");
	save(&recipe, "raw/a_b_run0.dat");
	simple(&recipe, 2);
	save(&recipe, "raw/a_b_run1.dat");
	assert_int_equal(make(true, &rows, &err), STATUS_OK);
	assert_int_equal(file_read("dataset_meta.json", 1 << 20, &text, &err), STATUS_OK);
	assert_int_equal(json_parse(text.data, text.length, "x", &json, &err), STATUS_OK);
	const struct json_value *lossy = json_member(json, "lossy_traces")->child;
	assert_string_equal(lossy->text, "a_b_run0");
	assert_null(lossy->next);
	for (const struct json_value *trace = json_member(json, "traces")->child; trace; trace = trace->next) {
		assert_true(json_member_u64(trace, "lost_events", &lost));
		assert_int_equal(lost, strcmp(json_member_text(trace, "trace_id", ""), "a_b_run0") == 0 ? 4 : 0);
	}
	json_free(json);
	buffer_free(&text);
}

TEST_WITH(a_corrupt_page_leaves_the_earlier_dataset, enter, own_directory_leave)
{
	struct trace_recipe recipe;
	struct page_recipe page;
	struct error err;
	uint64_t rows;
	static const char one[] = HEADER "0.001001000,0.000000000,b,2,0,S,a,a_b,a_b_run0\r\n";

	simple(&recipe, 1);
	save(&recipe, "raw/a_b_run0.dat");
	assert_int_equal(make(false, &rows, &err), STATUS_OK);
	assert_file("all.csv", one, sizeof(one) - 1);
	simple(&recipe, 3);
	page_begin(&page, 9000000);
	page_switch(&page, 0, "a", 1, 1, "b", 2);
	page.at = 5000;
	page_end(&page);
	trace_page(&recipe, 1, &page);
	save(&recipe, "raw/b_b_run0.dat");
	assert_int_equal(make(true, &rows, &err), STATUS_CORRUPT);
	assert_non_null(strstr(err.where, "b_b_run0.dat"));
	assert_non_null(strstr(err.where, "CPU 1"));
	assert_file("all.csv", one, sizeof(one) - 1);
	assert_int_equal(access(".dataset.partial", F_OK), -1);
}

TEST_WITH(files_that_cannot_be_put_in_place_bring_the_earlier_ones_back, enter, own_directory_leave)
{
	struct trace_recipe recipe;
	struct error err;
	uint64_t rows;

	simple(&recipe, 1);
	save(&recipe, "raw/a_b_run0.dat");
	assert_int_equal(mkdir("test_seen.csv", 0777), 0);
	assert_int_equal(make(false, &rows, &err), STATUS_USAGE);
	assert_string_equal(err.where, "./test_seen.csv");
	assert_int_equal(access("train.csv", F_OK), -1);
	assert_int_equal(access(".dataset.partial", F_OK), -1);
}

TEST_WITH(a_trace_without_switches_is_said, enter, own_directory_leave)
{
	struct trace_recipe recipe;
	struct error err;
	uint64_t rows;

	simple(&recipe, 0);
	save(&recipe, "raw/a_b_run0.dat");
	assert_int_equal(make(false, &rows, &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "none of 1 traces holds switches"));
	simple(&recipe, 1);
	save(&recipe, "raw/a_b_run1.dat");
	assert_int_equal(make(false, &rows, &err), STATUS_OK);
	assert_non_null(strstr(warnings, "a_b_run0.dat: holds no sched_switch event"));
	assert_int_equal(rows, 1);
}
