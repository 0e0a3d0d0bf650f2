/* SPDX-License-Identifier: MIT
 *
 * Operands of --kernel: images, kernel trees, directories of packages, labels, and the names of sets. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/kernel/kernel_choice.h"

#define MAKEFILE "# SPDX-License-Identifier: GPL-2.0\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\n"

static void add(const char *name, const char *text)
{
	char directory[600];

	snprintf(directory, sizeof(directory), "%s", name);
	if (strrchr(directory, '/')) {
		*strrchr(directory, '/') = '\0';
		assert_int_equal(file_make_directories(directory, NULL), STATUS_OK);
	}
	assert_int_equal(file_replace(name, text, strlen(text), NULL), STATUS_OK);
}

static void assert_choice(const char *argument, const char *label, const char *image)
{
	struct kernel_choice choice;
	struct error err = {0};

	if (kernel_choice_parse(argument, &choice, &err) != STATUS_OK)
		fail_msg("%s: %s: %s", argument, err.where, err.what);
	assert_string_equal(choice.label, label);
	assert_string_equal(choice.image, image);
}

static void assert_refused(const char *argument, enum status expected, const char *named, const char *remedy)
{
	struct kernel_choice choice;
	struct error err = {0};
	char text[2048];

	assert_int_equal(kernel_choice_parse(argument, &choice, &err), expected);
	error_text(&err, text, sizeof(text));
	if (!strstr(text, named) || !strstr(text, remedy))
		fail_msg("'%s' lacks '%s' or '%s'", text, named, remedy);
}

TEST_WITH(fetched_kernels, own_directory_enter, own_directory_leave)
{
	char cache[600];
	struct kernel_choice choice;
	struct error err = {0};

	snprintf(cache, sizeof(cache), "%s/cache", own_directory);
	setenv("XDG_CACHE_HOME", cache, 1);
	add("cache/picknext/kernels/6.12/boot/vmlinuz-6.12.1", "x");
	assert_int_equal(chmod("cache/picknext", 0700), 0);
	assert_int_equal(kernel_choice_parse("new=6.12", &choice, &err), STATUS_OK);
	assert_string_equal(choice.label, "new");
	assert_non_null(strstr(choice.image, "cache/picknext/kernels/6.12/boot/vmlinuz-6.12.1"));
	char name[16], longest[4];
	assert_true(kernel_fetched_name(choice.image, name, sizeof(name)));
	assert_string_equal(name, "6.12");
	assert_false(kernel_fetched_name(choice.image, longest, sizeof(longest)));
	assert_false(kernel_fetched_name("boot/vmlinuz-6.12.1", name, sizeof(name)));
	snprintf(cache + strlen(cache), 32, "/picknext/kernels/6.12");
	assert_false(kernel_fetched_name(cache, name, sizeof(name)));
	assert_refused("6.13", STATUS_SYSTEM, "6.13", "picknext fetch kernel 6.13");
	assert_choice("other", "", "other"); /* reported by whoever opens it */
	assert_choice("../6.12", "", "../6.12");
	assert_choice("6.13-mine", "", "6.13-mine");
	/* A file of that name comes first. */
	add("6.12", "x");
	assert_choice("6.12", "", "6.12");
	assert_int_equal(unlink("6.12"), 0);
	/* Another user could have put it there. */
	assert_int_equal(chmod("cache/picknext", 0777), 0);
	assert_refused("6.12", STATUS_SYSTEM, "cache/picknext are not used", "XDG_CACHE_HOME");
}

TEST_WITH(labels, own_directory_enter, own_directory_leave)
{
	add("image", "x");
	assert_choice("image", "", "image");
	assert_choice("base=image", "base", "image");
	assert_choice("6.1+mine~2=image", "6.1+mine~2", "image");
	/* A name that does not exist is not judged here; a label has no slash. */
	assert_choice("missing", "", "missing");
	assert_choice("a=b=c", "a", "b=c");
	assert_choice("./x=y", "", "./x=y");
	/* A name that exists is a path. */
	add("old=image", "x");
	assert_choice("old=image", "", "old=image");
	assert_choice("new=old=image", "new", "old=image");
	add("old=tree/arch/x86/boot/bzImage", "x");
	assert_choice("old=tree", "", "old=tree/arch/x86/boot/bzImage");
}

TEST_WITH(bad_labels, own_directory_enter, own_directory_leave)
{
	char longest[80];

	memset(longest, 'a', sizeof(longest));
	memcpy(longest + 64, "=image", 7);
	assert_choice(longest, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "image");
	memcpy(longest + 64, "a=image", 8);
	assert_refused(longest, STATUS_USAGE, "--kernel", "64");
	assert_refused("=image", STATUS_USAGE, "--kernel", "64");
	assert_refused(".x=image", STATUS_USAGE, "'.x'", "64");
	assert_refused("..=image", STATUS_USAGE, "'..'", "64");
	assert_refused("-x=image", STATUS_USAGE, "'-x'", "64");
	assert_refused("a b=image", STATUS_USAGE, "'a b'", "64");
	assert_refused("raw=image", STATUS_USAGE, "'raw'", "64");
	assert_refused("report.html=image", STATUS_USAGE, "'report.html'", "64");
	assert_refused("base=", STATUS_USAGE, "'base='", "base=IMAGE");
}

