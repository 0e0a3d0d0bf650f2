/* SPDX-License-Identifier: MIT
 *
 * Ring-buffer pages that were read out into a file: looking into one, and what it says of events missing before it. */
#ifndef CAPTURE_PAGE_FILE_H
#define CAPTURE_PAGE_FILE_H

#include <stdint.h>

#include "base/error.h"
#include "capture/session.h"
#include "format/ring_page.h"

struct page_file {
	struct ring_page_layout layout;
	uint32_t page_size;
	uint8_t *bytes; /* of the page that was read last */
};

/* For the pages of session. */
enum status page_file_open(const struct capture_session *session, struct page_file *file, struct error *err);
/* The page at offset of fd. It points into file, and path names it in errors. */
enum status page_file_read(const struct page_file *file, int fd, const char *path, uint64_t offset,
			   struct ring_page *page, struct error *err);
/* Says in the page at offset that events more are missing between the page before it and this one; how many stands
 * there where it has room for that, as the kernel does it. 0 takes what it said away. */
enum status page_file_mark(const struct page_file *file, int fd, const char *path, uint64_t offset, uint64_t events,
			   struct error *err);
void page_file_close(struct page_file *file);

#endif
