/* SPDX-License-Identifier: MIT
 *
 * The job: what the launcher writes is what the guest reads. The archive is unpacked by the machine's cpio. */
#include <unistd.h>

#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/files/guest_archive.h"

/* Leaves the archive's contents in top. */
static void unpack_archive(const struct buffer *archive)
{
	char path[300], command[700];

	snprintf(path, sizeof(path), "%s/archive", own_directory);
	assert_int_equal(file_replace(path, archive->data, archive->length, NULL), STATUS_OK);
	snprintf(command, sizeof(command), "cd '%s' && cpio -i --quiet --no-preserve-owner < archive", own_directory);
	assert_int_equal(system(command), 0);
}

TEST_WITH(arrives_as_it_was, own_directory_enter, own_directory_leave)
{
	static const char *const arguments[] = {"-w", "a b,c", "--runs", "2", "", "line\nbreak", NULL};
	struct job job = {.transport = JOB_TRANSPORT_SHARE,
			  .accelerator = "tcg",
			  .engine = "vng",
			  .topology = "numa=2,smt=2",
			  .words = arguments};
	struct job_read read;
	struct buffer archive = {0};
	char directory[300];

	if (system("command -v cpio >/dev/null") != 0)
		skip();
	assert_int_equal(job_archive_write(&job, NULL, NULL, &archive, NULL), STATUS_OK);
	assert_int_equal(archive.length % 4, 0);
	unpack_archive(&archive);
	snprintf(directory, sizeof(directory), "%s/job", own_directory);
	assert_int_equal(job_read(directory, &read, NULL), STATUS_OK);
	assert_int_equal(read.job.transport, JOB_TRANSPORT_SHARE);
	assert_string_equal(read.job.accelerator, "tcg");
	assert_string_equal(read.job.engine, "vng");
	assert_string_equal(read.job.topology, "numa=2,smt=2");
	assert_false(read.job.probe);
	assert_false(read.job.shell);
	size_t i = 0;
	for (; arguments[i]; i++)
		assert_string_equal(read.job.words[i], arguments[i]);
	assert_null(read.job.words[i]);
	job_read_free(&read);
	buffer_free(&archive);
}

TEST_WITH(a_deterministic_job_arrives, own_directory_enter, own_directory_leave)
{
	struct job job = {.transport = JOB_TRANSPORT_SHARED_MEMORY, .fixed_work = true, .first_run = 999999};
	struct job_read read;
	struct buffer archive = {0};
	char directory[300], settings[320];

	if (system("command -v cpio >/dev/null") != 0)
		skip();
	assert_int_equal(job_archive_write(&job, NULL, NULL, &archive, NULL), STATUS_OK);
	unpack_archive(&archive);
	snprintf(directory, sizeof(directory), "%s/job", own_directory);
	assert_int_equal(job_read(directory, &read, NULL), STATUS_OK);
	assert_int_equal(read.job.transport, JOB_TRANSPORT_SHARED_MEMORY);
	assert_true(read.job.fixed_work);
	assert_int_equal(read.job.first_run, 999999);
	job_read_free(&read);
	snprintf(settings, sizeof(settings), "%s/settings", directory);
	assert_int_equal(file_replace(settings, "first_run=-1\n", 13, NULL), STATUS_OK);
	assert_int_equal(job_read(directory, &read, NULL), STATUS_CORRUPT);
	job_read_free(&read);
	buffer_free(&archive);
}

TEST_WITH(carries_modules, own_directory_enter, own_directory_leave)
{
	struct module modules[2] = {{.name = "virtio_ring"}, {.name = "null_blk"}};
	struct module_set set = {.modules = modules, .count = 2};
	struct job job = {.shell = true, .probe = true};
	struct buffer archive = {0}, order = {0};
	struct job_read read;
	char path[300];

	if (system("command -v cpio >/dev/null") != 0)
		skip();
	buffer_text(&modules[0].bytes, "first");
	buffer_text(&modules[1].bytes, "second");
	assert_int_equal(job_archive_write(&job, NULL, &set, &archive, NULL), STATUS_OK);
	unpack_archive(&archive);
	snprintf(path, sizeof(path), "%s/modules/order", own_directory);
	assert_int_equal(file_read(path, 4096, &order, NULL), STATUS_OK);
	assert_string_equal(order.data, "virtio_ring.ko\nnull_blk.ko " JOB_NULL_BLOCK_PARAMETERS "\n");
	snprintf(path, sizeof(path), "%s/job", own_directory);
	assert_int_equal(job_read(path, &read, NULL), STATUS_OK);
	assert_true(read.job.shell && read.job.probe);
	assert_string_equal(read.job.share, JOB_SHARE);
	job_read_free(&read);
	buffer_free(&order);
	buffer_free(&archive);
	buffer_free(&modules[0].bytes);
	buffer_free(&modules[1].bytes);
}

