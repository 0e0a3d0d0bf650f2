/* SPDX-License-Identifier: MIT
 *
 * The columns of decisions. Their lists have an item per listed candidate. */
#ifndef DATA_DECISION_COLUMNS_H
#define DATA_DECISION_COLUMNS_H

#include "data/column.h"
#include "data/decisions.h"

struct columns decision_columns(void);

#endif
