/* SPDX-License-Identifier: MIT
 *
 * The list of all metrics, with their units and meanings. */
#ifndef PRINT_METRIC_LIST_H
#define PRINT_METRIC_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "compare/metric.h"

/* width: columns of the terminal, 0 for any number. */
void metric_list_add(unsigned int width, struct buffer *out);
/* For the manual: the meaning of a metric with its unit. */
void metric_list_add_meaning(const struct metric *metric, struct buffer *out);
/* The reason of this number why a deterministic guest does not show some metrics (each is one string of
 * metric_table()), and their names. False after the last reason. */
bool metric_list_add_reason(size_t number, struct buffer *out);

#endif
