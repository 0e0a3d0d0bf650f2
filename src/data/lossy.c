/* SPDX-License-Identifier: MIT */
#include "data/lossy.h"

enum status lossy_refuse(const char *path, const struct losses *losses, struct error *err)
{
	struct buffer text = {0};

	losses_describe(losses, &text);
	error_set(err, STATUS_LOST, path, "lost %s", text.data ? text.data : "events");
	buffer_free(&text);
	if (losses->count == 0 || losses->incomplete)
		return error_remedy(err, "record or copy it again, or include it with --allow-lossy");
	return error_remedy(err, "record it again with a larger --buffer-size, or include it with --allow-lossy");
}
