/* SPDX-License-Identifier: MIT
 *
 * A bar of a histogram. */
#ifndef TERM_BAR_H
#define TERM_BAR_H

#include <stdbool.h>
#include <stdint.h>

#define BAR_WIDTH 32u
#define BAR_SIZE  (3 * BAR_WIDTH + 1)

/* value of most as so many columns: block characters in eighths on a terminal in UTF-8, else, or where plain, number
 * signs. What is not 0 has at least the shortest bar. */
void bar_text(uint64_t value, uint64_t most, bool plain, char text[BAR_SIZE]);

#endif
