/* SPDX-License-Identifier: MIT
 *
 * Rows of decisions: picks and moves. */
#ifndef DATA_DECISION_ROWS_H
#define DATA_DECISION_ROWS_H

#include "data/rows.h"

enum status pick_rows_read(struct rows *rows, struct error *err);
enum status move_rows_read(struct rows *rows, struct error *err);

#endif
