/* SPDX-License-Identifier: MIT
 *
 * Names of tasks: which are those of a CPU's own threads. */
#include "support/unit.h"
#include "trace/comm_table.h"

#include "base/escape.h"

static bool is_cpu_thread(const char *text, const char *name, uint32_t cpu)
{
	struct sched_comm comm = {.length = (uint8_t)strlen(text)};

	assert_true(strlen(text) <= sizeof(comm.bytes));
	memcpy(comm.bytes, text, strlen(text));
	return comm_is_cpu_thread(&comm, name, cpu);
}

TEST(threads_of_a_cpu_have_its_number)
{
	assert_true(is_cpu_thread("migration/0", "migration", 0));
	assert_true(is_cpu_thread("migration/12", "migration", 12));
	assert_true(is_cpu_thread("cpuhp/4294967295", "cpuhp", UINT32_MAX));
	assert_false(is_cpu_thread("migration/12", "migration", 1));
	assert_false(is_cpu_thread("migration/1", "migration", 12));
	assert_false(is_cpu_thread("cpuhp/1", "migration", 1));
}

TEST(other_names_are_no_threads_of_a_cpu)
{
	static const char *const names[] = {"",
					    "migration",
					    "migration/",
					    "migration/a",
					    "migration/1:0",
					    "migration/01",
					    "migration/+1",
					    "amigration/1",
					    "migrations/1"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_false(is_cpu_thread(names[i], "migration", 0));
		assert_false(is_cpu_thread(names[i], "migration", 1));
	}
	/* 65536 * 65536 + 1: a number that does not fit is not cut. */
	assert_false(is_cpu_thread("cpuhp/4294967297", "cpuhp", 1));
	/* A name need not end with NUL. */
	assert_false(is_cpu_thread("sixteen_bytes_by", "sixteen_bytes_by", 0));
}

/* Every byte at every place of names of every length, against escape_line() and padding one by one. */
TEST(padded_names_are_escaped)
{
	struct sched_comm comm;

	for (unsigned int byte = 0; byte < 256; byte++) {
		for (unsigned int place = 0; place < SCHED_COMM_SIZE; place++) {
			for (unsigned int length = 0; length <= SCHED_COMM_SIZE; length++) {
				char wanted[COMM_PADDED_MAX + 1];
				char ours[COMM_PADDED_MAX];
				memset(comm.bytes, 'n', sizeof(comm.bytes));
				comm.bytes[place] = (char)byte;
				comm.length = (uint8_t)length;
				size_t end = escape_line(comm.bytes, length, wanted, sizeof(wanted));
				for (size_t at = utf8_columns(wanted, end); at < 15; at++)
					wanted[end++] = ' ';
				assert_int_equal(comm_put_padded(ours, &comm, 15) - ours, end);
				assert_memory_equal(ours, wanted, end);
			}
		}
	}
}
