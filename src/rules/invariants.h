/* SPDX-License-Identifier: MIT
 *
 * Invariants at each event of a trace with keys: one row each, in the file of its family (invariants/). They name
 * faults that leave every pick right by its keys: keys that are wrong, and picks that are not made. A row is checked
 * only if all that it needs is known; a broken one comes with what was expected and what was seen. */
#ifndef RULES_INVARIANTS_H
#define RULES_INVARIANTS_H

#include "base/buffer.h"
#include "rules/invariants/row.h"

/* More than there are. */
#define INVARIANTS_MAX 64u

struct invariant_account {
	uint64_t checked, broken;
	struct invariant_break first;
};

/* Sums over traces, by number of the row. */
struct invariants {
	struct invariant_account rows[INVARIANTS_MAX];
	uint64_t unjudged; /* rows of which one of the traces lacks what they need, a bit each */
};

uint32_t invariant_count(void);
const struct invariant_row *invariant_row(uint32_t number);
/* RULE_NONE if no row has this key. */
uint32_t invariant_find(const char *key);
/* The state of all families, of one trace. found gets which rows are not judged; NULL: nothing is. */
struct family_states;
struct family_states *invariants_begin(const struct machine *machine, struct invariants *found);
void invariants_end(struct family_states *states);
/* Events are missing: nothing is known any more. */
void invariants_forget(struct family_states *states);

struct invariant_watch {
	void (*broken)(void *context, const struct sight *sight, const struct invariant_break *found); /* or NULL */
	void *context;
	const uint64_t *wanted_cpus; /* bit mask of the CPUs that count; NULL: all */
};
/* Checks the rows of this sight, if it is judged and found is not NULL, and lets the families take note. Returns the
 * stops of CPUs that they have seen. */
enum clock_stops invariants_look(struct family_states *states, const struct sight *sight, bool is_judged,
				 const struct invariant_watch *watch, struct invariants *found);
/* Takes back what was found since before about the rows that cannot be judged with such stops. */
void invariants_restore_timed(struct invariants *found, const struct invariants *before, enum clock_stops stops);
/* Adds those of a further trace, which gets this number. */
void invariants_sum(struct invariants *sum, const struct invariants *further, uint32_t run);
/* "deadline - vruntime is 0.700 ms (virtual), expected at most 0.100 ms"; or what must hold, if no value is compared.
 */
void invariant_add_evidence(const struct invariant_break *found, struct buffer *out);

#endif
