/* SPDX-License-Identifier: MIT
 *
 * The kinds of rows that picknext build makes. */
#ifndef DATA_ROW_KINDS_H
#define DATA_ROW_KINDS_H

#include "data/row_kind.h"

extern const struct row_kind *const row_kinds[];       /* NULL-terminated */
#define ROW_KINDS "switch|pick|placement|balance|keys" /* their values of --task */
/* NULL if there is no such kind. */
const struct row_kind *row_kind_of(const char *task);

#endif
