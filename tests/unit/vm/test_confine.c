/* SPDX-License-Identifier: MIT
 *
 * A program that serves a guest cannot change the host's files. Each case runs in a child: a confined process stays
 * confined. */
#include "support/unit.h"
#include "vm/engine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "vm/engine/private_directory.h"

#define CALL_FCHMODAT2 452

/* Runs check() in a confined child, in an empty directory; its result is the number of the line that failed, or 0. */
static int confined(int (*check)(void))
{
	char directory[] = "/tmp/pn-unit-XXXXXX";
	int status = -1;

	assert_non_null(mkdtemp(directory));
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		umask(0);
		if (chdir(directory) < 0)
			_exit(255);
		confine_process();
		int line = check();
		_exit(line > 254 ? 254 : line);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	directory_remove_all(directory);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			return __LINE__;                                                                               \
	} while (0)
#define REFUSED(call) CHECK((call) < 0 && errno == EPERM)

static mode_t mode_of(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 ? info.st_mode & 07777 : 0xffff;
}

static int special_modes(void)
{
	int fd = open("plain", O_WRONLY | O_CREAT | O_EXCL, 0666);

	CHECK(fd >= 0 && mode_of("plain") == 0600); /* umask 077 */
	REFUSED(chmod("plain", 04755));
	REFUSED(chmod("plain", 02755));
	REFUSED(fchmod(fd, 06700));
	REFUSED(fchmodat(AT_FDCWD, "plain", 04700, 0));
	CHECK(syscall(CALL_FCHMODAT2, AT_FDCWD, "plain", 04700, 0) < 0 && (errno == EPERM || errno == ENOSYS));
	REFUSED(open("new", O_WRONLY | O_CREAT, 04755));
	REFUSED(openat(AT_FDCWD, "new", O_WRONLY | O_CREAT, 02755));
	REFUSED(openat(AT_FDCWD, ".", O_WRONLY | O_TMPFILE, 04755));
	REFUSED(mknod("new", S_IFREG | 04755, 0));
	CHECK(mode_of("plain") == 0600 && mode_of("new") == 0xffff);
	CHECK(chmod("plain", 0755) == 0 && mode_of("plain") == 0755); /* other modes are the owner's */
	/* without O_CREAT the mode is not used, whatever is in it */
	CHECK(syscall(SYS_openat, AT_FDCWD, "plain", O_RDONLY, 04755) >= 0);
	return 0;
}

static int other_kinds_and_owners(void)
{
	int fd = open("plain", O_WRONLY | O_CREAT | O_EXCL, 0666);

	CHECK(fd >= 0);
	REFUSED(mknod("null", S_IFCHR | 0666, makedev(1, 3)));
	REFUSED(mknodat(AT_FDCWD, "disk", S_IFBLK | 0666, makedev(8, 0)));
	CHECK(mknod("fifo", S_IFIFO | 0600, 0) == 0 && mknod("file", S_IFREG | 0600, 0) == 0);
	REFUSED(chown("plain", 12, 12));
	REFUSED(lchown("plain", 12, 12));
	REFUSED(fchown(fd, 12, 12));
	REFUSED(fchownat(AT_FDCWD, "plain", 12, 12, 0));
	CHECK(setxattr("plain", "user.x", "y", 1, 0) < 0 && errno == EOPNOTSUPP);
	CHECK(lsetxattr("plain", "security.capability", "y", 1, 0) < 0 && errno == EOPNOTSUPP);
	CHECK(fsetxattr(fd, "user.x", "y", 1, 0) < 0 && errno == EOPNOTSUPP);
	return 0;
}

TEST(nothing_special_can_be_made)
{
	assert_int_equal(confined(special_modes), 0);
	assert_int_equal(confined(other_kinds_and_owners), 0);
}

static int inherited = -1;

static int descriptors(void)
{
	CHECK(fcntl(inherited, F_GETFD) == FD_CLOEXEC);
	CHECK(fcntl(STDERR_FILENO, F_GETFD) == 0);
	CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	return 0;
}

TEST(descriptors_are_not_passed_on)
{
	inherited = open("/dev/null", O_RDONLY);
	assert_true(inherited > STDERR_FILENO);
	assert_int_equal(confined(descriptors), 0);
	assert_int_equal(fcntl(inherited, F_GETFD), 0); /* of this process they stay as they are */
	close(inherited);
}
