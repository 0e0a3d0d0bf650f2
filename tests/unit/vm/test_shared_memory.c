/* SPDX-License-Identifier: MIT
 *
 * The way out of a deterministic guest: what it writes to shared memory the host reads from its file, whatever the file
 * holds. A plain file stands for the PCI device. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "guest/shared_memory.h"
#include "guest/transfer_send.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/engine/channels.h"
#include "vm/launch/shared_memory_receive.h"
#include "vm/protocol/crc32c.h"
#include "vm/protocol/shared_memory.h"
#include "vm/protocol/transfer.h"

#define FRAMES_BYTES 61440
#define MEMORY_BYTES (SHARED_MEMORY_FRAMES + FRAMES_BYTES)

static char path[160], out[160];

static int set_up(void **state)
{
	assert_int_equal(own_directory_enter(state), 0);
	snprintf(path, sizeof(path), "%s/memory", own_directory);
	snprintf(out, sizeof(out), "%s/out", own_directory);
	assert_int_equal(mkdir(out, 0755), 0);
	assert_int_equal(file_replace(path, "", 0, NULL), STATUS_OK);
	assert_int_equal(truncate(path, MEMORY_BYTES), 0);
	return 0;
}

static void open_memory(struct shared_memory *memory)
{
	*memory = (struct shared_memory){.device = open(path, O_RDWR | O_CLOEXEC)};
	assert_int_equal(shared_memory_map(memory, NULL), STATUS_OK);
}

static void put_file(struct shared_memory *memory, const char *name, const char *bytes, size_t length)
{
	uint8_t head[TRANSFER_FRAME_HEAD_MAX], tail[TRANSFER_FRAME_TAIL];
	size_t size = transfer_frame_head(head, name, strlen(name), length);

	assert_int_equal(shared_memory_add_frame(memory, head, size, NULL), STATUS_OK);
	assert_int_equal(shared_memory_add_frame(memory, bytes, length, NULL), STATUS_OK);
	transfer_frame_tail(tail, crc32c(0, bytes, length));
	assert_int_equal(shared_memory_add_frame(memory, tail, sizeof(tail), NULL), STATUS_OK);
}

static struct transfer_report take(void)
{
	struct shared_memory_receiver receiver;

	assert_int_equal(shared_memory_open_receiver(&receiver, path, out, &TRANSFER_LIMITS, NULL), STATUS_OK);
	assert_int_equal(shared_memory_take_all(&receiver, NULL), STATUS_OK);
	return shared_memory_close_receiver(&receiver);
}

TEST_WITH(files_come_out_as_they_went_in, set_up, own_directory_leave)
{
	struct shared_memory memory;
	struct buffer text = {0};
	char name[256];
	static char large[40000];

	memset(large, 'x', sizeof(large));
	open_memory(&memory);
	put_file(&memory, "a_run1.dat", large, sizeof(large));
	put_file(&memory, "a_run1.json", "{}", 2);
	put_file(&memory, "empty.log", "", 0);
	shared_memory_close(&memory);
	struct transfer_report report = take();
	assert_int_equal(report.whole, 3);
	assert_int_equal(report.traces, 1);
	assert_int_equal(report.incomplete + report.refused, 0);
	snprintf(name, sizeof(name), "%s/a_run1.dat", out);
	assert_int_equal(file_read(name, sizeof(large) * 2, &text, NULL), STATUS_OK);
	assert_int_equal(text.length, sizeof(large));
	assert_memory_equal(text.data, large, sizeof(large));
	buffer_free(&text);
}

static bool is_out(const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/%s", out, name);
	return access(file, F_OK) == 0;
}

/* One at a time, as the guest says that it is whole; what it writes meanwhile stays for later. */
TEST_WITH(files_come_out_while_the_guest_runs, set_up, own_directory_leave)
{
	struct shared_memory memory;
	struct shared_memory_receiver receiver;
	uint8_t head[TRANSFER_FRAME_HEAD_MAX], tail[TRANSFER_FRAME_TAIL];

	open_memory(&memory);
	assert_int_equal(shared_memory_open_receiver(&receiver, path, out, &TRANSFER_LIMITS, NULL), STATUS_OK);
	assert_int_equal(shared_memory_take(&receiver, NULL), STATUS_OK); /* nothing is there */
	put_file(&memory, "a_run1.dat", "trace", 5);
	put_file(&memory, "a_run1.json", "{}", 2);
	const size_t length = transfer_frame_head(head, "b_run1.dat", 10, 4);
	assert_int_equal(shared_memory_add_frame(&memory, head, length, NULL), STATUS_OK);
	assert_int_equal(shared_memory_add_frame(&memory, "ne", 2, NULL), STATUS_OK);
	assert_int_equal(shared_memory_take(&receiver, NULL), STATUS_OK);
	assert_true(is_out("a_run1.dat") && !is_out("a_run1.json"));
	assert_int_equal(shared_memory_take(&receiver, NULL), STATUS_OK);
	assert_true(is_out("a_run1.json") && !is_out("b_run1.dat.incomplete"));
	assert_int_equal(shared_memory_add_frame(&memory, "xt", 2, NULL), STATUS_OK);
	transfer_frame_tail(tail, crc32c(0, "next", 4));
	assert_int_equal(shared_memory_add_frame(&memory, tail, sizeof(tail), NULL), STATUS_OK);
	put_file(&memory, "b_run1.json", "{}", 2);
	shared_memory_close(&memory);
	assert_int_equal(shared_memory_take_all(&receiver, NULL), STATUS_OK);
	const struct transfer_report report = shared_memory_close_receiver(&receiver);
	assert_int_equal(report.whole, 4);
	assert_int_equal(report.traces, 2);
	assert_int_equal(report.incomplete + report.refused, 0);
	assert_true(is_out("b_run1.dat") && is_out("b_run1.json"));
}

