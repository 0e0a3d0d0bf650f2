/* SPDX-License-Identifier: MIT */
#include "compare/output.h"
#include "compare/run_set.h"

static void add_count(struct buffer *out, const char **separator, size_t count, const char *what)
{
	if (!count)
		return;
	buffer_printf(out, "%s%zu %s", *separator, count, what);
	*separator = ", ";
}

void compare_add_summary(const struct compare_output *output, size_t set, struct buffer *out)
{
	const struct comparison_count *count = &output->rows->counts[set];
	const size_t *verdicts = count->verdicts;
	size_t shown = verdicts[VERDICT_BETTER] + verdicts[VERDICT_WORSE] + verdicts[VERDICT_DIFFERENT];
	size_t tested = shown + verdicts[VERDICT_SAME];
	const char *separator = "";
	/* 5 in 100, rounded up */
	size_t by_chance = (tested + 19) / 20;

	compare_add_name(out, output->rows->sets->items[0].label);
	buffer_text(out, " -> ");
	compare_add_name(out, output->rows->sets->items[set].label);
	buffer_text(out, ": ");
	add_count(out, &separator, verdicts[VERDICT_BETTER], "better");
	add_count(out, &separator, verdicts[VERDICT_WORSE], "worse");
	add_count(out, &separator, verdicts[VERDICT_DIFFERENT], "different");
	add_count(out, &separator, verdicts[VERDICT_SAME], "same");
	add_count(out, &separator, verdicts[VERDICT_TOO_FEW], "with too few runs to tell");
	if (tested + verdicts[VERDICT_TOO_FEW] == 0)
		buffer_text(out, "no figure that both have");
	buffer_text(out, ".\n");
	if (tested == 0 && verdicts[VERDICT_TOO_FEW])
		buffer_printf(out, "A verdict needs %d runs of a workload in each set.\n", COMPARISON_RUNS_LEAST);
	if (!shown)
		return;
	buffer_printf(out, "%zu of %zu figure%s differ%s", shown, tested, tested == 1 ? "" : "s",
		      shown == 1 ? "s" : "");
	if (output->choice->strict)
		buffer_text(out, "; 5 % of these are expected to do so by chance.\n");
	else if (tested < 20)
		buffer_text(out, ".\n");
	else
		buffer_printf(out, "; by chance alone up to %zu would.\n", by_chance);
	if (count->stand < shown && shown == 1)
		buffer_text(out, "It does not stand when that is allowed for, and has a ?.\n");
	else if (count->stand < shown)
		buffer_printf(out, "%zu of these %zu stand%s when that is allowed for; the others have a ?.\n",
			      count->stand, shown, count->stand == 1 ? "s" : "");
}
