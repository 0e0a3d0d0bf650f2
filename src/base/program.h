/* SPDX-License-Identifier: MIT
 *
 * Start and end of main() in each program of picknext. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

/* Opens missing standard descriptors and sets up signals. */
void program_begin(void);
/* Flushes standard output; returns exit_code, or another code if the output could not be written. */
int program_finish(int exit_code);

#endif
