/* SPDX-License-Identifier: MIT
 *
 * The files of a dataset: all of them or none. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "data/column.h"
#include "data/dataset_files.h"
#include "support/own_directory.h"
#include "support/unit.h"

#define HEADER "timestamp,time_diff,task_name,pid,cpu,prev_state,prev_comm,workload_type,trace_id\r\n"
/* Files of an earlier build: only these are replaced. */
#define OLD_TRAIN HEADER "old train\r\n"
#define OLD_ALL   HEADER "old all\r\n"
#define OLD_META  "{\n  \"total_events\": 1\n}\n"

static struct error err;

static void assert_file(const char *path, const char *expected)
{
	struct buffer text = {0};

	assert_int_equal(file_read(path, 1 << 20, &text, &err), STATUS_OK);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

static enum status begin(struct output *output, const char *directory)
{
	struct buffer header = {0};

	buffer_text(&header, HEADER);
	enum status status = output_begin(output, directory, &header, &err);
	buffer_free(&header);
	return status;
}

static void add(struct output *output, enum split_part part, const char *rows, uint64_t count)
{
	struct buffer text = {0};

	buffer_text(&text, rows);
	assert_int_equal(output_rows(output, part, &text, count, &err), STATUS_OK);
	buffer_free(&text);
}

static enum status install(struct output *output, const char *metadata)
{
	struct buffer text = {0};

	buffer_text(&text, metadata);
	enum status status = output_install(output, &text, &err);
	buffer_free(&text);
	return status;
}

TEST_WITH(all_files_appear_together, own_directory_enter, own_directory_leave)
{
	struct output output;

	assert_int_equal(begin(&output, "new/deep"), STATUS_OK);
	add(&output, SPLIT_TRAIN, "1\r\n2\r\n", 2);
	add(&output, SPLIT_TEST_UNSEEN, "3\r\n", 1);
	assert_int_equal(output.files[OUTPUT_ALL].rows, 3);
	assert_int_equal(access("new/deep/train.csv", F_OK), -1);
	assert_int_equal(install(&output, "{}"), STATUS_OK);
	assert_file("new/deep/train.csv", HEADER "1\r\n2\r\n");
	assert_file("new/deep/test_seen.csv", HEADER);
	assert_file("new/deep/test_unseen.csv", HEADER "3\r\n");
	assert_file("new/deep/all.csv", HEADER "1\r\n2\r\n3\r\n");
	assert_file("new/deep/dataset_meta.json", "{}");
	assert_int_equal(access("new/deep/.dataset.partial", F_OK), -1);
	output_discard(&output);
}

TEST_WITH(discarding_leaves_what_was_there, own_directory_enter, own_directory_leave)
{
	struct output output;

	assert_int_equal(file_replace("train.csv", OLD_TRAIN, sizeof(OLD_TRAIN) - 1, &err), STATUS_OK);
	assert_int_equal(begin(&output, "."), STATUS_OK);
	add(&output, SPLIT_TRAIN, "1\r\n", 1);
	output_discard(&output);
	output_discard(&output);
	assert_file("train.csv", OLD_TRAIN);
	assert_int_equal(access(".dataset.partial", F_OK), -1);
	assert_int_equal(access("all.csv", F_OK), -1);
}

/* The fourth of five moves fails: the three before it are undone. */
TEST_WITH(a_failure_among_the_moves_undoes_the_others, own_directory_enter, own_directory_leave)
{
	struct output output;

	assert_int_equal(file_replace("train.csv", OLD_TRAIN, sizeof(OLD_TRAIN) - 1, &err), STATUS_OK);
	assert_int_equal(file_replace("all.csv", OLD_ALL, sizeof(OLD_ALL) - 1, &err), STATUS_OK);
	assert_int_equal(file_replace("dataset_meta.json", OLD_META, sizeof(OLD_META) - 1, &err), STATUS_OK);
	assert_int_equal(begin(&output, "."), STATUS_OK);
	add(&output, SPLIT_TRAIN, "1\r\n", 1);
	assert_int_equal(unlink(".dataset.partial/all.csv"), 0);
	assert_int_equal(install(&output, "new meta"), STATUS_SYSTEM);
	assert_file("train.csv", OLD_TRAIN);
	assert_file("all.csv", OLD_ALL);
	assert_file("dataset_meta.json", OLD_META);
	assert_int_equal(access("test_seen.csv", F_OK), -1);
	assert_int_equal(access("test_unseen.csv", F_OK), -1);
	assert_int_equal(access(".dataset.partial", F_OK), -1);
}

TEST_WITH(a_second_build_is_kept_out, own_directory_enter, own_directory_leave)
{
	struct output output;
	struct output second;

	assert_int_equal(begin(&output, "."), STATUS_OK);
	assert_int_equal(begin(&second, "."), STATUS_USAGE);
	assert_int_equal(access(".dataset.partial/train.csv", F_OK), 0);
	output_discard(&output);
	assert_int_equal(begin(&second, "."), STATUS_OK);
	output_discard(&second);
}

static void check_cut(uint64_t kept, const char *train, const char *test_seen)
{
	struct output output;

	assert_int_equal(begin(&output, "."), STATUS_OK);
	add(&output, SPLIT_TRAIN, "1,\"a\n\"\"\n\",x\r\n2,\"\"\"\n\"\r\n3,plain\r\n", 3);
	assert_int_equal(output_cut_train(&output, kept, &err), STATUS_OK);
	assert_int_equal(output.files[SPLIT_TRAIN].rows, kept);
	assert_int_equal(output.files[SPLIT_TEST_SEEN].rows, 3 - kept);
	assert_int_equal(output.files[SPLIT_TRAIN].bytes, strlen(train));
	assert_int_equal(output.files[SPLIT_TEST_SEEN].bytes, strlen(test_seen));
	assert_int_equal(install(&output, ""), STATUS_OK);
	assert_file("train.csv", train);
	assert_file("test_seen.csv", test_seen);
	assert_file("all.csv", HEADER "1,\"a\n\"\"\n\",x\r\n2,\"\"\"\n\"\r\n3,plain\r\n");
}

TEST_WITH(the_cut_lies_between_rows, own_directory_enter, own_directory_leave)
{
	check_cut(0, HEADER, HEADER "1,\"a\n\"\"\n\",x\r\n2,\"\"\"\n\"\r\n3,plain\r\n");
	check_cut(1, HEADER "1,\"a\n\"\"\n\",x\r\n", HEADER "2,\"\"\"\n\"\r\n3,plain\r\n");
	check_cut(2, HEADER "1,\"a\n\"\"\n\",x\r\n2,\"\"\"\n\"\r\n", HEADER "3,plain\r\n");
	check_cut(3, HEADER "1,\"a\n\"\"\n\",x\r\n2,\"\"\"\n\"\r\n3,plain\r\n", HEADER);
}

/* More than one chunk of a megabyte before and behind the cut. */
TEST_WITH(a_cut_far_into_a_large_file, own_directory_enter, own_directory_leave)
{
	struct output output;
	struct buffer block = {0};
	struct stat info;
	const uint64_t rows_of_block = 30000;

	for (uint64_t i = 0; i < rows_of_block; i++)
		buffer_printf(&block, "%09d,\"\n%c\"\"\"\r\n", (int)i, 'a' + (int)(i % 26));
	uint64_t row = block.length / rows_of_block;
	assert_int_equal(begin(&output, "."), STATUS_OK);
	for (int i = 0; i < 10; i++)
		add(&output, SPLIT_TRAIN, block.data, rows_of_block);
	assert_int_equal(output_cut_train(&output, 234567, &err), STATUS_OK);
	assert_int_equal(install(&output, ""), STATUS_OK);
	assert_int_equal(stat("train.csv", &info), 0);
	assert_int_equal(info.st_size, strlen(HEADER) + 234567 * row);
	assert_int_equal(stat("test_seen.csv", &info), 0);
	assert_int_equal(info.st_size, strlen(HEADER) + (10 * rows_of_block - 234567) * row);
	buffer_free(&block);
}

/* Blocks of several sizes, so many that marks are thinned out again and again. */
TEST_WITH(a_cut_among_many_blocks, own_directory_enter, own_directory_leave)
{
	static const uint64_t kepts[] = {0, 1, 3, 4999, 5000, 5001, 12345, 22220, 22221};
	const char row[] = "1,\"\n\"\r\n";
	struct output output;
	struct stat info;

	for (size_t k = 0; k < sizeof(kepts) / sizeof(kepts[0]); k++) {
		uint64_t rows = 0;
		assert_int_equal(begin(&output, "."), STATUS_OK);
		for (uint64_t block = 0; rows + block % 13 <= 22221; block++) {
			struct buffer text = {0};
			for (uint64_t i = 0; i < block % 13; i++)
				buffer_text(&text, row);
			if (block % 13)
				add(&output, SPLIT_TRAIN, text.data, block % 13);
			rows += block % 13;
			buffer_free(&text);
		}
		uint64_t kept = kepts[k] < rows ? kepts[k] : rows;
		assert_int_equal(output_cut_train(&output, kept, &err), STATUS_OK);
		assert_int_equal(install(&output, ""), STATUS_OK);
		assert_int_equal(stat("train.csv", &info), 0);
		assert_int_equal(info.st_size, strlen(HEADER) + kept * strlen(row));
		assert_int_equal(stat("test_seen.csv", &info), 0);
		assert_int_equal(info.st_size, strlen(HEADER) + (rows - kept) * strlen(row));
	}
}
