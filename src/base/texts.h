/* SPDX-License-Identifier: MIT
 *
 * The texts of the program: help, messages, names. In the binary they are packed to a third (see the Makefile), and the
 * linker gives them a place in memory that is empty until main() begins. */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include <stdbool.h>

/* To be called before anything else: until then every string literal of the program reads as "". False where the
 * binary is damaged. */
bool texts_unpack(void);

#endif