/* A guest that says of a file that it is whole before it is only loses that file, and what follows. */
TEST_WITH(a_file_that_is_not_whole_yet_is_incomplete, set_up, own_directory_leave)
{
	struct shared_memory memory;
	struct shared_memory_receiver receiver;
	uint8_t head[TRANSFER_FRAME_HEAD_MAX];

	open_memory(&memory);
	const size_t length = transfer_frame_head(head, "a_run1.dat", 10, 4);
	assert_int_equal(shared_memory_add_frame(&memory, head, length, NULL), STATUS_OK);
	assert_int_equal(shared_memory_add_frame(&memory, "ne", 2, NULL), STATUS_OK);
	assert_int_equal(shared_memory_open_receiver(&receiver, path, out, &TRANSFER_LIMITS, NULL), STATUS_OK);
	assert_int_equal(shared_memory_take(&receiver, NULL), STATUS_OK);
	assert_int_equal(shared_memory_add_frame(&memory, "xt", 2, NULL), STATUS_OK);
	put_file(&memory, "b_run1.dat", "{}", 2);
	shared_memory_close(&memory);
	assert_int_equal(shared_memory_take_all(&receiver, NULL), STATUS_OK);
	const struct transfer_report report = shared_memory_close_receiver(&receiver);
	assert_int_equal(report.whole, 0);
	assert_int_equal(report.incomplete, 1);
	assert_true(is_out("a_run1.dat.incomplete") && !is_out("b_run1.dat"));
}

/* The host's side receives the file that the guest's side sends. */
TEST_WITH(sent_file_arrives, set_up, own_directory_leave)
{
	struct shared_memory memory;
	struct transfer_sender sender = {.directory = -1, .shared_memory = &memory, .block = malloc(TRANSFER_BLOCK)};
	const size_t length = 3 * TRANSFER_BLOCK / 2 + 5;
	char *trace = malloc(length), from[200];
	struct buffer text = {0};
	uint64_t size;
	uint32_t checksum;

	assert_non_null(trace);
	for (size_t i = 0; i < length; i++)
		trace[i] = (char)(i * 7 + i / 251);
	snprintf(from, sizeof(from), "%s/big.dat", own_directory);
	assert_int_equal(file_replace(from, trace, length, NULL), STATUS_OK);
	assert_int_equal(truncate(path, 4 << 20), 0);
	open_memory(&memory);
	assert_int_equal(transfer_send(&sender, from, &size, &checksum, NULL), STATUS_OK);
	shared_memory_close(&memory);
	assert_int_equal(size, length);
	assert_int_equal(checksum, crc32c(0, trace, length));
	assert_int_equal(take().whole, 1);
	snprintf(from, sizeof(from), "%s/big.dat", out);
	assert_int_equal(file_read(from, length * 2, &text, NULL), STATUS_OK);
	assert_int_equal(text.length, length);
	assert_memory_equal(text.data, trace, length);
	buffer_free(&text);
	free(sender.block);
	free(trace);
}

TEST_WITH(full_memory_is_enospc, set_up, own_directory_leave)
{
	struct shared_memory memory;
	struct error err;
	static char large[FRAMES_BYTES];

	open_memory(&memory);
	assert_int_equal(shared_memory_add_frame(&memory, large, FRAMES_BYTES - 10, NULL), STATUS_OK);
	assert_int_equal(shared_memory_add_frame(&memory, large, 11, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOSPC);
	assert_int_equal(shared_memory_add_frame(&memory, large, 10, NULL), STATUS_OK); /* to the last byte */
	shared_memory_close(&memory);
	assert_int_equal(take().whole, 0);
}

/* The guest died in the middle. */
TEST_WITH(half_a_file_is_marked, set_up, own_directory_leave)
{
	struct shared_memory memory;
	uint8_t head[TRANSFER_FRAME_HEAD_MAX];

	open_memory(&memory);
	put_file(&memory, "a_run1.dat", "whole", 5);
	size_t size = transfer_frame_head(head, "b_run1.dat", 10, 1000);
	assert_int_equal(shared_memory_add_frame(&memory, head, size, NULL), STATUS_OK);
	assert_int_equal(shared_memory_add_frame(&memory, "half", 4, NULL), STATUS_OK);
	shared_memory_close(&memory);
	struct transfer_report report = take();
	assert_int_equal(report.whole, 1);
	assert_int_equal(report.incomplete, 1);
}

/* The guest writes what it likes. */
TEST_WITH(hostile_heads, set_up, own_directory_leave)
{
	static const uint64_t lengths[] = {0, 1, FRAMES_BYTES, MEMORY_BYTES, UINT64_MAX, UINT64_MAX - 4095};

	assert_int_equal(take().whole, 0); /* untouched */
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint8_t head[16] = "pnmemory";
		int fd = open(path, O_WRONLY | O_CLOEXEC);
		transfer_put_number(head + 8, lengths[i], 8);
		assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
		close(fd);
		assert_int_equal(take().whole, 0);
	}
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(take().whole, 0);
}

