/* SPDX-License-Identifier: MIT */
#include "scheduler/scheduler_output.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"

#define EXIT_WORD "EXIT: " /* with which schedulers of the kernel's source begin their last line */

static void read_part(int fd, off_t begin, off_t end, struct buffer *text)
{
	char bytes[4096];

	while (begin < end) {
		size_t wanted = end - begin < (off_t)sizeof(bytes) ? (size_t)(end - begin) : sizeof(bytes);
		ssize_t count = pread(fd, bytes, wanted, begin);
		if (count <= 0)
			return;
		for (ssize_t i = 0; i < count; i++)
			bytes[i] = bytes[i] ? bytes[i] : ' ';
		buffer_add(text, bytes, (size_t)count);
		begin += count;
	}
}

void scheduler_output_read(const char *path, off_t begin, struct buffer *text)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	buffer_text(text, "");
	if (fd < 0)
		return;
	if (begin >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
		if (info.st_size - begin > SCHEDULER_OUTPUT_MAX)
			begin = info.st_size - SCHEDULER_OUTPUT_MAX;
		read_part(fd, begin, info.st_size, text);
	}
	close(fd);
}

void scheduler_output_last_words(const char *text, size_t length, char *words, size_t size)
{
	while (length && strchr("\r\n", text[length - 1]))
		length--;
	size_t start = length;
	while (start && text[start - 1] != '\n')
		start--;
	if (length - start > strlen(EXIT_WORD) && memcmp(text + start, EXIT_WORD, strlen(EXIT_WORD)) == 0)
		start += strlen(EXIT_WORD);
	escape_line(text + start, length - start, words, size);
}
