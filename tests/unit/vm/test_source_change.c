/* SPDX-License-Identifier: MIT
 *
 * Changes of a patch: its functions and lines, with and without the kernel's source; and what is no patch. */
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/kernel/change_words.h"
#include "vm/kernel/patch.h"
#include "vm/kernel/source_change.h"

static const char lag_patch[] =
    "From 1234 Mon Sep 17 00:00:00 2001\n"
    "Subject: [PATCH] sched: halve the clamp\n"
    "---\n"
    " kernel/sched/fair.c | 4 ++--\n"
    "diff --git a/kernel/sched/fair.c b/kernel/sched/fair.c\n"
    "--- a/kernel/sched/fair.c\n"
    "+++ b/kernel/sched/fair.c\n"
    "@@ -10,6 +10,7 @@ static void update_entity_lag(struct cfs_rq *cfs_rq, struct sched_entity *se)\n"
    " \ts64 lag, limit;\n"
    " \n"
    " \tlag = 1;\n"
    "-\tlimit = 2 * slice;\n"
    "+\t/* why */\n"
    "+\tlimit = slice;\n"
    " \n"
    " \tuse(limit);\n"
    "@@ -40,7 +41,6 @@ struct cfs_rq {\n"
    " }\n"
    " \n"
    " static void\n"
    " place_entity(struct cfs_rq *cfs_rq)\n"
    " {\n"
    "-\tgone();\n"
    " }\n"
    "-- \n"
    "2.39.5\n";

static void expect(const struct source_change *change, size_t at, const char *function, const char *file, uint32_t line)
{
	assert_true(at < change->count);
	assert_string_equal(change->places[at].function, function);
	assert_string_equal(change->places[at].file, file);
	assert_int_equal(change->places[at].line, line);
}

TEST(reads_functions_and_lines_of_a_patch)
{
	struct source_change change = {0};

	assert_true(patch_read(&change, lag_patch, sizeof(lag_patch) - 1, NULL));
	assert_int_equal(change.count, 2);
	expect(&change, 0, "update_entity_lag", "kernel/sched/fair.c", 14);
	/* A removed line changes the next one. */
	expect(&change, 1, "place_entity", "kernel/sched/fair.c", 46);
	assert_string_equal(change.absent, "");
	source_change_free(&change);
}

/* A source like the kernel's, in which the patched lines are further down. */
static const char source[] = "/* fair */\n"
			     "struct cfs_rq {\n"
			     "\tint x;\n"
			     "};\n"
			     "int declared(int x);\n"
			     "static inline int whole(int x) { return x; }\n"
			     "#define MACRO(x) \\\n"
			     "\tdo_it(x)\n"
			     "\n"
			     "static bool\n"
			     "entity_eligible(struct cfs_rq *cfs_rq)\n"
			     "{\n"
			     "out:\n"
			     "\treturn 1;\n"
			     "}\n"
			     "DEFINE_SCHED_CLASS(fair) = {\n"
			     "\t.x = 1,\n"
			     "};\n"
			     "SYSCALL_DEFINE3(sched_setattr, pid_t, pid,\n"
			     "\t\tunsigned int, flags)\n"
			     "{\n"
			     "\treturn 0;\n"
			     "}\n"
			     "static __printf(1, 2) void __attribute__((noinline)) renamed(struct cfs_rq *cfs_rq)\n"
			     "{\n"
			     "\ts64 lag, limit;\n"
			     "\n"
			     "\tlag = 1;\n"
			     "\t/* why */\n"
			     "\tlimit = slice;\n"
			     "\n"
			     "\tuse(limit);\n"
			     "}\n";

static void expect_function(uint32_t line, const char *name)
{
	char function[SOURCE_NAME_MAX + 1];

	assert_int_equal(source_function_at(source, sizeof(source) - 1, line, function), name[0] != '\0');
	assert_string_equal(function, name);
}

