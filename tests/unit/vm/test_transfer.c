/* SPDX-License-Identifier: MIT
 *
 * Files from a guest, by stream and by share: whole ones arrive, others are marked, and nothing is written anywhere
 * else. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output_file.h"
#include "guest/transfer_send.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/launch/share.h"
#include "vm/launch/shared_memory_receive.h"
#include "vm/protocol/crc32c.h"
#include "vm/protocol/shared_memory.h"
#include "vm/protocol/transfer.h"

/* In the working directory: in is the share, out is where files go, from holds what the guest sends. */
static int set_up(void **state)
{
	if (own_directory_enter(state))
		return -1;
	return mkdir("in", 0755) || mkdir("out", 0755) || mkdir("from", 0755);
}

static void write_file(const char *path, const void *bytes, size_t length)
{
	assert_int_equal(file_replace(path, bytes, length, NULL), STATUS_OK);
}

static void assert_holds(const char *path, const void *bytes, size_t length)
{
	struct buffer found = {0};

	assert_int_equal(file_read(path, 1 << 24, &found, NULL), STATUS_OK);
	assert_int_equal(found.length, length);
	if (length)
		assert_memory_equal(found.data, bytes, length);
	buffer_free(&found);
}

static void assert_entries(const char *directory, const char *expected)
{
	char command[400], found[2000] = "";

	snprintf(command, sizeof(command), "cd '%s' && ls -A | LC_ALL=C sort | tr '\\n' ' '", directory);
	FILE *list = popen(command, "r");
	assert_non_null(list);
	size_t length = fread(found, 1, sizeof(found) - 1, list);
	found[length] = '\0';
	pclose(list);
	assert_string_equal(found, expected);
}

