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
#include "support/unit.h"
#include "vm/launch/share.h"
#include "vm/launch/shared_memory_receive.h"
#include "vm/protocol/crc32c.h"
#include "vm/protocol/shared_memory.h"
#include "vm/protocol/transfer.h"

/* top/in is the share, top/out is where files go, top/from holds what the guest sends. */
struct fixture {
	char top[200], in[220], out[220], from[220];
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	snprintf(fixture->top, sizeof(fixture->top), "%s/picknext-transfer-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(fixture->top));
	snprintf(fixture->in, sizeof(fixture->in), "%s/in", fixture->top);
	snprintf(fixture->out, sizeof(fixture->out), "%s/out", fixture->top);
	snprintf(fixture->from, sizeof(fixture->from), "%s/from", fixture->top);
	assert_int_equal(mkdir(fixture->in, 0755), 0);
	assert_int_equal(mkdir(fixture->out, 0755), 0);
	assert_int_equal(mkdir(fixture->from, 0755), 0);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", fixture->top);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

static void write_file(const char *directory, const char *name, const void *bytes, size_t length)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(file_replace(path, bytes, length, NULL), STATUS_OK);
}

static void assert_holds(const char *directory, const char *name, const void *bytes, size_t length)
{
	struct buffer found = {0};
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
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
	static const char *const good[] = {"a.dat", "cpu_bound_4p_run0.json", "A-1_b.c.dat", "g++_run0.log"};
	static const char *const bad[] = {"",      ".dat",    "..dat",   "../a.dat", "a/b.dat", "/a.dat",
					  "a.txt", "a b.dat", "a\n.dat", "a.dat.x",  ".log",    "a.txt",
					  "json",  ".json",   "a.dat/",  "-"};
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
static struct transfer_report receive(const struct fixture *fixture, const struct buffer *stream,
				      const struct transfer_limits *limits)
{
	static char page[SHARED_MEMORY_PAGE_BYTES];
	struct buffer memory = {0};
	struct transfer_report report;
	char path[300];

	memcpy(page, SHARED_MEMORY_MAGIC, 8);
	transfer_put_number((uint8_t *)page + 8, stream->length, 8);
	buffer_add(&memory, page, sizeof(page));
	buffer_add(&memory, stream->data, stream->length);
	write_file(fixture->from, "memory", memory.data, memory.length);
	buffer_free(&memory);
	snprintf(path, sizeof(path), "%s/memory", fixture->from);
	assert_int_equal(shared_memory_receive(path, fixture->out, limits, &report, NULL), STATUS_OK);
	return report;
}

TEST_WITH(stream_arrives, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct buffer stream = {0};

	add_frame(&stream, "a_run0.dat", "pages", 5);
	add_frame(&stream, "a_run0.json", "{}\n", 3);
	add_frame(&stream, "empty.dat", "", 0);
	struct transfer_report report = receive(fixture, &stream, &TRANSFER_LIMITS);
	assert_string_equal(report.problem, "");
	assert_int_equal(report.whole, 3);
	assert_int_equal(report.traces, 2);
	assert_int_equal(report.incomplete, 0);
	assert_int_equal(report.bytes, 8);
	assert_holds(fixture->out, "a_run0.dat", "pages", 5);
	assert_holds(fixture->out, "a_run0.json", "{}\n", 3);
	assert_entries(fixture->out, "a_run0.dat a_run0.json empty.dat ");
	buffer_free(&stream);
}

/* Wherever the stream ends, a file is there whole, or marked, or not at all. */
TEST_WITH(stream_cut_anywhere, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct buffer stream = {0};
	char command[300];

	add_frame(&stream, "a.dat", "pages", 5);
	size_t head = TRANSFER_FRAME_FIXED + 5 + 8, whole = stream.length;
	for (size_t end = 0; end <= whole; end++) {
		struct buffer cut = {.data = stream.data, .length = end};
		struct transfer_report report = receive(fixture, &cut, &TRANSFER_LIMITS);
		assert_int_equal(report.whole, end == whole);
		assert_int_equal(report.incomplete, end >= head && end < whole);
		assert_int_equal(report.problem[0] != '\0', end != 0 && end != whole);
		assert_entries(fixture->out, end == whole ? "a.dat " : end >= head ? "a.dat.incomplete " : "");
		snprintf(command, sizeof(command), "rm -f '%s'/*", fixture->out);
		assert_int_equal(system(command), 0);
	}
	buffer_free(&stream);
}

TEST_WITH(stream_with_a_flipped_bit, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct buffer stream = {0};

	add_frame(&stream, "a.dat", "pages", 5);
	add_frame(&stream, "b.dat", "more", 4);
	stream.data[TRANSFER_FRAME_FIXED + 5 + 8 + 2] ^= 1;
	struct transfer_report report = receive(fixture, &stream, &TRANSFER_LIMITS);
	assert_non_null(strstr(report.problem, "a.dat did not arrive whole"));
	assert_int_equal(report.incomplete, 1);
	assert_int_equal(report.whole, 1);
	assert_entries(fixture->out, "a.dat.incomplete b.dat ");
	buffer_free(&stream);
}

TEST_WITH(stream_of_hostile_names, set_up, tear_down)
{
	static const char *const names[] = {"../escaped.dat", "/tmp/escaped.dat", ".hidden.dat", "a.sh",
					    "x\x1b[2J.dat"};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buffer stream = {0};
		add_frame(&stream, names[i], "pages", 5);
		add_frame(&stream, "later.dat", "pages", 5);
		struct transfer_report report = receive(fixture, &stream, &TRANSFER_LIMITS);
		assert_int_equal(report.refused, 1);
		assert_int_equal(report.whole, 0);
		assert_non_null(strstr(report.problem, "forbidden name"));
		assert_null(strchr(report.problem, 0x1b));
		assert_entries(fixture->out, "");
		assert_entries(fixture->top, "from in out ");
		buffer_free(&stream);
	}
}

TEST_WITH(stream_beyond_its_limits, set_up, tear_down)
{
	static const struct transfer_limits limits = {.file_bytes = 10, .total_bytes = 14, .files = 2};
	struct fixture *fixture = *state;
	struct buffer stream = {0};

	add_frame(&stream, "a.dat", "12345678901", 11);
	assert_non_null(strstr(receive(fixture, &stream, &limits).problem, "too large"));
	buffer_clear(&stream);
	add_frame(&stream, "a.dat", "1234567890", 10);
	add_frame(&stream, "b.dat", "12345", 5);
	struct transfer_report report = receive(fixture, &stream, &limits);
	assert_non_null(strstr(report.problem, "too large"));
	assert_int_equal(report.whole, 1);
	buffer_clear(&stream);
	add_frame(&stream, "a.dat", "1", 1);
	add_frame(&stream, "b.dat", "1", 1);
	add_frame(&stream, "c.dat", "1", 1);
	assert_non_null(strstr(receive(fixture, &stream, &limits).problem, "more than 2 files"));
	buffer_clear(&stream);
	add_frame(&stream, "a.dat", "1", 1);
	add_frame(&stream, "a.dat", "2", 1);
	assert_non_null(strstr(receive(fixture, &stream, &limits).problem, "twice"));
	assert_holds(fixture->out, "a.dat", "1", 1);
	buffer_free(&stream);
}

TEST_WITH(stream_does_not_follow_links, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct buffer stream = {0};
	char link[300], target[300];

	write_file(fixture->top, "precious", "mine", 4);
	snprintf(target, sizeof(target), "%s/precious", fixture->top);
	snprintf(link, sizeof(link), "%s/a.dat", fixture->out);
	assert_int_equal(symlink(target, link), 0);
	snprintf(link, sizeof(link), "%s/a.dat.incomplete", fixture->out);
	assert_int_equal(symlink(target, link), 0);
	add_frame(&stream, "a.dat", "pages", 5);
	assert_int_equal(receive(fixture, &stream, &TRANSFER_LIMITS).whole, 1);
	assert_holds(fixture->out, "a.dat", "pages", 5);
	assert_holds(fixture->top, "precious", "mine", 4);
	buffer_free(&stream);
}

static void send_to_share(const struct fixture *fixture, const char *name, const char *text)
{
	struct transfer_sender sender;
	uint64_t size;
	uint32_t checksum;
	char path[600];

	write_file(fixture->from, name, text, strlen(text));
	snprintf(path, sizeof(path), "%s/%s", fixture->from, name);
	assert_int_equal(transfer_sender_open_share(&sender, fixture->in, NULL), STATUS_OK);
	assert_int_equal(transfer_send(&sender, path, &size, &checksum, NULL), STATUS_OK);
	transfer_sender_close(&sender);
}

static struct transfer_report take(const struct fixture *fixture)
{
	struct transfer_report report;

