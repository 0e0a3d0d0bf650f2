/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "base/error.h"
#include "support/unit.h"

static void check_text(const struct error *err, const char *expected)
{
	char text[2048];

	error_text(err, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(text_names_place_reason_and_remedy)
{
	struct error err;

	assert_int_equal(error_set(&err, STATUS_CORRUPT, "a.dat", "page %d is bad", 7), STATUS_CORRUPT);
	check_text(&err, "a.dat: page 7 is bad");
	assert_int_equal(error_remedy(&err, "record %s", "again"), STATUS_CORRUPT);
	check_text(&err, "a.dat: page 7 is bad; record again");
	assert_int_equal(error_system(&err, ENOENT, "b", "cannot open"), STATUS_SYSTEM);
	check_text(&err, "b: cannot open: No such file or directory");
	assert_int_equal(error_set(&err, STATUS_USAGE, NULL, "no"), STATUS_USAGE);
	check_text(&err, "no");
	error_system(&err, ENOSPC, "b", "cannot write");
	check_text(&err, "b: cannot write: No space left on device; free space, or write to another disk");
	error_remedy(&err, "choose another disk with -o");
	check_text(&err, "b: cannot write: No space left on device; choose another disk with -o");
}

TEST(an_error_can_be_made_from_itself)
{
	struct error err;

	error_set(&err, STATUS_CORRUPT, "where", "what");
	error_remedy(&err, "remedy");
	error_set(&err, STATUS_LOST, err.where, "%s, %s, %s", err.what, err.where, err.remedy);
	check_text(&err, "where: what, where, remedy");
}

TEST(it_stays_on_one_harmless_line)
{
	struct error err;
	char text[8];

	error_set(&err, STATUS_CORRUPT, "a\n\x1b[2J.txt", "bad");
	check_text(&err, "a\\x0a\\x1b[2J.txt: bad");
	error_text(&err, text, sizeof(text));
	assert_string_equal(text, "a\\x0a");
}

TEST(long_parts_are_cut)
{
	char name[5000];
	char text[8192];
	struct error err;

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	error_system(&err, EIO, name, "%s", name);
	error_remedy(&err, "%s", name);
	error_text(&err, text, sizeof(text));
	assert_true(strlen(text) < 3 * sizeof(err.what) + 64);
}

TEST(without_a_struct_only_the_status_is_told)
{
	assert_int_equal(error_set(NULL, STATUS_GUEST, "x", "y"), STATUS_GUEST);
	assert_int_equal(error_system(NULL, EIO, "x", "y"), STATUS_SYSTEM);
}

/* The codes of the manual's table, each as a word. */
static bool is_in_manual(int code)
{
	for (const struct exit_code *row = exit_code_table; row->codes; row++)
		for (const char *at = row->codes; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' '))
			if (atoi(at) == code)
				return true;
	return false;
}

TEST(exit_codes_are_the_documented_ones)
{
	static const struct {
		enum status status;
		int code;
	} known[] = {{STATUS_OK, 0},     {STATUS_END, 0},   {STATUS_CORRUPT, 3}, {STATUS_UNSUPPORTED, 3},
		     {STATUS_SYSTEM, 4}, {STATUS_USAGE, 2}, {STATUS_LOST, 5},    {STATUS_GUEST, 6}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(error_exit_code(&(struct error){.status = known[i].status}), known[i].code);
		assert_true(is_in_manual(known[i].code));
	}
	assert_true(is_in_manual(130) && is_in_manual(143));
	assert_int_equal(error_exit_code(&(struct error){.status = STATUS_INTERRUPTED, .errnum = 2}), 130);
	assert_int_equal(error_exit_code(&(struct error){.status = STATUS_INTERRUPTED, .errnum = 15}), 143);
}
