/* SPDX-License-Identifier: MIT
 *
 * A gate at single runs, without a comparison: "[WORKLOAD:]METRIC OP NUMBER". */
#ifndef COMPARE_RUN_GATE_H
#define COMPARE_RUN_GATE_H

#include "compare/gate.h"
#include "compare/run_set.h"

/* STATUS_USAGE also for a gate that tests a change, and for a metric that is neither one of metric_table nor a name of
 * values, the rules of vm --value. "%" is the unit of a metric in percent. */
enum status run_gate_parse(const char *text, const char *option, const struct option_list *values,
			   struct compare_gate *gate, struct error *err);
/* Reads the traces NAME_runN.dat of directory for run N, in the order of their names, up to the first one at which the
 * gate fires: reason says where and why. "": it does not fire. */
enum status run_gate_judge(const struct compare_gate *gate, const char *directory, uint32_t run,
			   const struct run_set_options *options, char *reason, size_t size, struct error *err);

#endif
