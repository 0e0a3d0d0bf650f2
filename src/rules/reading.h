/* SPDX-License-Identifier: MIT
 *
 * Decisions and invariants of a sequence of traces with keys, summed over all: a consumer for a pass. */
#ifndef RULES_READING_H
#define RULES_READING_H

#include "rules/account.h"
#include "rules/rules.h"

struct rules_findings {
	struct rules_account account;
	struct invariants invariants;
};

struct rules_reading {
	struct rules rules; /* of the current trace */
	struct rules_findings found;
	bool may_lack_keys; /* set by the caller: a trace without keys adds nothing; else it is an error */
	bool has_breaks;    /* at least one decision or invariant of a trace that is to be trusted is broken */
	char **paths;       /* of the traces, by number */
	/* Internal. */
	size_t path_count, path_capacity;
	struct rules_consumer consumer;
	const struct pass *pass;
	uint64_t number;              /* of the decision, in its trace; 0: the pass begins later */
	struct rules_findings before; /* the trace */
	uint32_t untrusted_before;
};

/* The consumer belongs to *reading, which must not move until rules_reading_free(). A trace without keys is
 * STATUS_UNSUPPORTED, with the remedy, unless may_lack_keys. */
struct pass_consumer rules_reading_begin(struct rules_reading *reading);
void rules_reading_free(struct rules_reading *reading);
/* Adds those of a further trace, which gets this number. */
void rules_findings_sum(struct rules_findings *sum, const struct rules_findings *further, uint32_t run);
/* Lines that begin with the label, unless it is NULL: the share of decisions that are the rule's, the most frequent
 * break and how to see the first one; and each broken invariant. Further lines of one of these are indented. paths: of
 * the traces, by number. */
void rules_findings_text(const struct rules_findings *found, const char *label, char *const *paths, struct buffer *out);
/* Its parts: of the decisions, and of one broken invariant. */
void rules_decisions_text(const struct rules_account *account, const char *label, char *const *paths,
			  struct buffer *out);
void rules_invariant_text(const struct rules_findings *found, uint32_t number, const char *label, char *const *paths,
			  struct buffer *out);

/* key_events_check(), or the error of a trace without keys. */
enum status rules_need_keys(const struct rules *rules, const struct pass *pass, struct error *err);

#endif
