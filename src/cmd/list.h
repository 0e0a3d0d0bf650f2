/* SPDX-License-Identifier: MIT
 *
 * The table of workloads as users see it; collect and all show the same for --list-workloads. */
#ifndef CMD_LIST_H
#define CMD_LIST_H

#include <stdbool.h>

/* To standard output; as text for 80 columns, or as a JSON array. 0, or the exit code after an error message. */
int list_print(bool json);

#endif
