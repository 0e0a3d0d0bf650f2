/* SPDX-License-Identifier: MIT
 *
 * Arrays that grow by their highest index. */
#ifndef DATA_PREDICT_ROOM_H
#define DATA_PREDICT_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Grows the array of *count items, if it has to, so that it has the index; new items are zero. False if memory ran out,
 * with the array as it was. */
bool room_grow(void **items, uint32_t *count, uint32_t index, size_t size);

#endif
