/* SPDX-License-Identifier: MIT
 *
 * What every unit test includes: cmocka, and the headers that it wants before it. */
#ifndef SUPPORT_UNIT_H
#define SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Hardly a test uses the state that cmocka passes to all. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
