/* SPDX-License-Identifier: MIT
 *
 * The way out of a deterministic guest: what it puts into the window the host takes out of its file, whatever the file
 * holds. A plain file stands for the PCI device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "vm/launch/shared_memory.h"
#include "vm/protocol/crc32c.h"
#include "vm/protocol/transfer_frame.h"

#define WINDOW_BYTES 65536

static char top[128], path[160], out[160];

static int set_up(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/picknext-window-XXXXXX");
	assert_non_null(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/window", top);
	snprintf(out, sizeof(out), "%s/out", top);
	assert_int_equal(mkdir(out, 0755), 0);
	assert_int_equal(window_make(path, WINDOW_BYTES, NULL), STATUS_OK);
	return 0;
}

static int tear_down(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

static void open_window(struct window *window)
{
	*window = (struct window){.device = open(path, O_RDWR | O_CLOEXEC), .size = WINDOW_BYTES};
	assert_true(window->device >= 0);
}

static void put_file(struct window *window, const char *name, const char *bytes, size_t length)
{
	uint8_t head[DELIVERY_FRAME_HEAD_MOST], tail[DELIVERY_FRAME_TAIL];
	size_t size = delivery_frame_head(head, name, strlen(name), length);

	assert_int_equal(window_put(window, head, size, NULL), STATUS_OK);
	assert_int_equal(window_put(window, bytes, length, NULL), STATUS_OK);
	delivery_frame_tail(tail, crc32c(0, bytes, length));
	assert_int_equal(window_put(window, tail, sizeof(tail), NULL), STATUS_OK);
}

static struct delivery_report take(void)
{
	struct delivery_receiver *receiver;
	struct delivery_report report;

	assert_int_equal(delivery_receiver_open(&receiver, out, &DELIVERY_LIMITS, NULL), STATUS_OK);
	assert_int_equal(window_take(path, receiver, NULL), STATUS_OK);
	assert_int_equal(delivery_receiver_close(receiver, &report, NULL), STATUS_OK);
	return report;
}

static void files_come_out_as_they_went_in(void **state)
{
	struct window window;
	struct buffer text = {0};
	char name[256];
	static char large[40000];
	(void)state;

	memset(large, 'x', sizeof(large));
	open_window(&window);
	put_file(&window, "a_run1.dat", large, sizeof(large));
	put_file(&window, "a_run1.json", "{}", 2);
	put_file(&window, "empty.log", "", 0);
	window_close(&window);
	struct delivery_report report = take();
	assert_int_equal(report.whole, 3);
	assert_int_equal(report.traces, 1);
	assert_int_equal(report.incomplete + report.refused, 0);
	snprintf(name, sizeof(name), "%s/a_run1.dat", out);
	assert_int_equal(file_read(name, sizeof(large) * 2, &text, NULL), STATUS_OK);
	assert_int_equal(text.length, sizeof(large));
	assert_memory_equal(text.data, large, sizeof(large));
	buffer_free(&text);
}

static void a_full_window_is_no_room(void **state)
{
	struct window window;
	struct error err;
	static char large[WINDOW_BYTES];
	(void)state;

	open_window(&window);
	assert_int_equal(window_put(&window, large, WINDOW_BYTES - 4096 - 10, NULL), STATUS_OK);
	assert_int_equal(window_put(&window, large, 11, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOSPC);
	assert_int_equal(window_put(&window, large, 10, NULL), STATUS_OK); /* to the last byte */
	window_close(&window);
	assert_int_equal(take().whole, 0);
}

/* The guest died in the middle. */
static void half_a_file_is_marked(void **state)
{
	struct window window;
	uint8_t head[DELIVERY_FRAME_HEAD_MOST];
	(void)state;

	open_window(&window);
	put_file(&window, "a_run1.dat", "whole", 5);
	size_t size = delivery_frame_head(head, "b_run1.dat", 10, 1000);
	assert_int_equal(window_put(&window, head, size, NULL), STATUS_OK);
	assert_int_equal(window_put(&window, "half", 4, NULL), STATUS_OK);
	window_close(&window);
	struct delivery_report report = take();
	assert_int_equal(report.whole, 1);
	assert_int_equal(report.incomplete, 1);
}

/* The guest writes what it likes. */
static void hostile_heads(void **state)
{
	static const uint64_t lengths[] = {0, 1, WINDOW_BYTES - 4096, WINDOW_BYTES, UINT64_MAX, UINT64_MAX - 4095};
	(void)state;

	assert_int_equal(take().whole, 0); /* untouched */
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint8_t head[16] = "pnwindow";
		int fd = open(path, O_WRONLY | O_CLOEXEC);
		delivery_put(head + 8, lengths[i], 8);
		assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
		close(fd);
		assert_int_equal(take().whole, 0);
	}
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(take().whole, 0);
}

static void no_device_is_told(void **state)
{
	struct window window;
	struct error err;
	(void)state;

	if (window_open(&window, &err) == STATUS_OK)
		skip(); /* this is a guest with such a device */
	assert_int_equal(err.status, STATUS_SYSTEM);
	window_close(&window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(files_come_out_as_they_went_in, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_full_window_is_no_room, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(half_a_file_is_marked, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(hostile_heads, set_up, tear_down),
	    cmocka_unit_test(no_device_is_told),
	};

	return cmocka_run_group_tests_name("vm/window", tests, NULL, NULL);
}
