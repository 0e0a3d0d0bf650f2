/* SPDX-License-Identifier: MIT
 *
 * RARE marks a function that few events need. It is kept out of the code that all events pass, which then saves no
 * registers for it. */
#ifndef BASE_RARE_H
#define BASE_RARE_H

#define RARE __attribute__((noinline, cold))

#endif
