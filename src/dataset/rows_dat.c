/* SPDX-License-Identifier: MIT */
#include "dataset/rows.h"

enum status rows_from_dat(struct rows *rows, struct error *err)
{
	return error_set(err, STATUS_UNSUPPORTED, rows->trace->path, "trace.dat: being written");
}