	assert_int_equal(transfer_receive_share(fixture->in, fixture->out, &TRANSFER_LIMITS, &report, NULL), STATUS_OK);
	return report;
}

TEST_WITH(share_round_trip, set_up, tear_down)
{
	struct fixture *fixture = *state;

	send_to_share(fixture, "a_run0.dat", "pages");
	send_to_share(fixture, "a_run0.json", "{}");
	struct transfer_report report = take(fixture);
	assert_string_equal(report.problem, "");
	assert_int_equal(report.whole, 2);
	assert_int_equal(report.traces, 1);
	assert_int_equal(report.bytes, 7);
	assert_entries(fixture->out, "a_run0.dat a_run0.json ");
	assert_holds(fixture->out, "a_run0.dat", "pages", 5);
	assert_entries(fixture->in, "manifest ");
}

/* 64 MiB that take no place in the share take none on the host's disk. */
TEST_WITH(share_keeps_holes, set_up, tear_down)
{
	struct fixture *fixture = *state;
	char path[300];
	struct stat info;

	write_file(fixture->in, "sparse.dat", "begin", 5);
	snprintf(path, sizeof(path), "%s/sparse.dat", fixture->in);
	assert_int_equal(truncate(path, 64 << 20), 0);
	struct transfer_report report = take(fixture);
	assert_int_equal(report.incomplete, 1);
	snprintf(path, sizeof(path), "%s/sparse.dat.incomplete", fixture->out);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, 64 << 20);
	assert_true(info.st_blocks < 4096);
}

