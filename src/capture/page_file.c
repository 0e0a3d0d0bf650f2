/* SPDX-License-Identifier: MIT */
#include "capture/page_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status page_file_open(const struct capture_session *session, struct page_file *file, struct error *err)
{
	struct buffer page = {0};
	struct buffer event = {0};

	*file = (struct page_file){0};
	enum status status = capture_header_text(session, "header_page", &page, err);
	if (status == STATUS_OK)
		status = capture_header_text(session, "header_event", &event, err);
	if (status == STATUS_OK)
		status = ring_page_layout_parse((struct text_span){page.data, page.length},
						(struct text_span){event.data, event.length}, &file->layout, err);
	if (status == STATUS_OK)
		status = capture_page_size(session, &file->page_size, err);
	if (status == STATUS_OK) {
		file->bytes = malloc(file->page_size);
		if (!file->bytes)
			status = error_system(err, ENOMEM, NULL, "cannot look into the trace");
	}
	buffer_free(&page);
	buffer_free(&event);
	return status;
}

enum status page_file_read(const struct page_file *file, int fd, const char *path, uint64_t offset,
			   struct ring_page *page, struct error *err)
{
	ssize_t got = pread(fd, file->bytes, file->page_size, (off_t)offset);

	if (got != (ssize_t)file->page_size)
		return error_system(err, got < 0 ? errno : EIO, path, "cannot read back");
	return ring_page_open(&file->layout, file->bytes, file->page_size, file->page_size, page, err);
}

enum status page_file_mark(const struct page_file *file, int fd, const char *path, uint64_t offset, uint64_t events,
			   struct error *err)
{
	struct ring_page page;
	enum status status = page_file_read(file, fd, path, offset, &page, err);

	if (status != STATUS_OK)
		return status;
	ring_page_set_missed(&page, file->bytes, file->page_size, events);
	if (pwrite(fd, file->bytes, file->page_size, (off_t)offset) != (ssize_t)file->page_size)
		return error_system(err, errno, path, "cannot write");
	return STATUS_OK;
}

void page_file_close(struct page_file *file)
{
	free(file->bytes);
	file->bytes = NULL;
}
