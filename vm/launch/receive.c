/* SPDX-License-Identifier: MIT
 *
 * The host's side of a port: writes each frame to a file while it arrives. */
#include "vm/launch/receive.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "vm/protocol/crc32c.h"
#include "vm/protocol/transfer.h"

enum part { PART_HEAD, PART_NAME, PART_BYTES, PART_TAIL, PART_REFUSED };

struct transfer_receiver {
	struct transfer_place place;
	enum part part;
	uint8_t fixed[TRANSFER_FRAME_HEAD_MAX]; /* the head or tail, as far as received */
	size_t fixed_length;
	size_t name_length;
	char name[TRANSFER_NAME_MAX + 1];
	uint64_t size, got;
	uint32_t checksum;
	int file; /* of the current frame, or -1 */
};

enum status transfer_receiver_open(struct transfer_receiver **receiver, const char *directory,
				   const struct transfer_limits *limits, struct error *err)
{
	struct transfer_receiver *new = xcalloc(1, sizeof(*new));

	*receiver = NULL;
	new->file = -1;
	enum status status = transfer_place_open(&new->place, directory, limits, err);
	if (status != STATUS_OK) {
		free(new);
		return status;
	}
	*receiver = new;
	return STATUS_OK;
}

/* After a malformed frame the rest of the stream cannot be parsed. */
static void refuse_stream(struct transfer_receiver *receiver, const char *problem)
{
	transfer_place_problem(&receiver->place, "%s", problem);
	receiver->place.report.refused++;
	receiver->part = PART_REFUSED;
}

/* Copies bytes to fixed until it has needed ones; returns how many were consumed. */
static size_t fill_fixed(struct transfer_receiver *receiver, const uint8_t *bytes, size_t length, size_t needed)
{
	size_t lacking = needed - receiver->fixed_length;
	size_t taken = length < lacking ? length : lacking;

	memcpy(receiver->fixed + receiver->fixed_length, bytes, taken);
	receiver->fixed_length += taken;
	return taken;
}

static size_t receive_head(struct transfer_receiver *receiver, const uint8_t *bytes, size_t length)
{
	size_t taken = fill_fixed(receiver, bytes, length, TRANSFER_FRAME_FIXED);

	if (receiver->fixed_length < TRANSFER_FRAME_FIXED)
		return taken;
	if (memcmp(receiver->fixed, TRANSFER_FRAME_MAGIC, 8) != 0) {
		refuse_stream(receiver, "the guest's data does not start with a file");
		return taken;
	}
	receiver->name_length = (size_t)transfer_get_number(receiver->fixed + 8, 4);
	if (receiver->name_length == 0 || receiver->name_length > TRANSFER_NAME_MAX) {
		refuse_stream(receiver, "the guest sent a file whose name is empty or too long");
		return taken;
	}
	receiver->part = PART_NAME;
	return taken;
}

static enum status receive_name(struct transfer_receiver *receiver, const uint8_t *bytes, size_t length, size_t *taken,
				struct error *err)
{
	const char *name = (const char *)receiver->fixed + TRANSFER_FRAME_FIXED;
	size_t needed = TRANSFER_FRAME_FIXED + receiver->name_length + 8;

	*taken = fill_fixed(receiver, bytes, length, needed);
	if (receiver->fixed_length < needed)
		return STATUS_OK;
	receiver->size = transfer_get_number(receiver->fixed + needed - 8, 8);
	if (!transfer_place_admits(&receiver->place, name, receiver->name_length, receiver->size)) {
		receiver->place.report.refused++;
		receiver->part = PART_REFUSED;
		return STATUS_OK;
	}
	memcpy(receiver->name, name, receiver->name_length);
	receiver->name[receiver->name_length] = '\0';
	receiver->got = 0;
	receiver->checksum = 0;
	receiver->fixed_length = 0;
	receiver->part = receiver->size ? PART_BYTES : PART_TAIL;
	return transfer_place_create(&receiver->place, receiver->name, &receiver->file, err);
}

static enum status receive_bytes(struct transfer_receiver *receiver, const uint8_t *bytes, size_t length, size_t *taken,
				 struct error *err)
{
	uint64_t left = receiver->size - receiver->got;

	*taken = length < left ? length : (size_t)left;
	enum status status = file_write_all(receiver->file, bytes, *taken, receiver->place.directory, err);
	if (status != STATUS_OK)
		return status;
	receiver->checksum = crc32c(receiver->checksum, bytes, *taken);
	receiver->got += *taken;
	if (receiver->got == receiver->size)
		receiver->part = PART_TAIL;
	return STATUS_OK;
}

static enum status receive_tail(struct transfer_receiver *receiver, const uint8_t *bytes, size_t length, size_t *taken,
				struct error *err)
{
	*taken = fill_fixed(receiver, bytes, length, TRANSFER_FRAME_TAIL);
	if (receiver->fixed_length < TRANSFER_FRAME_TAIL)
		return STATUS_OK;
	bool framed = memcmp(receiver->fixed + 4, TRANSFER_FRAME_END, 4) == 0;
	bool whole = framed && transfer_get_number(receiver->fixed, 4) == receiver->checksum;

	receiver->fixed_length = 0;
	receiver->part = framed ? PART_HEAD : PART_REFUSED;
	if (!whole)
		transfer_place_problem(&receiver->place, "%s did not arrive whole: its checksum is not the guest's",
				       receiver->name);
	int file = receiver->file;
	receiver->file = -1;
	return transfer_place_finish(&receiver->place, receiver->name, file, whole, receiver->size, err);
}

enum status transfer_receive(struct transfer_receiver *receiver, const void *bytes, size_t length, struct error *err)
{
	const uint8_t *from = bytes;
	enum status status = STATUS_OK;

	while (length && status == STATUS_OK) {
		size_t taken = length;
		switch (receiver->part) {
		case PART_HEAD:
			taken = receive_head(receiver, from, length);
			break;
		case PART_NAME:
			status = receive_name(receiver, from, length, &taken, err);
			break;
		case PART_BYTES:
			status = receive_bytes(receiver, from, length, &taken, err);
			break;
		case PART_TAIL:
			status = receive_tail(receiver, from, length, &taken, err);
			break;
		case PART_REFUSED:
			break;
		}
		from += taken;
		length -= taken;
	}
	return status;
}

enum status transfer_receiver_close(struct transfer_receiver *receiver, struct transfer_report *report,
				    struct error *err)
{
	enum status status = STATUS_OK;

	*report = (struct transfer_report){0};
	if (!receiver)
		return STATUS_OK;
	if (receiver->file >= 0) {
		transfer_place_problem(&receiver->place, "%s did not arrive whole: %llu of %llu bytes", receiver->name,
				       (unsigned long long)receiver->got, (unsigned long long)receiver->size);
		status = transfer_place_finish(&receiver->place, receiver->name, receiver->file, false, 0, err);
	} else if (receiver->part == PART_NAME || (receiver->part == PART_HEAD && receiver->fixed_length)) {
		transfer_place_problem(&receiver->place, "the guest's data ends within a file's head");
	}
	*report = receiver->place.report;
	transfer_place_close(&receiver->place);
	free(receiver);
	return status;
}