TEST(checksum_is_crc32c)
{
	uint8_t zeros[32] = {0}, counting[32];

	for (size_t i = 0; i < sizeof(counting); i++)
		counting[i] = (uint8_t)i;
	/* RFC 3720, B.4, read as numbers */
	assert_int_equal(crc32c(0, zeros, sizeof(zeros)), 0x8a9136aa);
	assert_int_equal(crc32c(0, counting, sizeof(counting)), 0x46dd794e);
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(crc32c(crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
	assert_int_equal(crc32c(0, NULL, 0), 0);
}

TEST(only_safe_names)
{
	static const char *const good[] = {"a.dat", "cpu_bound_4p_run0.json", "A-1_b.c.dat", "g++_run0.log",
					   "a.dat.partial"};
	static const char *const bad[] = {"",      ".dat",    "..dat",   "../a.dat", "a/b.dat",   "/a.dat",
					  "a.txt", "a b.dat", "a\n.dat", "a.dat.x",  ".log",      "a.txt",
					  "json",  ".json",   "a.dat/",  "-",        "a.partial", ".dat.partial"};
	char longest[TRANSFER_NAME_MAX + 2];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(transfer_name_is_safe(good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (transfer_name_is_safe(bad[i], strlen(bad[i])))
			fail_msg("took '%s'", bad[i]);
	assert_false(transfer_name_is_safe("a\0b.dat", 7));
	memset(longest, 'a', sizeof(longest));
	memcpy(longest + TRANSFER_NAME_MAX - 4, ".dat", 4);
	assert_true(transfer_name_is_safe(longest, TRANSFER_NAME_MAX));
	memcpy(longest + TRANSFER_NAME_MAX - 3, ".dat", 4);
	assert_false(transfer_name_is_safe(longest, TRANSFER_NAME_MAX + 1));
}

/* A frame as the guest makes it. */
static void add_frame(struct buffer *stream, const char *name, const void *bytes, size_t length)
{
	uint8_t head[TRANSFER_FRAME_HEAD_MAX], tail[TRANSFER_FRAME_TAIL];

	buffer_add(stream, head, transfer_frame_head(head, name, strlen(name), length));
	buffer_add(stream, bytes, length);
	buffer_add(stream, tail, transfer_frame_tail(tail, crc32c(0, bytes, length)));
}

/* In the memory's file, as the guest leaves it. */
static struct transfer_report receive(const struct buffer *stream, const struct transfer_limits *limits)
{
	static char before[SHARED_MEMORY_FRAMES];
	struct buffer memory = {0};
	struct shared_memory_receiver receiver;

	memcpy(before, SHARED_MEMORY_MAGIC, 8);
	transfer_put_number((uint8_t *)before + SHARED_MEMORY_FRAMES_AT, stream->length, 8);
	buffer_add(&memory, before, sizeof(before));
	buffer_add(&memory, stream->data, stream->length);
	write_file("from/memory", memory.data, memory.length);
	buffer_free(&memory);
	assert_int_equal(shared_memory_open_receiver(&receiver, "from/memory", "out", limits, NULL), STATUS_OK);
	assert_int_equal(shared_memory_take_all(&receiver, NULL), STATUS_OK);
	return shared_memory_close_receiver(&receiver);
}

TEST_WITH(stream_arrives, set_up, own_directory_leave)
{
	struct buffer stream = {0};

	add_frame(&stream, "a_run0.dat", "pages", 5);
	add_frame(&stream, "a_run0.json", "{}\n", 3);
	add_frame(&stream, "empty.dat", "", 0);
	struct transfer_report report = receive(&stream, &TRANSFER_LIMITS);
	assert_string_equal(report.problem, "");
	assert_int_equal(report.whole, 3);
	assert_int_equal(report.traces, 2);
	assert_int_equal(report.incomplete, 0);
	assert_int_equal(report.bytes, 8);
	assert_holds("out/a_run0.dat", "pages", 5);
	assert_holds("out/a_run0.json", "{}\n", 3);
	assert_entries("out", "a_run0.dat a_run0.json empty.dat ");
	buffer_free(&stream);
}

/* Wherever the stream ends, a file is there whole, or marked, or not at all. */
TEST_WITH(stream_cut_anywhere, set_up, own_directory_leave)
{
	struct buffer stream = {0};

	add_frame(&stream, "a.dat", "pages", 5);
	size_t head = TRANSFER_FRAME_FIXED + 5 + 8, whole = stream.length;
	for (size_t end = 0; end <= whole; end++) {
		struct buffer cut = {.data = stream.data, .length = end};
		struct transfer_report report = receive(&cut, &TRANSFER_LIMITS);
		assert_int_equal(report.whole, end == whole);
		assert_int_equal(report.incomplete, end >= head && end < whole);
		assert_int_equal(report.problem[0] != '\0', end != 0 && end != whole);
		assert_entries("out", end == whole ? "a.dat " : end >= head ? "a.dat.incomplete " : "");
		assert_int_equal(system("rm -f out/*"), 0);
	}
	buffer_free(&stream);
}

TEST_WITH(stream_with_a_flipped_bit, set_up, own_directory_leave)
{
	struct buffer stream = {0};

	add_frame(&stream, "a.dat", "pages", 5);
	add_frame(&stream, "b.dat", "more", 4);
	stream.data[TRANSFER_FRAME_FIXED + 5 + 8 + 2] ^= 1;
	struct transfer_report report = receive(&stream, &TRANSFER_LIMITS);
	assert_non_null(strstr(report.problem, "a.dat did not arrive whole"));
	assert_int_equal(report.incomplete, 1);
	assert_int_equal(report.whole, 1);
	assert_entries("out", "a.dat.incomplete b.dat ");
	buffer_free(&stream);
}

TEST_WITH(stream_of_hostile_names, set_up, own_directory_leave)
{
	static const char *const names[] = {"../escaped.dat", "/tmp/escaped.dat", ".hidden.dat", "a.sh",
					    "x\x1b[2J.dat"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buffer stream = {0};
		add_frame(&stream, names[i], "pages", 5);
		add_frame(&stream, "later.dat", "pages", 5);
		struct transfer_report report = receive(&stream, &TRANSFER_LIMITS);
		assert_int_equal(report.refused, 1);
		assert_int_equal(report.whole, 0);
		assert_non_null(strstr(report.problem, "forbidden name"));
		assert_null(strchr(report.problem, 0x1b));
		assert_entries("out", "");
		assert_entries(".", "from in out ");
		buffer_free(&stream);
	}
}

TEST_WITH(stream_beyond_its_limits, set_up, own_directory_leave)
{
	static const struct transfer_limits limits = {.file_bytes = 10, .total_bytes = 14, .files = 2};
	struct buffer stream = {0};

	add_frame(&stream, "a.dat", "12345678901", 11);
	assert_non_null(strstr(receive(&stream, &limits).problem, "too large"));
	buffer_clear(&stream);
	add_frame(&stream, "a.dat", "1234567890", 10);
	add_frame(&stream, "b.dat", "12345", 5);
	struct transfer_report report = receive(&stream, &limits);
	assert_non_null(strstr(report.problem, "too large"));
	assert_int_equal(report.whole, 1);
	buffer_clear(&stream);
	add_frame(&stream, "a.dat", "1", 1);
	add_frame(&stream, "b.dat", "1", 1);
	add_frame(&stream, "c.dat", "1", 1);
	assert_non_null(strstr(receive(&stream, &limits).problem, "more than 2 files"));
	buffer_clear(&stream);
	add_frame(&stream, "a.dat", "1", 1);
	add_frame(&stream, "a.dat", "2", 1);
	assert_non_null(strstr(receive(&stream, &limits).problem, "twice"));
	assert_holds("out/a.dat", "1", 1);
	buffer_free(&stream);
}

TEST_WITH(stream_does_not_follow_links, set_up, own_directory_leave)
{
	struct buffer stream = {0};

	write_file("precious", "mine", 4);
	assert_int_equal(symlink("../precious", "out/a.dat"), 0);
	assert_int_equal(symlink("../precious", "out/a.dat.incomplete"), 0);
	add_frame(&stream, "a.dat", "pages", 5);
	assert_int_equal(receive(&stream, &TRANSFER_LIMITS).whole, 1);
	assert_holds("out/a.dat", "pages", 5);
	assert_holds("precious", "mine", 4);
	buffer_free(&stream);
}

static void send_to_share(const char *name, const char *text)
{
	struct transfer_sender sender;
	uint64_t size;
	uint32_t checksum;
	char path[300];

	snprintf(path, sizeof(path), "from/%s", name);
	write_file(path, text, strlen(text));
	assert_int_equal(transfer_sender_open_share(&sender, "in", NULL), STATUS_OK);
	assert_int_equal(transfer_send(&sender, path, &size, &checksum, NULL), STATUS_OK);
	transfer_sender_close(&sender);
}

static struct transfer_report take(void)
{
	struct transfer_report report;

	assert_int_equal(transfer_receive_share("in", "out", &TRANSFER_LIMITS, &report, NULL), STATUS_OK);
	return report;
}

TEST_WITH(share_round_trip, set_up, own_directory_leave)
{
	send_to_share("a_run0.dat", "pages");
	send_to_share("a_run0.json", "{}");
	struct transfer_report report = take();
	assert_string_equal(report.problem, "");
	assert_int_equal(report.whole, 2);
	assert_int_equal(report.traces, 1);
	assert_int_equal(report.bytes, 7);
	assert_entries("out", "a_run0.dat a_run0.json ");
	assert_holds("out/a_run0.dat", "pages", 5);
	assert_entries("in", "manifest ");
}

/* 64 MiB that take no place in the share take none on the host's disk. */
TEST_WITH(share_keeps_holes, set_up, own_directory_leave)
{
	struct stat info;

	write_file("in/sparse.dat", "begin", 5);
	assert_int_equal(truncate("in/sparse.dat", 64 << 20), 0);
	struct transfer_report report = take();
	assert_int_equal(report.incomplete, 1);
	assert_int_equal(stat("out/sparse.dat.incomplete", &info), 0);
	assert_int_equal(info.st_size, 64 << 20);
	assert_true(info.st_blocks < 4096);
}

TEST_WITH(share_marks_what_is_not_whole, set_up, own_directory_leave)
{
	send_to_share("short.dat", "pages");
	send_to_share("other.dat", "pages");
	send_to_share("good.dat", "pages");
	assert_int_equal(truncate("in/short.dat", 3), 0);
	write_file("in/other.dat", "p4ges", 5);
	write_file("in/unlisted.dat", "half a tra", 10);
	struct transfer_report report = take();
	assert_int_equal(report.whole, 1);
	assert_int_equal(report.incomplete, 3);
	assert_int_equal(report.refused, 0);
	assert_non_null(strstr(report.problem, "other.dat did not arrive whole"));
	assert_entries("out", "good.dat other.dat.incomplete short.dat.incomplete unlisted.dat.incomplete ");
	assert_holds("out/unlisted.dat.incomplete", "half a tra", 10);
}

TEST_WITH(share_with_a_cut_manifest, set_up, own_directory_leave)
{
	write_file("in/a.dat", "pages", 5);
	write_file("in/manifest", "5 00000000 b.dat\n5 00000000 a.dat", 33);
	struct transfer_report report = take();
	assert_int_equal(report.whole, 0);
	assert_int_equal(report.incomplete, 1);
}

TEST_WITH(share_with_traps, set_up, own_directory_leave)
{
	write_file("secret", "root's", 6);
	assert_int_equal(symlink("../secret", "in/link.dat"), 0);
	assert_int_equal(link("secret", "in/hard.dat"), 0);
	assert_int_equal(mkfifo("in/pipe.dat", 0644), 0);
	assert_int_equal(mkdir("in/directory.dat", 0755), 0);
	write_file("in/program.sh", "rm -rf", 6);
	assert_int_equal(symlink("../secret", "in/manifest"), 0);
	struct transfer_report report = take();
	assert_int_equal(report.whole, 0);
	assert_int_equal(report.incomplete, 0);
	assert_int_equal(report.refused, 5);
	assert_true(report.problem[0] != '\0');
	assert_entries("out", "");
	assert_holds("secret", "root's", 6);
}

TEST_WITH(host_errors_are_errors, set_up, own_directory_leave)
{
	struct shared_memory_receiver receiver;
	struct transfer_report report;
	struct error err = {0};

	assert_int_equal(shared_memory_open_receiver(&receiver, "/nonexistent/memory", "out", &TRANSFER_LIMITS, &err),
			 STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOENT);
	assert_int_equal(transfer_receive_share("in", "/nonexistent/picknext", &TRANSFER_LIMITS, &report, &err),
			 STATUS_SYSTEM);
	assert_int_equal(transfer_receive_share("/nonexistent/picknext", "out", &TRANSFER_LIMITS, &report, &err),
			 STATUS_SYSTEM);
	assert_string_equal(err.where, "/nonexistent/picknext");
}
