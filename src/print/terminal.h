/* SPDX-License-Identifier: MIT
 *
 * The terminal on standard output: its width, and bars of histograms. */
#ifndef PRINT_TERMINAL_H
#define PRINT_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#define BAR_WIDTH 32u
#define BAR_SIZE  (3 * BAR_WIDTH + 1)

/* A bar of a histogram: value as a share of max. Block characters on a UTF-8 terminal; number signs otherwise, or if
 * plain. A value above 0 has at least the shortest bar. */
void bar_text(uint64_t value, uint64_t max, bool plain, char text[BAR_SIZE]);

/* The width of the terminal on standard output; 0 if it is not a terminal. */
unsigned int terminal_width(void);

#endif
