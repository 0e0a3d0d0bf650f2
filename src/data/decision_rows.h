/* SPDX-License-Identifier: MIT
 *
 * Rows of decisions. */
#ifndef DATA_DECISION_ROWS_H
#define DATA_DECISION_ROWS_H

#include "data/rows.h"

enum status decision_rows_read(struct rows *rows, struct error *err);

#endif
