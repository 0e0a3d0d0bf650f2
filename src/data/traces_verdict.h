/* SPDX-License-Identifier: MIT
 *
 * Messages about all traces of a build. */
#ifndef DATA_TRACES_VERDICT_H
#define DATA_TRACES_VERDICT_H

#include "data/traces.h"

/* A warning if the traces are of several kernels: the nine columns do not distinguish them. */
void traces_warn_kernels(const struct dataset_listener *listener, const struct traces *traces);
/* One line, after all traces were read: how many there are, and how many of them have losses or other findings. */
void traces_report_verdict(const struct dataset_listener *listener, const struct traces *traces);

#endif
