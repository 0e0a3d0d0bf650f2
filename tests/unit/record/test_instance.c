/* SPDX-License-Identifier: MIT
 *
 * Which instances are taken for stale, and which have an owner: in a directory that is no tracefs, since an owner in
 * another PID namespace would be found by every picknext of the machine. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/tracefs/instance.h"
#include "record/tracefs/tracefs.h"
#include "support/unit.h"

/* The instance of no process. */
#define ELSEWHERE "picknext-999999999"

static char tracefs[] = "/tmp/picknext-test-XXXXXX";

static const char *instance(const char *name)
{
	static char path[TRACEFS_PATH_SIZE];

	snprintf(path, sizeof(path), "%s/instances/%s", tracefs, name);
	return path;
}

static const char *own(unsigned int attempt)
{
	char name[64];

	snprintf(name, sizeof(name), "picknext-%u", (unsigned int)getpid() + attempt * 10000000);
	return instance(name);
}

/* Another process that has made an instance and holds its lock until release(): a lock keeps out other processes only.
 */
struct owner {
	pid_t pid;
	int release;
};

static void hold(const char *path, int ready, int release)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	char byte = 0;

	bool made = mkdir(path, 0700) == 0;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (made && fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0)
		(void)!write(ready, &byte, 1);
	(void)!read(release, &byte, 1);
	_exit(0);
}

static struct owner make_owner(const char *path)
{
	int ready[2];
	int release[2];
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(release, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(release[1]);
		hold(path, ready[1], release[0]);
	}
	close(ready[1]);
	close(release[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return (struct owner){pid, release[1]};
}

static void release(struct owner owner)
{
	close(owner.release);
	assert_int_equal(waitpid(owner.pid, NULL, 0), owner.pid);
}

static void count(void *context, const char *directory)
{
	assert_non_null(strstr(directory, "picknext-"));
	++*(unsigned int *)context;
}

/* How many instances have an owner, seen by a process that owns none, after it has removed the stale ones. */
static int count_owned(void)
{
	unsigned int owned = 0;
	int status;

	pid_t pid = fork();
	if (pid == 0) {
		instance_remove_stale(tracefs);
		instance_for_each(tracefs, count, &owned);
		_exit((int)owned);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

TEST(test_an_instance_that_is_locked_has_an_owner)
{
	struct owner owner = make_owner(instance(ELSEWHERE));
	assert_int_equal(mkdir(instance("trace-cmd"), 0700), 0);
	assert_int_equal(count_owned(), 1);
	assert_int_equal(access(instance(ELSEWHERE), F_OK), 0);
	release(owner);
	assert_int_equal(count_owned(), 0);
	assert_int_not_equal(access(instance(ELSEWHERE), F_OK), 0);
	assert_int_equal(rmdir(instance("trace-cmd")), 0);
}

TEST(test_an_instance_is_locked_as_long_as_it_is_there)
{
	char directory[TRACEFS_PATH_SIZE];
	int lock = -1;

	assert_int_equal(instance_create(tracefs, directory, sizeof(directory), &lock, NULL), STATUS_OK);
	assert_string_equal(directory, own(0));
	assert_true(lock >= 0);
	assert_int_equal(count_owned(), 1);
	assert_int_equal(access(directory, F_OK), 0);
	assert_int_equal(instance_remove(directory, NULL), STATUS_OK);
	close(lock);
	assert_int_equal(count_owned(), 0);
}

/* Each PID namespace counts from 1. */
TEST(test_another_can_have_the_same_pid)
{
	char directory[TRACEFS_PATH_SIZE];
	int lock = -1;

	struct owner other = make_owner(own(0));
	assert_int_equal(instance_create(tracefs, directory, sizeof(directory), &lock, NULL), STATUS_OK);
	assert_string_equal(directory, own(1));
	assert_int_equal(count_owned(), 2);
	close(lock);
	release(other);
	assert_int_equal(count_owned(), 0);
	assert_int_not_equal(access(own(0), F_OK), 0);
	assert_int_not_equal(access(own(1), F_OK), 0);
}

static int set_up(void **state)
{
	char path[TRACEFS_PATH_SIZE];

	if (!mkdtemp(tracefs))
		return -1;
	snprintf(path, sizeof(path), "%s/instances", tracefs);
	return mkdir(path, 0700);
}

static int tear_down(void **state)
{
	char path[TRACEFS_PATH_SIZE];

	snprintf(path, sizeof(path), "%s/instances", tracefs);
	return rmdir(path) == 0 && rmdir(tracefs) == 0 ? 0 : -1;
}

TESTS_WITH(set_up, tear_down)
