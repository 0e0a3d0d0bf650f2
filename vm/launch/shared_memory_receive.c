/* SPDX-License-Identifier: MIT */
#include "vm/launch/shared_memory_receive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "vm/protocol/shared_memory.h"
#include "vm/protocol/transfer.h"

/* Reads up to length bytes; *got is less at the end. */
static enum status take_bytes(struct shared_memory_receiver *frames, uint8_t *bytes, size_t length, size_t *got,
			      struct error *err)
{
	*got = 0;
	while (*got < length && frames->left) {
		const size_t lacking = length - *got;
		ssize_t part =
		    read(frames->file, bytes + *got, lacking < frames->left ? lacking : (size_t)frames->left);
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return error_system(err, errno, frames->place.directory, "cannot read what the guest sent");
		frames->left = part ? frames->left - (uint64_t)part : 0;
		frames->next += (uint64_t)part;
		*got += (size_t)part;
	}
	return STATUS_OK;
}

/* Nothing after a malformed frame can be parsed. */
static enum status refuse(struct shared_memory_receiver *frames, const char *problem)
{
	if (problem)
		transfer_place_problem(&frames->place, "%s", problem);
	frames->place.report.refused++;
	return STATUS_END;
}

/* Reads a part of a frame's head. STATUS_END: the data ends before it or within it. */
static enum status take_head_part(struct shared_memory_receiver *frames, uint8_t *bytes, size_t length, bool is_first,
				  struct error *err)
{
	size_t got;
	enum status status = take_bytes(frames, bytes, length, &got, err);

	if (status != STATUS_OK || got == length)
		return status;
	if (got || !is_first)
		transfer_place_problem(&frames->place, "the guest's data ends within a file's head");
	return STATUS_END;
}

static enum status take_head(struct shared_memory_receiver *frames, char *name, uint64_t *size, struct error *err)
{
	uint8_t head[TRANSFER_FRAME_HEAD_MAX];
	enum status status = take_head_part(frames, head, TRANSFER_FRAME_FIXED, true, err);

	if (status != STATUS_OK)
		return status;
	if (memcmp(head, TRANSFER_FRAME_MAGIC, 8) != 0)
		return refuse(frames, "the guest's data does not start with a file");
	const size_t length = (size_t)transfer_get_number(head + 8, 4);
	if (length == 0 || length > TRANSFER_NAME_MAX)
		return refuse(frames, "the guest sent a file whose name is empty or too long");
	status = take_head_part(frames, head, length + 8, false, err);
	if (status != STATUS_OK)
		return status;
	*size = transfer_get_number(head + length, 8);
	if (!transfer_place_admits(&frames->place, (const char *)head, length, *size))
		return refuse(frames, NULL);
	memcpy(name, head, length);
	name[length] = '\0';
	return STATUS_OK;
}

/* Reads the bytes and the tail of a frame. STATUS_END: no further frame can be read. */
static enum status take_body(struct shared_memory_receiver *frames, const char *name, int to, uint64_t size,
			     bool *whole, struct error *err)
{
	const uint64_t there = size < frames->left ? size : frames->left;
	struct transfer_copied copied;
	uint8_t tail[TRANSFER_FRAME_TAIL];
	size_t got;
	enum status status = transfer_place_copy(&frames->place, name, frames->file, to, there, &copied, err);

	*whole = false;
	frames->left -= copied.size;
	frames->next += copied.size;
	if (status == STATUS_OK)
		status = take_bytes(frames, tail, copied.size == size ? sizeof(tail) : 0, &got, err);
	if (status != STATUS_OK)
		return status;
	if (got < sizeof(tail)) {
		transfer_place_problem(&frames->place, "%s did not arrive whole: %llu of %llu bytes", name,
				       (unsigned long long)copied.size, (unsigned long long)size);
		return STATUS_END;
	}
	const bool is_framed = memcmp(tail + 4, TRANSFER_FRAME_END, 4) == 0;
	*whole = is_framed && transfer_get_number(tail, 4) == copied.checksum;
	if (!*whole)
		transfer_place_problem(&frames->place, "%s did not arrive whole: its checksum differs from the guest's",
				       name);
	return is_framed ? STATUS_OK : STATUS_END;
}

static enum status take_frame(struct shared_memory_receiver *frames, struct error *err)
{
	char name[TRANSFER_NAME_MAX + 1];
	uint64_t size;
	bool whole;
	int to;
	enum status status = take_head(frames, name, &size, err);

	if (status == STATUS_OK)
		status = transfer_place_create(&frames->place, name, &to, err);
	if (status != STATUS_OK)
		return status;
	status = take_body(frames, name, to, size, &whole, err);
	const bool is_error = status != STATUS_OK && status != STATUS_END;
	enum status finished = transfer_place_finish(&frames->place, name, to, whole, size, is_error ? NULL : err);
	return finished == STATUS_OK || is_error ? status : finished;
}

/* How much there is by now. Without magic the guest has sent nothing. */
static void look_at_head(struct shared_memory_receiver *frames)
{
	uint8_t head[SHARED_MEMORY_HEAD_BYTES];

	frames->left = 0;
	if (pread(frames->file, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head, SHARED_MEMORY_MAGIC, 8) != 0)
		return;
	const uint64_t used = transfer_get_number(head + SHARED_MEMORY_FRAMES_AT, 8);
	frames->left = used > frames->next ? used - frames->next : 0;
}

/* Nothing follows what is not whole. */
enum status shared_memory_take(struct shared_memory_receiver *frames, struct error *err)
{
	look_at_head(frames);
	if (frames->is_over || frames->left == 0)
		return STATUS_OK;
	enum status status = take_frame(frames, err);
	frames->is_over = status != STATUS_OK;
	return status == STATUS_END ? STATUS_OK : status;
}

enum status shared_memory_take_all(struct shared_memory_receiver *frames, struct error *err)
{
	enum status status = STATUS_OK;

	do
		status = shared_memory_take(frames, err);
	while (status == STATUS_OK && frames->left && !frames->is_over);
	return status;
}

enum status shared_memory_open_receiver(struct shared_memory_receiver *frames, const char *path, const char *directory,
					const struct transfer_limits *limits, struct error *err)
{
	*frames = (struct shared_memory_receiver){.file = -1};
	enum status status = transfer_place_open(&frames->place, directory, limits, err);
	if (status != STATUS_OK)
		return status;
	frames->is_open = true;
	frames->file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (frames->file < 0 || lseek(frames->file, SHARED_MEMORY_FRAMES, SEEK_SET) < 0) {
		status = error_system(err, errno, path, "cannot open");
		shared_memory_close_receiver(frames);
	}
	return status;
}

struct transfer_report shared_memory_close_receiver(struct shared_memory_receiver *frames)
{
	const struct transfer_report report = frames->place.report;

	if (!frames->is_open)
		return report;
	transfer_place_close(&frames->place);
	if (frames->file >= 0)
		close(frames->file);
	*frames = (struct shared_memory_receiver){.file = -1};
	return report;
}
