/* SPDX-License-Identifier: MIT
 *
 * The columns of switches. */
#ifndef DATA_SWITCH_COLUMNS_H
#define DATA_SWITCH_COLUMNS_H

#include "data/column.h"

#define CSV_COLUMNS 9 /* of every dataset of switches; they are those of collect_traces.py */

/* The values of --columns: which columns follow those of every dataset. */
#define CSV_LAYOUTS "standard|extended|scheduler|extended,scheduler"
/* text: one of them; NULL is "standard". */
struct columns switch_columns(const char *text);

#endif