TEST_WITH(carries_what_was_added, own_directory_enter, own_directory_leave)
{
	struct guest_files guest_files = {0};
	struct job job = {.scheduler = "none"};
	struct buffer archive = {0}, settings = {0}, copy = {0};
	struct job_read read;
	char path[300];

	if (system("command -v cpio >/dev/null") != 0)
		skip();
	snprintf(path, sizeof(path), "%s/a=b", own_directory);
	assert_int_equal(file_replace(path, "hello", 5, NULL), STATUS_OK);
	assert_int_equal(guest_files_place(&guest_files, GUEST_FILE_REGULAR, "/opt/tools/hello", path, true, NULL),
			 STATUS_OK);
	assert_int_equal(guest_files_place(&guest_files, GUEST_FILE_LINK, "/opt/link", "tools/hello", false, NULL),
			 STATUS_OK);
	guest_files_remember(&guest_files.programs, "/opt/tools/hello");
	guest_files_remember(&guest_files.programs, "/opt/more/x");
	guest_files_remember(&guest_files.programs, "/opt/tools/other");
	guest_files_remember(&guest_files.libraries, "/opt/lib/libx.so");
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	assert_int_equal(job_archive_write(&job, &guest_files, NULL, &archive, NULL), STATUS_OK);
	unpack_archive(&archive);
	snprintf(path, sizeof(path), "%s/job/settings", own_directory);
	assert_int_equal(file_read(path, 4096, &settings, NULL), STATUS_OK);
	assert_non_null(strstr(settings.data, "\npath=/opt/tools:/opt/more\n"));
	assert_non_null(strstr(settings.data, "\nlibrary_path=/opt/lib\n"));
	assert_non_null(strstr(settings.data, "\ndirectory=/root\n"));
	snprintf(path, sizeof(path), "%s/job/" JOB_COMPLETE, own_directory);
	assert_int_equal(access(path, F_OK), 0);
	assert_non_null(memmem(archive.data + archive.length - 300, 300, "job/" JOB_COMPLETE, 12));
	snprintf(path, sizeof(path), "%s/opt/link", own_directory);
	assert_int_equal(file_read(path, 4096, &copy, NULL), STATUS_OK);
	assert_string_equal(copy.data, "hello");
	assert_int_equal(access(path, X_OK), 0);
	snprintf(path, sizeof(path), "%s/job", own_directory);
	assert_int_equal(job_read(path, &read, NULL), STATUS_OK);
	assert_string_equal(read.job.scheduler, "none");
	job_read_free(&read);
	/* a line break would be a setting of its own */
	guest_files_remember(&guest_files.programs, "/opt/a\nshell=1/x");
	assert_int_equal(job_archive_write(&job, &guest_files, NULL, &archive, NULL), STATUS_USAGE);
	guest_files_free(&guest_files);
	buffer_free(&archive);
	buffer_free(&settings);
	buffer_free(&copy);
}

TEST(refuses_what_would_not_arrive)
{
	const char *many[JOB_WORDS_MAX + 2];
	struct job job = {.share = "/tmp/a\nshell=1"};
	struct buffer archive = {0};

	assert_int_equal(job_archive_write(&job, NULL, NULL, &archive, NULL), STATUS_USAGE);
	for (size_t i = 0; i <= JOB_WORDS_MAX; i++)
		many[i] = "x";
	many[JOB_WORDS_MAX + 1] = NULL;
	job = (struct job){.words = many};
	assert_int_equal(job_archive_write(&job, NULL, NULL, &archive, NULL), STATUS_USAGE);
	buffer_free(&archive);
}

static void write_job(const char *settings, const char *arguments, size_t length)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/settings", own_directory);
	assert_int_equal(file_replace(path, settings, strlen(settings), NULL), STATUS_OK);
	snprintf(path, sizeof(path), "%s/words", own_directory);
	assert_int_equal(file_replace(path, arguments, length, NULL), STATUS_OK);
}

TEST_WITH(names_what_is_malformed, own_directory_enter, own_directory_leave)
{
	struct job_read read;
	struct error err = {0};

	write_job("transport=pigeon\n", "", 0);
	assert_int_equal(job_read(own_directory, &read, &err), STATUS_CORRUPT);
	assert_non_null(strstr(err.what, "pigeon"));
	job_read_free(&read);
	write_job("no value\n", "", 0);
	assert_int_equal(job_read(own_directory, &read, &err), STATUS_CORRUPT);
	job_read_free(&read);
	write_job("transport=share\nfuture=1\n", "unended", 7);
	assert_int_equal(job_read(own_directory, &read, &err), STATUS_CORRUPT);
	job_read_free(&read);
	assert_int_equal(job_read("/nonexistent", &read, &err), STATUS_SYSTEM);
	job_read_free(&read);
}
