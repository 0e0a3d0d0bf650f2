/* SPDX-License-Identifier: MIT
 *
 * Rows of switches. */
#ifndef DATA_SWITCH_ROWS_H
#define DATA_SWITCH_ROWS_H

#include "data/rows.h"

enum status switch_rows_read(struct rows *rows, struct error *err);

#endif
