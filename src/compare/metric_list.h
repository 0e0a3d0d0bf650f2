/* SPDX-License-Identifier: MIT
 *
 * The list of all metrics, with their units and meanings. */
#ifndef COMPARE_METRIC_LIST_H
#define COMPARE_METRIC_LIST_H

#include "base/buffer.h"

/* width: columns of the terminal, 0 for any number. */
void metric_list_add(unsigned int width, struct buffer *out);

#endif
