/* SPDX-License-Identifier: MIT
 *
 * Numbers in the output of a guest's command, as values of its run: vm --value NAME=REGEX. */
#ifndef VM_LAUNCH_OUTPUT_VALUES_H
#define VM_LAUNCH_OUTPUT_VALUES_H

#include "base/options.h"

/* STATUS_USAGE for a rule that is not NAME=REGEX (POSIX, extended), and for a name that is given twice. */
enum status output_values_check(const struct option_list *rules, struct error *err);

/* Writes the member "values" into NAME.json of each NAME.log in the directory: for each rule the number in the last
 * line that matches, in its first group or else in all of the match; null, with a warning, if no line does. Both files
 * come from a guest: a malformed JSON file stays as it is. *changed: whether a file was written. */
enum status output_values_add(const struct option_list *rules, const char *directory, bool *changed, struct error *err);

#endif
