/* SPDX-License-Identifier: MIT */
#include "vm/kernel/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"

#define KERNEL_MOST    ((size_t)1 << 30)
#define PIPE_PORTION   65536
#define EXIT_NOT_FOUND 127

/* The ends that the parent keeps. */
struct filter {
	pid_t pid;
	int to, from;
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void become(const char *const *argv, int in, int out)
{
	int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);

	interrupt_release();
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || (quiet >= 0 && dup2(quiet, 2) < 0))
		_exit(126);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : 126);
}

static enum status start(const char *const *argv, struct filter *filter, const char *where, struct error *err)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		return error_system(err, errno, where, "cannot run %s", argv[0]);
	if (pipe2(out, O_CLOEXEC) < 0) {
		int reason = errno;
		close(in[0]);
		close(in[1]);
		return error_system(err, reason, where, "cannot run %s", argv[0]);
	}
	filter->pid = fork();
	if (filter->pid == 0)
		become(argv, in[0], out[1]);
	int reason = errno;
	close(in[0]);
	close(out[1]);
	filter->to = in[1];
	filter->from = out[0];
	if (filter->pid < 0) {
		close_one(&filter->to);
		close_one(&filter->from);
		return error_system(err, reason, where, "cannot run %s", argv[0]);
	}
	fcntl(filter->to, F_SETFL, O_NONBLOCK);
	return STATUS_OK;
}

/* Feeds and reads in turns until the filter closes its output. */
static enum status pump(struct filter *filter, const char *bytes, size_t length, size_t limit, struct buffer *out,
			const char *where, struct error *err)
{
	size_t begin = out->length;

	for (;;) {
		struct pollfd fds[2] = {{.fd = filter->from, .events = POLLIN}, {.fd = filter->to, .events = POLLOUT}};
		if (length == 0)
			close_one(&filter->to);
		fds[1].fd = filter->to;
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return error_system(err, errno, where, "cannot unpack");
		if (interrupt_check(err) != STATUS_OK)
			return STATUS_INTERRUPTED;
		if (fds[1].revents) {
			ssize_t put = write(filter->to, bytes, length);
			if (put > 0) {
				bytes += put;
				length -= (size_t)put;
			} else if (put < 0 && errno != EAGAIN && errno != EINTR) {
				length = 0; /* it wants no more: what it made tells the rest */
			}
		}
		if (!fds[0].revents)
			continue;
		char *room = buffer_reserve(out, PIPE_PORTION);
		if (!room)
			return error_system(err, ENOMEM, where, "cannot unpack");
		ssize_t got = read(filter->from, room, PIPE_PORTION);
		if (got == 0)
			return STATUS_OK;
		if (got < 0 && errno != EINTR)
			return error_system(err, errno, where, "cannot unpack");
		out->length += got > 0 ? (size_t)got : 0;
		if (out->length - begin > limit)
			return error_set(err, STATUS_UNSUPPORTED, where, "unpacks to more than %zu bytes", limit);
	}
}

static const char *package_of(const char *tool)
{
	return strcmp(tool, "xz") == 0 ? "xz-utils" : tool;
}

enum status filter_through(const char *const *argv, const void *bytes, size_t length, size_t limit, struct buffer *out,
			   const char *where, struct error *err)
{
	struct filter filter = {.to = -1, .from = -1};
	enum status status = start(argv, &filter, where, err);
	int result = 0;

	if (status != STATUS_OK)
		return status;
	/* The tool may stop reading early; that is told by its exit, not by a signal to us. */
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	status = pump(&filter, bytes, length, limit, out, where, err);
	signal(SIGPIPE, before);
	close_one(&filter.to);
	close_one(&filter.from);
	if (status != STATUS_OK)
		kill(filter.pid, SIGKILL);
	while (waitpid(filter.pid, &result, 0) < 0 && errno == EINTR)
		;
	if (status != STATUS_OK)
		return status;
	if (WIFEXITED(result) && WEXITSTATUS(result) == EXIT_NOT_FOUND) {
		error_system(err, ENOENT, where, "needs the program %s", argv[0]);
		return error_remedy(err, "as root: apt-get install %s", package_of(argv[0]));
	}
	if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
		return error_set(err, STATUS_CORRUPT, where, "%s cannot unpack it", argv[0]);
	return STATUS_OK;
}

