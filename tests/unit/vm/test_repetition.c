/* SPDX-License-Identifier: MIT
 *
 * Repeating a directory: the traces of its set's runs, by seed, and no files that others put there. */
#include "support/unit.h"
#include "vm/launch/repetition.h"

#include <sys/stat.h>

#include "base/file.h"
#include "support/own_directory.h"

static void put(const char *path, const char *text)
{
	assert_int_equal(file_replace(path, text, strlen(text), NULL), STATUS_OK);
}

static void put_run(unsigned int seed, const char *identity, const char *files)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "boots/run%u.json", seed);
	snprintf(text, sizeof(text),
		 "{\"run\": %u, \"identity\": \"%s\", \"end\": \"done\", \"traces\": 1, \"files\": [%s]}", seed,
		 identity, files);
	put(path, text);
}

#define FILE_OF(name) "{\"name\": \"" name "\", \"bytes\": 1}"
#define GOOD                                                                                                           \
	"{\"deterministic\": {\"identity\": \"this\", \"qemu\": \"/q\"}, \"label\": \"a\", \"number\": 1, "            \
	"\"recipe\": [\"vm\", \"--kernel=k\"]}"

TEST_WITH(traces_of_one_identity_by_seed, own_directory_enter, own_directory_leave)
{
	const struct seed_list all = {0}, some = {.count = 1, .seeds = {10}}, none = {.count = 1, .seeds = {7}};
	struct repetition repetition;
	struct error err;

	mkdir("boots", 0700);
	put("vm.json", GOOD);
	put_run(10, "this", FILE_OF("b_run10.dat") "," FILE_OF("b_run10.json"));
	put_run(2, "this", FILE_OF("a_run2.dat") "," FILE_OF("b_run2.dat"));
	put_run(3, "another", FILE_OF("a_run3.dat"));
	put_run(4, "this", FILE_OF("../a_run4.dat"));
	put_run(5, "this", FILE_OF("a_run5.dat.incomplete"));
	put("boots/run6.json", "{");
	assert_int_equal(repetition_begin(&repetition, ".", &all, &err), STATUS_OK);
	assert_int_equal(repetition.count, 3);
	assert_string_equal(repetition.traces[0].name, "a_run2.dat");
	assert_string_equal(repetition.traces[1].name, "b_run2.dat");
	assert_string_equal(repetition.traces[2].name, "b_run10.dat");
	assert_int_equal(repetition.seeds.count, 2);
	assert_int_equal(repetition.seeds.seeds[1], 10);
	assert_string_equal(repetition.qemu, "/q");
	assert_int_equal(repetition.recorded.number, 1);
	repetition_end(&repetition);
	assert_int_equal(repetition_begin(&repetition, ".", &some, &err), STATUS_OK);
	assert_int_equal(repetition.count, 1);
	assert_int_equal(repetition.total, 3);
	repetition_end(&repetition);
	assert_int_equal(repetition_begin(&repetition, ".", &none, &err), STATUS_USAGE);
	assert_non_null(strstr(err.what, "with these seeds"));
	assert_non_null(strstr(err.remedy, "10"));
	repetition_end(&repetition);
}

TEST_WITH(sets_that_cannot_be_repeated, own_directory_enter, own_directory_leave)
{
	static const struct {
		const char *document;
		enum status status;
	} rows[] = {
	    {"{\"deterministic\": {}}", STATUS_UNSUPPORTED},
	    {"{\"deterministic\": {}, \"recipe\": [1]}", STATUS_CORRUPT},
	    {"{\"inputs\": {}, \"recipe\": [\"vm\"]}", STATUS_USAGE},
	    {"{", STATUS_CORRUPT},
	    {"[]", STATUS_USAGE},
	};
	const struct seed_list all = {0};
	struct repetition repetition;
	struct error err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put("vm.json", rows[i].document);
		assert_int_equal(repetition_begin(&repetition, ".", &all, &err), rows[i].status);
		repetition_end(&repetition);
	}
}

/* A recipe may have as many words as the file. */
TEST_WITH(a_recipe_of_many_words, own_directory_enter, own_directory_leave)
{
	struct recorded_set set;
	struct buffer text = {0};

	buffer_text(&text, "{\"recipe\": [\"vm\"");
	for (int i = 0; i < 10000; i++)
		buffer_text(&text, ", \"x\"");
	buffer_text(&text, "]}");
	put("vm.json", text.data);
	assert_int_equal(recorded_set_read(".", &set, NULL), STATUS_OK);
	assert_int_equal(set.recipe.words.count, 10001);
	recorded_set_free(&set);
	buffer_free(&text);
}
