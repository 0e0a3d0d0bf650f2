/* SPDX-License-Identifier: MIT */
#include "capture/refusal.h"

/* Of a page that is not there the silence before it lasts until the drain at least; one that ended later has nothing
 * refused behind it. */
static uint64_t silence_ns(const struct refusal *refusal, const struct page_border *border)
{
	uint64_t until = border->begin_ns ? border->begin_ns : refusal->place.before_ns;

	return until > border->end_ns ? until - border->end_ns : 0;
}

unsigned int refusal_page(const struct refusal *refusal, const struct page_border borders[2], bool is_end)
{
	if (!borders[0].begin_ns || borders[0].begin_ns >= refusal->most_ns)
		return 0;
	if (borders[0].begin_ns <= refusal->least_ns || (!borders[1].begin_ns && !is_end))
		return 1;
	/* The time does not tell: the one with the longer silence before it. */
	return silence_ns(refusal, &borders[1]) > silence_ns(refusal, &borders[0]);
}