static const char *const *unpacker(enum compression compression)
{
	static const char *const gzip[] = {"gzip", "-dcq", NULL}, *const bzip2[] = {"bzip2", "-dcq", NULL},
				 *const xz[] = {"xz", "-dcq", NULL},
				 *const lzma[] = {"xz", "-dcq", "--format=lzma", NULL},
				 *const lzop[] = {"lzop", "-dcq", NULL}, *const lz4[] = {"lz4", "-dcq", NULL},
				 *const zstd[] = {"zstd", "-dcq", NULL};

	switch (compression) {
	case COMPRESSION_GZIP:
		return gzip;
	case COMPRESSION_BZIP2:
		return bzip2;
	case COMPRESSION_LZMA:
		return lzma;
	case COMPRESSION_XZ:
		return xz;
	case COMPRESSION_LZO:
		return lzop;
	case COMPRESSION_LZ4:
		return lz4;
	case COMPRESSION_ZSTD:
		return zstd;
	case COMPRESSION_NONE:
	case COMPRESSION_UNKNOWN:
		break;
	}
	return NULL;
}

enum status unpack(enum compression compression, const uint8_t *bytes, size_t length, size_t limit, struct buffer *out,
		   const char *where, struct error *err)
{
	const char *const *argv = unpacker(compression);

	if (argv)
		return filter_through(argv, bytes, length, limit, out, where, err);
	if (compression == COMPRESSION_UNKNOWN)
		return error_set(err, STATUS_UNSUPPORTED, where, "compressed in a way that is not known");
	if (length > limit)
		return error_set(err, STATUS_UNSUPPORTED, where, "longer than %zu bytes", limit);
	buffer_add(out, bytes, length);
	return out->failed ? error_system(err, ENOMEM, where, "cannot unpack") : STATUS_OK;
}

/* The kernel's build appends the unpacked size (4 bytes) to formats that do not tell it themselves; the tools would
 * take it for garbage. */
static size_t without_size_trailer(enum compression compression, uint64_t length)
{
	bool has_trailer = compression == COMPRESSION_XZ || compression == COMPRESSION_ZSTD ||
			   compression == COMPRESSION_LZ4 || compression == COMPRESSION_BZIP2 ||
			   compression == COMPRESSION_LZO || compression == COMPRESSION_LZMA;

	return (size_t)(has_trailer && length > 4 ? length - 4 : length);
}

enum status kernel_image_unpack(const char *path, const struct kernel_image *image, const char *path_out,
				struct error *err)
{
	struct mapping mapping;
	struct buffer kernel = {0};

	if (image->kind != KERNEL_BZIMAGE || image->payload_length == 0)
		return error_set(err, STATUS_UNSUPPORTED, path, "has no compressed kernel to unpack");
	enum status status = file_map(path, &mapping, err);
	if (status != STATUS_OK)
		return status;
	if (image->payload_offset > mapping.length || image->payload_length > mapping.length - image->payload_offset)
		status = error_set(err, STATUS_CORRUPT, path, "kernel image was cut short meanwhile");
	else
		status = unpack(image->payload_compression, mapping.bytes + image->payload_offset,
				without_size_trailer(image->payload_compression, image->payload_length), KERNEL_MOST,
				&kernel, path, err);
	file_unmap(&mapping);
	if (status == STATUS_OK && (kernel.length < 4 || memcmp(kernel.data,
								"\x7f"
								"ELF",
								4) != 0))
		status = error_set(err, STATUS_UNSUPPORTED, path, "its compressed kernel is no ELF file");
	if (status == STATUS_OK)
		status = file_replace(path_out, kernel.data, kernel.length, err);
	buffer_free(&kernel);
	return status;
}
