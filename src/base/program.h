/* SPDX-License-Identifier: MIT
 *
 * What each of our programs does before and after its work. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

/* Standard descriptors and signals. */
void program_begin(void);
/* Flushes standard output; returns the exit code, which is another one than the given if the output could not be
 * written. */
int program_finish(int exit_code);

#endif
