/* SPDX-License-Identifier: MIT
 *
 * The protocol buffers encoder, the table of tasks, and files that are complete or absent. */
#include <unistd.h>

#include "base/file.h"
#include "base/output_stream.h"
#include "export/protobuf.h"
#include "export/task_table.h"
#include "support/own_directory.h"
#include "support/unit.h"

static void assert_bytes(struct buffer *message, const char *expected, size_t length)
{
	assert_int_equal(message->length, length);
	assert_memory_equal(message->data, expected, length);
	buffer_clear(message);
}

#define ASSERT_BYTES(message, expected) assert_bytes(message, expected, sizeof(expected) - 1)

TEST(test_numbers)
{
	struct buffer message = {0};

	protobuf_unsigned(&message, 1, 0);
	ASSERT_BYTES(&message, "\x08\x00");
	protobuf_unsigned(&message, 1, 150); /* the example of the encoding's own description */
	ASSERT_BYTES(&message, "\x08\x96\x01");
	protobuf_unsigned(&message, 491, 127);
	ASSERT_BYTES(&message, "\xd8\x1e\x7f");
	protobuf_unsigned(&message, 15, UINT64_MAX);
	ASSERT_BYTES(&message, "\x78\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	protobuf_signed(&message, 2, -2);
	ASSERT_BYTES(&message, "\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	protobuf_signed(&message, 2, INT64_MIN);
	ASSERT_BYTES(&message, "\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
	buffer_free(&message);
}

TEST(test_texts)
{
	struct buffer message = {0};
	char long_text[300];

	protobuf_text(&message, 2, "testing", 7);
	ASSERT_BYTES(&message, "\x12\x07testing");
	protobuf_text(&message, 2, "", 0);
	ASSERT_BYTES(&message, "\x12\x00");
	protobuf_text(&message, 2, "caf\xc3\xa9", 5);
	ASSERT_BYTES(&message, "\x12\x05"
			       "caf\xc3\xa9");
	/* Bytes that are no UTF-8, an overlong form, a surrogate, and a sequence that ends early. */
	protobuf_text(&message, 2,
		      "\xff"
		      "a\xc0\xaf",
		      4);
	ASSERT_BYTES(&message, "\x12\x0a\xef\xbf\xbd"
			       "a\xef\xbf\xbd\xef\xbf\xbd");
	protobuf_text(&message, 2, "\xed\xa0\x80", 3);
	ASSERT_BYTES(&message, "\x12\x09\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	protobuf_text(&message, 2, "x\xe2\x82", 3);
	ASSERT_BYTES(&message, "\x12\x07x\xef\xbf\xbd\xef\xbf\xbd");
	memset(long_text, 'x', sizeof(long_text));
	protobuf_text(&message, 2, long_text, sizeof(long_text));
	assert_int_equal(message.length, 303);
	assert_memory_equal(message.data, "\x12\xac\x02x", 4);
	buffer_clear(&message);
	protobuf_bytes(&message, 3, "\xff\0\x01", 3);
	ASSERT_BYTES(&message, "\x1a\x03\xff\0\x01");
	buffer_free(&message);
}

static struct sched_task task_of(int32_t pid, const char *name)
{
	struct sched_task task = {.pid = pid};

	task.comm.length = (uint8_t)strlen(name);
	memcpy(task.comm.bytes, name, task.comm.length);
	return task;
}

TEST(test_tasks)
{
	struct task_table table = {0};
	struct sched_task task = task_of(0, "swapper/0");
	size_t found = 0;

	task_table_note(&table, &task);
	assert_int_equal(table.count, 0);
	for (int round = 0; round < 2; round++) {
		for (int32_t pid = -2; pid < 5000; pid++) {
			task = task_of(pid, round ? "later" : "first");
			task_table_note(&table, &task);
		}
	}
	assert_int_equal(table.count, 5001);
	assert_int_equal(table.left_out, 0);
	for (size_t i = 0; i < table.size; i++) {
		if (table.slots[i].pid == 0)
			continue;
		found++;
		assert_int_equal(table.slots[i].comm.length, 5);
		assert_memory_equal(table.slots[i].comm.bytes, "later", 5);
	}
	assert_int_equal(found, 5001);
	task_table_free(&table);
}

TEST(test_too_many_tasks)
{
	struct task_table table = {0};

	for (int32_t pid = 1; pid <= (int32_t)TASK_TABLE_MAX + 10; pid++) {
		struct sched_task task = task_of(pid, "x");
		task_table_note(&table, &task);
	}
	assert_int_equal(table.count, TASK_TABLE_MAX);
	assert_int_equal(table.left_out, 10);
	/* Known ones are still told from new ones. */
	struct sched_task known = task_of(7, "known");
	task_table_note(&table, &known);
	assert_int_equal(table.left_out, 10);
	task_table_free(&table);
}

static void assert_file(const char *path, const char *expected)
{
	struct buffer contents = {0};

	assert_int_equal(file_read(path, 1 << 20, &contents, NULL), STATUS_OK);
	assert_string_equal(contents.data, expected);
	buffer_free(&contents);
}

TEST_WITH(test_sink, own_directory_enter, own_directory_leave)
{
	static const char path[] = "out", partial[] = "out.partial";
	struct output_stream sink;
	struct error err = {0};

	assert_int_equal(output_stream_open(&sink, path, &err), STATUS_OK);
	buffer_text(&sink.pending, "one");
	assert_int_equal(output_stream_write_if_full(&sink, &err), STATUS_OK);
	assert_int_equal(sink.written, 0);
	assert_int_equal(output_stream_write(&sink, &err), STATUS_OK);
	assert_int_equal(sink.written, 3);
	assert_int_not_equal(access(path, F_OK), 0);
	buffer_text(&sink.pending, " two");
	assert_int_equal(output_stream_finish(&sink, &err), STATUS_OK);
	assert_file(path, "one two");
	/* An output that is not finished leaves the earlier file. */
	assert_int_equal(output_stream_open(&sink, path, &err), STATUS_OK);
	buffer_text(&sink.pending, "three");
	assert_int_equal(output_stream_write(&sink, &err), STATUS_OK);
	assert_int_equal(access(partial, F_OK), 0);
	output_stream_discard(&sink);
	assert_file(path, "one two");
	assert_int_not_equal(access(partial, F_OK), 0);
	assert_int_equal(output_stream_open(&sink, own_directory, &err), STATUS_USAGE);
	unlink(path);
	assert_int_equal(rmdir(own_directory), 0); /* nothing else was left in it */
}
