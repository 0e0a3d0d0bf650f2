/* SPDX-License-Identifier: MIT
 *
 * Picks of a trace with keys (record --keys): the candidates on one queue with the keys that the scheduler compared,
 * the running task among them, and what the published rule picks (rules/). Tasks in groups are picked level by level,
 * each of which is a row. */
#ifndef DATA_KEY_ROWS_H
#define DATA_KEY_ROWS_H

#include "data/rows.h"

struct columns key_columns(const char *layout);
enum status key_rows_read(struct rows *rows, struct error *err);

#endif
