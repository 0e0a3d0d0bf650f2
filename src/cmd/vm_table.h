/* SPDX-License-Identifier: MIT
 *
 * The table that vm ends with: what each kernel did with each workload. */
#ifndef CMD_VM_TABLE_H
#define CMD_VM_TABLE_H

#include <stdint.h>

#include "base/error.h"

/* Prints a row for each workload that has traces in raw_directory, by the metadata beside them, in the order of the
 * workload table: runs, events, switches, the share of the workload's own switches that were voluntary, work per
 * second, and lost events. */
enum status vm_table_print(const char *raw_directory, struct error *err);

#endif
