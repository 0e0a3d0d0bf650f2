/* SPDX-License-Identifier: MIT
 *
 * The rules on several kernels while their traces arrive: which rules a kernel breaks that the first one, the base,
 * keeps. A rule is a way to break the published rule of picks, or an invariant. The base keeps a rule only if it was
 * judged by it; a rule that both break is not named. */
#ifndef COMPARE_RULE_NEWS_H
#define COMPARE_RULE_NEWS_H

#include "base/buffer.h"
#include "rules/reading.h"

/* A bit each. */
struct rule_bits {
	uint64_t invariants;
	uint32_t breaks;
};

struct rule_news_set {
	char *label;
	struct rules_findings found; /* in all traces so far */
	uint64_t traces;
	struct rule_bits named; /* broken by this set and not by the base, as far as was known then */
};

/* Starts zeroed. The first set is the base. */
struct rule_news {
	struct rule_news_set *sets;
	size_t count;
};

void rule_news_begin(struct rule_news *news, const char *const *labels, size_t count);
void rule_news_free(struct rule_news *news);
/* Adds what was found in one trace. Of two traces of one workload and seed that of the base comes first, if there is
 * one. Appends lines if there is news: that a set breaks rules which the base keeps, with the lines of
 * rules_findings_text(), each rule once for a set; and that the base breaks a rule that was named before. */
void rule_news_add(struct rule_news *news, size_t set, const struct rules_findings *found, const char *path,
		   struct buffer *out);
/* The number of rules that a set breaks and the base keeps, as far as is known now. */
unsigned int rule_news_count(const struct rule_news *news, size_t set);
/* "eevdf breaks 2 rules that cfs keeps", or "... no rule ..."; "" without a judged decision. */
void rule_news_add_words(const struct rule_news *news, size_t set, struct buffer *out);

#endif
