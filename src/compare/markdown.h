/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_MARKDOWN_H
#define COMPARE_MARKDOWN_H

#include "base/buffer.h"

/* A name as Markdown that shows it as it is. */
void compare_markdown_name(struct buffer *out, const char *name);

#endif