TEST_WITH(share_marks_what_is_not_whole, set_up, tear_down)
{
	struct fixture *fixture = *state;
	char path[300];

	send_to_share(fixture, "short.dat", "pages");
	send_to_share(fixture, "other.dat", "pages");
	send_to_share(fixture, "good.dat", "pages");
	snprintf(path, sizeof(path), "%s/short.dat", fixture->in);
	assert_int_equal(truncate(path, 3), 0);
	write_file(fixture->in, "other.dat", "p4ges", 5);
	write_file(fixture->in, "unlisted.dat", "half a tra", 10);
	struct transfer_report report = take(fixture);
	assert_int_equal(report.whole, 1);
	assert_int_equal(report.incomplete, 3);
	assert_int_equal(report.refused, 0);
	assert_non_null(strstr(report.problem, "other.dat did not arrive whole"));
	assert_entries(fixture->out, "good.dat other.dat.incomplete short.dat.incomplete unlisted.dat.incomplete ");
	assert_holds(fixture->out, "unlisted.dat.incomplete", "half a tra", 10);
}

TEST_WITH(share_with_a_cut_manifest, set_up, tear_down)
{
	struct fixture *fixture = *state;

	write_file(fixture->in, "a.dat", "pages", 5);
	write_file(fixture->in, "manifest", "5 00000000 b.dat\n5 00000000 a.dat", 33);
	struct transfer_report report = take(fixture);
	assert_int_equal(report.whole, 0);
	assert_int_equal(report.incomplete, 1);
}

TEST_WITH(share_with_traps, set_up, tear_down)
{
	struct fixture *fixture = *state;
	char path[300], target[300];

	write_file(fixture->top, "secret", "root's", 6);
	snprintf(target, sizeof(target), "%s/secret", fixture->top);
	snprintf(path, sizeof(path), "%s/link.dat", fixture->in);
	assert_int_equal(symlink(target, path), 0);
	snprintf(path, sizeof(path), "%s/hard.dat", fixture->in);
	assert_int_equal(link(target, path), 0);
	snprintf(path, sizeof(path), "%s/pipe.dat", fixture->in);
	assert_int_equal(mkfifo(path, 0644), 0);
	snprintf(path, sizeof(path), "%s/directory.dat", fixture->in);
	assert_int_equal(mkdir(path, 0755), 0);
	write_file(fixture->in, "program.sh", "rm -rf", 6);
	snprintf(path, sizeof(path), "%s/manifest", fixture->in);
	assert_int_equal(symlink(target, path), 0);
	struct transfer_report report = take(fixture);
	assert_int_equal(report.whole, 0);
	assert_int_equal(report.incomplete, 0);
	assert_int_equal(report.refused, 5);
	assert_true(report.problem[0] != '\0');
	assert_entries(fixture->out, "");
	assert_holds(fixture->top, "secret", "root's", 6);
}

TEST_WITH(host_errors_are_errors, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct transfer_report report;
	struct error err = {0};

	assert_int_equal(shared_memory_receive("/nonexistent/memory", fixture->out, &TRANSFER_LIMITS, &report, &err),
			 STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOENT);
	assert_int_equal(transfer_receive_share(fixture->in, "/nonexistent/picknext", &TRANSFER_LIMITS, &report, &err),
			 STATUS_SYSTEM);
	assert_int_equal(transfer_receive_share("/nonexistent/picknext", fixture->out, &TRANSFER_LIMITS, &report, &err),
			 STATUS_SYSTEM);
	assert_string_equal(err.where, "/nonexistent/picknext");
}