/* --- Lines of progress --- */

static void open_reader(struct channels *channels)
{
	assert_int_equal(channels_open(channels, own_directory, 0, NULL), STATUS_OK);
	assert_int_equal(channels_open_shared_memory(channels, path, NULL), STATUS_OK);
}

static void assert_nothing_new(struct channels *channels)
{
	char byte;

	assert_int_equal(channels_read(channels, CHANNEL_PROGRESS, &byte, 1), -1);
	assert_int_equal(errno, EAGAIN);
}

/* Three rings full of lines, which a reader follows in pieces. */
TEST_WITH(lines_arrive_in_order, set_up, own_directory_leave)
{
	struct shared_memory memory;
	struct channels channels;
	char line[64], got[256];

	open_reader(&channels);
	assert_nothing_new(&channels); /* the guest has not opened it */
	open_memory(&memory);
	assert_nothing_new(&channels);
	for (int i = 0, bytes = 0; bytes < 3 * SHARED_MEMORY_RING_BYTES; i++) {
		size_t length = (size_t)snprintf(line, sizeof(line), "line %d of some length\n", i), have = 0;
		shared_memory_add_line(&memory, line, length);
		bytes += (int)length;
		while (have < length) {
			ssize_t part = channels_read(&channels, CHANNEL_PROGRESS, got + have, sizeof(got) - have);
			assert_true(part > 0);
			have += (size_t)part;
		}
		assert_int_equal(have, length);
		assert_memory_equal(got, line, length);
		assert_nothing_new(&channels);
	}
	shared_memory_close(&memory);
	channels_close(&channels);
}

/* A reader that is late by more than a ring gets the last ring: its end is the guest's last line. */
TEST_WITH(a_late_reader_gets_the_last_lines, set_up, own_directory_leave)
{
	struct shared_memory memory;
	struct channels channels;
	static char all[2 * SHARED_MEMORY_RING_BYTES];
	size_t have = 0;

	open_memory(&memory);
	open_reader(&channels);
	for (size_t i = 0; i < 2 * SHARED_MEMORY_RING_BYTES / 8; i++)
		shared_memory_add_line(&memory, "progres\n", 8);
	shared_memory_add_line(&memory, "done 0\n", 7);
	for (ssize_t part; (part = channels_read(&channels, CHANNEL_PROGRESS, all + have, sizeof(all) - have)) > 0;)
		have += (size_t)part;
	assert_int_equal(have, SHARED_MEMORY_RING_BYTES);
	assert_memory_equal(all + have - 15, "progres\ndone 0\n", 15);
	shared_memory_close(&memory);
	channels_close(&channels);
}

/* No count makes the reader read elsewhere, or without end. */
TEST_WITH(hostile_counts_of_lines, set_up, own_directory_leave)
{
	static const uint64_t counts[] = {1, UINT64_MAX, 5, UINT64_MAX - 1, SHARED_MEMORY_RING_BYTES * 3ull + 1};
	struct channels channels;
	static char bytes[2 * SHARED_MEMORY_RING_BYTES];

	open_reader(&channels);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint8_t head[SHARED_MEMORY_HEAD_BYTES] = SHARED_MEMORY_MAGIC;
		int fd = open(path, O_WRONLY | O_CLOEXEC);
		size_t have = 0;

		transfer_put_number(head + SHARED_MEMORY_LINES_AT, counts[i], 8);
		assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
		close(fd);
		for (ssize_t part; (part = channels_read(&channels, CHANNEL_PROGRESS, bytes, sizeof(bytes))) > 0;)
			have += (size_t)part;
		assert_true(have <= SHARED_MEMORY_RING_BYTES);
		assert_nothing_new(&channels);
	}
	assert_int_equal(truncate(path, 10), 0);
	assert_nothing_new(&channels);
	channels_close(&channels);
}

TEST(no_device_is_told)
{
	struct shared_memory memory;
	struct error err;

	if (shared_memory_open(&memory, &err) == STATUS_OK)
		skip(); /* this is a guest with such a device */
	assert_int_equal(err.status, STATUS_SYSTEM);
	shared_memory_close(&memory);
}
