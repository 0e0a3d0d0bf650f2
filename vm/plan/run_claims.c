/* SPDX-License-Identifier: MIT */
#include "vm/plan/run_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define SET_BYTE ((off_t)UINT32_MAX + 1) /* after those of all runs */
#define JOINED   (SET_BYTE + 1)          /* shared lock of the processes whose identity is in the file */

enum status run_claims_open(struct run_claims *claims, const char *boots, struct error *err)
{
	char path[PATH_MAX];

	claims->file = -1;
	enum status status = file_join(path, sizeof(path), boots, ".lock", err);
	if (status != STATUS_OK)
		return status;
	claims->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (claims->file < 0)
		return error_system(err, errno, path, "cannot open");
	file_give_open_to_sudo_user(claims->file);
	return STATUS_OK;
}

void run_claims_close(struct run_claims *claims)
{
	if (claims->file >= 0)
		close(claims->file);
	claims->file = -1;
}

static int lock_byte(const struct run_claims *claims, short type, off_t byte, int command)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
	int result;

	do
		result = fcntl(claims->file, command, &lock);
	while (result < 0 && errno == EINTR);
	return result;
}

enum claim run_claims_take(const struct run_claims *claims, uint32_t run)
{
	if (lock_byte(claims, F_WRLCK, (off_t)run, F_OFD_SETLK) == 0)
		return CLAIM_TAKEN;
	return errno == EAGAIN || errno == EACCES ? CLAIM_OTHERS : CLAIM_UNKNOWN;
}

void run_claims_release(const struct run_claims *claims, uint32_t run)
{
	lock_byte(claims, F_UNLCK, (off_t)run, F_OFD_SETLK);
}

/* True if the file has this identity: that of the processes that share JOINED. */
static bool has_identity(const struct run_claims *claims, const char *identity)
{
	const size_t length = strlen(identity);
	char found[256];

	return length < sizeof(found) && pread(claims->file, found, sizeof(found), 0) == (ssize_t)length &&
	       memcmp(found, identity, length) == 0;
}

static bool write_identity(const struct run_claims *claims, const char *identity)
{
	const size_t length = strlen(identity);

	return ftruncate(claims->file, 0) == 0 && pwrite(claims->file, identity, length, 0) == (ssize_t)length;
}

enum claim run_claims_join(const struct run_claims *claims, const char *identity)
{
	enum claim claim = CLAIM_UNKNOWN;

	run_claims_lock_set(claims);
	if (lock_byte(claims, F_WRLCK, JOINED, F_OFD_SETLK) == 0)
		claim = write_identity(claims, identity) ? CLAIM_TAKEN : CLAIM_UNKNOWN;
	else if (errno == EAGAIN || errno == EACCES)
		claim = has_identity(claims, identity) ? CLAIM_TAKEN : CLAIM_OTHERS;
	lock_byte(claims, claim == CLAIM_TAKEN ? F_RDLCK : F_UNLCK, JOINED, F_OFD_SETLK);
	run_claims_unlock_set(claims);
	return claim;
}

void run_claims_lock_set(const struct run_claims *claims)
{
	lock_byte(claims, F_WRLCK, SET_BYTE, F_OFD_SETLKW);
}

void run_claims_unlock_set(const struct run_claims *claims)
{
	lock_byte(claims, F_UNLCK, SET_BYTE, F_OFD_SETLK);
}
