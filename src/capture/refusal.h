/* SPDX-License-Identifier: MIT
 *
 * What a full buffer refused, and which of the pages that were read out lies behind it. Pure. */
#ifndef CAPTURE_REFUSAL_H
#define CAPTURE_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/loss_log.h"

/* Until the page behind it was read out. It lies before page first or before the one after that: the first of them that
 * was begun after the drain that made room again. */
struct refusal {
	struct loss_place place; /* events 0: none; before_ns is when the drain had found it */
	uint64_t first;
	uint64_t least_ns, most_ns; /* of the trace clock: between these two that drain began */
	bool again;                 /* the buffer may have been full a second time meanwhile */
};

/* The times around the beginning of a page: when it begins, and when the one before it ends. 0 where that one is not
 * there. */
struct page_border {
	uint64_t begin_ns, end_ns;
};

/* 0 where the page is first, else 1, given the borders of both; is_end: what is not there will not come either. */
unsigned int refusal_page(const struct refusal *refusal, const struct page_border borders[2], bool is_end);

#endif
