/* SPDX-License-Identifier: MIT
 *
 * The refusal of a trace that lost events. */
#ifndef DATA_LOSSY_H
#define DATA_LOSSY_H

#include "base/error.h"
#include "runs/loss.h"

/* STATUS_LOST for the trace at path; the remedies include --allow-lossy. */
enum status lossy_refuse(const char *path, const struct losses *losses, struct error *err);

#endif
