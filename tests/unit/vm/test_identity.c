/* SPDX-License-Identifier: MIT
 *
 * The identity of a deterministic run: which inputs count, which do not, and where it is written. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/launch/boot.h"
#include "vm/launch/identity.h"

static void put(const char *name, const char *text)
{
	char path[256];

	assert_int_equal(file_join(path, sizeof(path), own_directory, name, NULL), STATUS_OK);
	assert_int_equal(file_replace(path, text, strlen(text), NULL), STATUS_OK);
}

static int set_up(void **state)
{
	char path[256];

	assert_int_equal(own_directory_enter(state), 0);
	snprintf(path, sizeof(path), "%s/raw", own_directory);
	assert_int_equal(mkdir(path, 0755), 0);
	put("qemu", "QEMU");
	put("kernel", "kernel");
	put("initramfs", "initramfs");
	return 0;
}

static void find(struct boot *boot, struct identity *identity)
{
	assert_int_equal(identity_find(boot, identity, NULL), STATUS_OK);
	assert_int_equal(strlen(identity->whole), 64);
}

TEST_WITH(what_counts, set_up, own_directory_leave)
{
	static const char *const arguments[] = {"-w", "io_mixed", NULL};
	static const char *const others[] = {"-w", "io_mixed", "--scale", "2", NULL};
	struct emulator engine = {.kind = ENGINE_QEMU, .architecture = &architectures[0], .qemu_version = "10.0.2"};
	char initramfs[256];
	struct boot boot = {
	    .machine = {.engine = &engine, .cpus = 2, .memory_mb = 512, .deterministic = true, .seed = 1},
	    .job = {.transport = JOB_TRANSPORT_SHARED_MEMORY, .words = arguments, .first_run = 1},
	    .initramfs = initramfs};
	struct identity first, other;

	snprintf(engine.qemu, sizeof(engine.qemu), "%s/qemu", own_directory);
	snprintf(initramfs, sizeof(initramfs), "%s/initramfs", own_directory);
	snprintf(boot.directory.path, sizeof(boot.directory.path), "%.79s", own_directory);
	find(&boot, &first);

	/* The seed is told beside it, and where the files lie does not matter. */
	boot.machine.seed = boot.job.first_run = 7;
	boot.machine.directory = "/elsewhere";
	boot.machine.code_cache_mb = MACHINE_CODE_CACHE_MB;
	find(&boot, &other);
	assert_string_equal(other.whole, first.whole);

	boot.machine.cpus = 3;
	find(&boot, &other);
	assert_string_not_equal(other.whole, first.whole);
	assert_string_not_equal(other.parts[IDENTITY_MACHINE], first.parts[IDENTITY_MACHINE]);
	assert_string_equal(other.parts[IDENTITY_JOB], first.parts[IDENTITY_JOB]);
	boot.machine.cpus = 2;
	boot.machine.append = "quiet";
	find(&boot, &other);
	assert_string_not_equal(other.parts[IDENTITY_MACHINE], first.parts[IDENTITY_MACHINE]);
	boot.machine.append = NULL;
	boot.job.words = others;
	find(&boot, &other);
	assert_string_not_equal(other.parts[IDENTITY_JOB], first.parts[IDENTITY_JOB]);
	boot.job.words = arguments;
	put("kernel", "kernel!");
	find(&boot, &other);
	assert_string_not_equal(other.parts[IDENTITY_KERNEL], first.parts[IDENTITY_KERNEL]);
	assert_string_not_equal(other.whole, first.whole);
	put("kernel", "kernel");
	find(&boot, &other);
	assert_memory_equal(&other, &first, sizeof(first));
}

TEST(what_is_written_is_read)
{
	struct identity identity, read;
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	struct json_value *value;

	memset(&identity, 0, sizeof(identity));
	for (int i = 0; i < IDENTITY_PARTS; i++)
		snprintf(identity.parts[i], SHA256_TEXT_SIZE, "part %d", i);
	snprintf(identity.whole, SHA256_TEXT_SIZE, "whole");
	json_object_begin(&json, NULL);
	identity_write(&identity, &json);
	json_object_end(&json);
	assert_int_equal(json_parse(text.data, text.length, "x", &value, NULL), STATUS_OK);
	identity_read(value, &read);
	assert_memory_equal(&read, &identity, sizeof(read));
	json_free(value);
	buffer_free(&text);
}
