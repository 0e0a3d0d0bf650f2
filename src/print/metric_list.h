/* SPDX-License-Identifier: MIT
 *
 * The list of all metrics, with their units and meanings. */
#ifndef PRINT_METRIC_LIST_H
#define PRINT_METRIC_LIST_H

#include "base/buffer.h"
#include "compare/metric.h"

/* width: columns of the terminal, 0 for any number. */
void metric_list_add(unsigned int width, struct buffer *out);
/* For the manual: the meaning of a metric with its unit, and the metrics that a deterministic guest does not show, a
 * paragraph for each reason (each reason is one string of metric_table). */
void metric_list_add_meaning(const struct metric *metric, struct buffer *out);
void metric_list_add_reasons(struct buffer *out);

#endif