TEST_WITH(kernel_tree, own_directory_enter, own_directory_leave)
{
	add("tree/Makefile", MAKEFILE);
	assert_false(kernel_tree_is("tree"));
	add("tree/Kbuild", "");
	assert_true(kernel_tree_is("tree"));
	assert_refused("tree", STATUS_SYSTEM, "tree: this kernel tree is not built yet: no arch/x86/boot/bzImage",
		       "run make");
	assert_refused("base=tree", STATUS_SYSTEM, "arch/x86/boot/bzImage", "run make");
	/* Another kernel in it is not the tree's. */
	add("tree/vmlinuz", "x");
	assert_refused("tree", STATUS_SYSTEM, "arch/x86/boot/bzImage", "run make");
	add("tree/arch/x86/boot/bzImage", "x");
	assert_choice("tree", "", "tree/arch/x86/boot/bzImage");
	assert_choice("tree/", "", "tree/arch/x86/boot/bzImage");
	assert_choice("base=tree", "base", "tree/arch/x86/boot/bzImage");

	/* A shell does not expand the ~ after LABEL=, nor a quoted one. */
	char top[400];
	assert_non_null(getcwd(top, sizeof(top)));
	setenv("HOME", top, 1);
	char *image = NULL;
	assert_true(asprintf(&image, "%s/tree/arch/x86/boot/bzImage", top) > 0);
	assert_choice("base=~/tree", "base", image);
	assert_choice("~/tree", "", image);
	free(image);
	add("~/tree", "x");
	assert_choice("~/tree", "", "~/tree");

	/* A build directory of make O=. */
	add("built/Makefile", "include ../tree/Makefile\n");
	assert_false(kernel_tree_is("built"));
	assert_int_equal(symlink("../tree", "built/source"), 0);
	assert_true(kernel_tree_is("built"));
	assert_refused("built", STATUS_SYSTEM, "arch/x86/boot/bzImage", "run make");

	/* Not every project with a Makefile and a Kbuild is Linux. */
	add("other/Makefile", "all:\n");
	add("other/Kbuild", "");
	assert_false(kernel_tree_is("other"));
}

TEST_WITH(directories, own_directory_enter, own_directory_leave)
{
	add("debian/boot/vmlinuz-6.1.0-50-amd64", "x");
	add("debian/boot/config-6.1.0-50-amd64", "x");
	add("debian/lib/modules/6.1.0-50-amd64/modules.builtin", "x");
	assert_choice("debian", "", "debian/boot/vmlinuz-6.1.0-50-amd64");
	add("newer/usr/lib/modules/7.0/vmlinuz", "x");
	assert_choice("newer", "", "newer/usr/lib/modules/7.0/vmlinuz");
	add("installed/vmlinuz-6.9", "x");
	assert_int_equal(symlink("vmlinuz-6.9", "installed/vmlinuz"), 0);
	assert_choice("installed", "", "installed/vmlinuz");
	add("installed/vmlinuz-6.10", "x");
	assert_refused("installed", STATUS_USAGE, "vmlinuz-6.10", "--kernel");
	add("empty/readme", "x");
	assert_refused("empty", STATUS_SYSTEM, "empty: ", "make bzImage");
	assert_int_equal(file_make_directories("odd/vmlinuz", NULL), STATUS_OK);
	assert_refused("odd", STATUS_SYSTEM, "odd: ", "make bzImage");
}

TEST_WITH(several, own_directory_enter, own_directory_leave)
{
	const char *const three[] = {"a=image", "image", "b=image"};
	const char *const twice[] = {"a=image", "image", "a=image"};
	struct kernel_choice choices[3];
	struct error err = {0};

	assert_int_equal(kernel_choices_parse(three, 3, choices, &err), STATUS_OK);
	assert_string_equal(choices[0].label, "a");
	assert_string_equal(choices[1].label, "");
	assert_string_equal(choices[2].label, "b");
	assert_int_equal(kernel_choices_parse(twice, 3, choices, &err), STATUS_USAGE);
	assert_non_null(strstr(err.what, "label a"));
	assert_int_equal(kernel_choices_parse(NULL, 0, choices, &err), STATUS_USAGE);
	assert_non_null(strstr(err.remedy, "--kernel"));
	add("Makefile", MAKEFILE);
	add("Kbuild", "");
	assert_int_equal(kernel_choices_parse(NULL, 0, choices, &err), STATUS_SYSTEM);
	assert_non_null(strstr(err.remedy, "run make"));
	add("arch/x86/boot/bzImage", "x");
	assert_int_equal(kernel_choices_parse(NULL, 0, choices, &err), STATUS_OK);
	assert_string_equal(choices[0].image, "./arch/x86/boot/bzImage");
}

TEST(names)
{
	struct kernel_choice choices[] = {{.label = ""}, {.label = "base"}, {.label = ""}, {.label = "6.1-2"},
					  {.label = ""}, {.label = ""},     {.label = ""}};
	const char *const releases[] = {"6.1", "6.1", "6.1", "6.12", "6.12", "base", "raw"};
	static const char *const expected[] = {"6.1", "base", "6.1-3", "6.1-2", "6.12", "base-2", "raw-2"};

	kernel_choices_name(choices, releases, 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(choices[i].set, expected[i]);
}