TEST(finds_the_function_of_a_line)
{
	static const struct {
		uint32_t line;
		const char *name;
	} rows[] = {{1, ""},
		    {3, ""},
		    {5, ""},
		    {6, "whole"},
		    {8, ""},
		    {11, "entity_eligible"},
		    {13, "entity_eligible"},
		    {14, "entity_eligible"},
		    {15, "entity_eligible"},
		    {17, ""},
		    {20, "__x64_sys_sched_setattr"},
		    {22, "__x64_sys_sched_setattr"},
		    {30, "renamed"},
		    {99, ""}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_function(rows[i].line, rows[i].name);
}

static void add_file(const char *name, const char *text)
{
	assert_int_equal(file_replace(name, text, strlen(text), NULL), STATUS_OK);
}

TEST_WITH(checks_a_patch_against_the_source, own_directory_enter, own_directory_leave)
{
	struct source_change change = {0};

	assert_int_equal(file_make_directories("tree/kernel/sched", NULL), STATUS_OK);
	add_file("tree/kernel/sched/fair.c", source);
	assert_true(patch_read(&change, lag_patch, sizeof(lag_patch) - 1, "tree"));
	assert_int_equal(change.count, 2);
	expect(&change, 0, "renamed", "kernel/sched/fair.c", 30);
	/* The tree does not have the second hunk. */
	expect(&change, 1, "place_entity", "kernel/sched/fair.c", 46);
	assert_string_equal(change.absent, "kernel/sched/fair.c");
	source_change_free(&change);
}

TEST_WITH(finds_callers, own_directory_enter, own_directory_leave)
{
	static const char text[] = "/* lag(x) */\nstatic void lag(int x)\n{\n\tlag(x - 1);\n}\n"
				   "static void first(void)\n{\n\t/* lag(x) */\n\tlag(1);\n\tlag(2);\n}\n"
				   "static void flag_only(void)\n{\n\tflag(1);\n\tlag;\n}\n"
				   "static int\nsecond(void)\n{\n\treturn (lag(3));\n}\n";
	struct source_change change = {0};
	struct arguments callers = {0};

	assert_int_equal(file_make_directories("tree/kernel/sched", NULL), STATUS_OK);
	add_file("tree/kernel/sched/fair.c", text);
	add_file("tree/kernel/sched/fair.h", text);
	assert_int_equal(change_words_add(&change, "lag,kernel/sched/fair.c:4,absent", "tree", NULL), STATUS_OK);
	source_change_callers(&change, "tree", &callers);
	assert_int_equal(callers.count, 2);
	assert_string_equal(callers.items[0], "lag/first");
	assert_string_equal(callers.items[1], "lag/second");
	arguments_free(&callers);
	source_change_free(&change);
}

TEST_WITH(reads_words, own_directory_enter, own_directory_leave)
{
	struct source_change change = {0};

	add_file("a,b.patch", lag_patch);
	assert_int_equal(change_words_add(&change, "place_entity,kernel/sched/fair.c:30", NULL, NULL), STATUS_OK);
	assert_int_equal(change_words_add(&change, "a,b.patch", NULL, NULL), STATUS_OK);
	assert_int_equal(change_words_add(&change, "place_entity,kernel/sched/fair.c:30", NULL, NULL), STATUS_OK);
	assert_int_equal(change.count, 4);
	expect(&change, 0, "place_entity", "", 0);
	expect(&change, 1, "", "kernel/sched/fair.c", 30);
	expect(&change, 2, "update_entity_lag", "kernel/sched/fair.c", 14);
	source_change_free(&change);
	assert_int_equal(file_make_directories("tree/kernel/sched", NULL), STATUS_OK);
	add_file("tree/kernel/sched/fair.c", source);
	assert_int_equal(change_words_add(&change, "kernel/sched/fair.c:30", "tree", NULL), STATUS_OK);
	expect(&change, 0, "renamed", "kernel/sched/fair.c", 30);
	source_change_free(&change);
}

TEST_WITH(refuses_other_words, own_directory_enter, own_directory_leave)
{
	static const char *const words[] = {"",
					    "a,",
					    "no such file",
					    "missing.patch",
					    "fair.c:0",
					    "fair.c:x",
					    "fair.c:99999999999",
					    "text.txt",
					    "comment.patch",
					    ".",
					    "../x;y:3"};

	add_file("text.txt", "no patch\n");
	add_file("comment.patch", "--- a/x.c\n+++ b/x.c\n@@ -1,1 +1,2 @@\n x\n+/* y */\n");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct source_change change = {0};
		struct error err = {0};
		assert_int_not_equal(change_words_add(&change, words[i], NULL, &err), STATUS_OK);
		source_change_free(&change);
	}
}

/* Names reach command lines of the kernel and of gdb, and paths of the tree. */
TEST(keeps_hostile_patches_harmless)
{
	static const char *const texts[] = {
	    "+++ b/../../etc/passwd\n@@ -1 +1 @@\n+x\n",
	    "+++ /etc/passwd\n@@ -1 +1 @@\n+x\n",
	    "+++ b/a b;c\n@@ -1 +1 @@\n+x\n",
	    "+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
	    "@@ -1 +1 @@\n+x\n",
	    "+++ b/x.c\n@@ -1,4000000000 +1,4000000000 @@\n+x\n",
	    "+++ b/x.c\n@@ -1,1 +1,-1 @@\n+x\n",
	    "+++ b/x.c\n@@ -99999999999999999999 +1 @@\n+x\n",
	    "+++ b/x.c\n@@ -1 +1 @",
	    "+++ b/x.c\n@@ -0,0 +1,1 @@\n",
	    "+++ b/\n@@ -0,0 +1,1 @@\n+x\n",
	    "+++ b/x.c\n@@ -0,0 +0,1 @@\n+x\n",
	    "+++ b//x.c\n@@ -0,0 +1,1 @@\n+x\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct source_change change = {0};
		patch_read(&change, texts[i], strlen(texts[i]), NULL);
		assert_int_equal(change.count, 0);
		source_change_free(&change);
	}
}

TEST(keeps_many_places_bounded)
{
	struct source_change change = {0};
	struct buffer text = {0};

	buffer_text(&text, "+++ b/x.c\n@@ -0,0 +1,1000 @@\n");
	for (int i = 0; i < 1000; i++)
		buffer_printf(&text, "+void f%d(void)\n", i);
	assert_true(patch_read(&change, text.data, text.length, NULL));
	assert_int_equal(change.count, SOURCE_PLACES_MAX);
	assert_true(change.is_cut);
	source_change_free(&change);
	buffer_free(&text);
}
