/* SPDX-License-Identifier: MIT
 *
 * The columns of decisions. Their lists have an item per listed candidate. */
#ifndef DATA_DECISION_COLUMNS_H
#define DATA_DECISION_COLUMNS_H

#include "data/column.h"
#include "data/decisions.h"

/* Of picks and of moves; they have one layout. */
struct columns pick_columns(const char *layout);
struct columns move_columns(const char *layout);

#endif
