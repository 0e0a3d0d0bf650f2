/* SPDX-License-Identifier: MIT */
#include "compare/rule_news.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"

#define BASE 0

void rule_news_begin(struct rule_news *news, const char *const *labels, size_t count)
{
	struct buffer text = {0};

	news->sets = xcalloc(count, sizeof(*news->sets));
	news->count = count;
	for (size_t set = 0; set < count; set++) {
		buffer_clear(&text);
		escape_line_add(labels[set], strlen(labels[set]), &text);
		news->sets[set].label = xstrdup(text.data);
	}
	buffer_free(&text);
}

void rule_news_free(struct rule_news *news)
{
	for (size_t set = 0; set < news->count; set++)
		free(news->sets[set].label);
	free(news->sets);
	*news = (struct rule_news){0};
}

/* --- Bits --- */

static struct rule_bits broken_in(const struct rules_findings *found)
{
	struct rule_bits bits = {0};

	for (uint32_t i = 0; i < invariant_count(); i++)
		if (found->invariants.rows[i].broken)
			bits.invariants |= UINT64_C(1) << i;
	for (int i = 0; i < RULE_BREAKS; i++)
		if (found->account.breaks[i].count)
			bits.breaks |= 1u << i;
	return bits;
}

static struct rule_bits without(struct rule_bits bits, struct rule_bits others)
{
	return (struct rule_bits){bits.invariants & ~others.invariants, bits.breaks & ~others.breaks};
}

static struct rule_bits in_both(struct rule_bits bits, struct rule_bits others)
{
	return (struct rule_bits){bits.invariants & others.invariants, bits.breaks & others.breaks};
}

/* Rules that the base keeps, by which the other was judged too. A rule that was never judged is not kept. */
static struct rule_bits kept_by(const struct rules_findings *base, const struct rules_findings *other)
{
	struct rule_bits bits = {0};

	if (base->account.judged && base->account.has_eevdf == other->account.has_eevdf)
		bits.breaks = UINT32_MAX;
	for (uint32_t i = 0; i < invariant_count(); i++)
		if (base->invariants.rows[i].checked)
			bits.invariants |= UINT64_C(1) << i;
	return without(bits, broken_in(base));
}

static bool has_any(struct rule_bits bits)
{
	return bits.invariants || bits.breaks;
}

/* --- Lines --- */

/* The lines of these rules alone. */
static void add_rules(const struct rules_findings *found, struct rule_bits rules, const char *label, const char *path,
		      struct buffer *out)
{
	char *const paths[] = {(char *)(uintptr_t)path};
	struct rules_account account = found->account;

	for (int i = 0; i < RULE_BREAKS; i++)
		if (!(rules.breaks >> i & 1))
			account.breaks[i].count = 0;
	if (rules.breaks)
		rules_decisions_text(&account, label, paths, out);
	for (uint32_t i = 0; i < invariant_count(); i++)
		if (rules.invariants >> i & 1)
			rules_invariant_text(found, i, label, paths, out);
}

static void add_news(struct rule_news *news, size_t set, const struct rules_findings *found, const char *path,
		     struct buffer *out)
{
	struct rule_news_set *one = &news->sets[set];
	const struct rule_news_set *base = &news->sets[BASE];
	const struct rule_bits fresh = in_both(without(broken_in(found), one->named), kept_by(&base->found, found));

	if (!has_any(fresh))
		return;
	one->named.invariants |= fresh.invariants;
	one->named.breaks |= fresh.breaks;
	buffer_printf(out, "%s breaks a rule that %s keeps so far:\n", one->label, base->label);
	add_rules(found, fresh, one->label, path, out);
}

/* The base breaks it for the first time, after another set was said to. */
static void take_back(const struct rule_news *news, const struct rules_findings *found, struct rule_bits before,
		      const char *path, struct buffer *out)
{
	const struct rule_news_set *base = &news->sets[BASE];
	const struct rule_bits fresh = without(broken_in(found), before);

	for (size_t set = BASE + 1; set < news->count; set++) {
		const struct rule_bits named = in_both(fresh, news->sets[set].named);
		if (!has_any(named))
			continue;
		buffer_printf(out, "%s breaks it too, so %s does not differ in this:\n", base->label,
			      news->sets[set].label);
		add_rules(found, named, base->label, path, out);
	}
}

void rule_news_add(struct rule_news *news, size_t set, const struct rules_findings *found, const char *path,
		   struct buffer *out)
{
	struct rule_news_set *one = &news->sets[set];
	const struct rule_bits before = broken_in(&one->found);

	if (set == BASE)
		take_back(news, found, before, path, out);
	else
		add_news(news, set, found, path, out);
	rules_findings_sum(&one->found, found, (uint32_t)one->traces);
	one->traces++;
}

unsigned int rule_news_count(const struct rule_news *news, size_t set)
{
	const struct rule_bits left = without(news->sets[set].named, broken_in(&news->sets[BASE].found));

	return (unsigned int)(__builtin_popcountll(left.invariants) + __builtin_popcount(left.breaks));
}

void rule_news_add_words(const struct rule_news *news, size_t set, struct buffer *out)
{
	const struct rule_news_set *one = &news->sets[set];
	const unsigned int count = rule_news_count(news, set);

	if (one->found.account.judged == 0 || news->sets[BASE].found.account.judged == 0)
		return;
	buffer_printf(out, "%s breaks ", one->label);
	if (count)
		buffer_printf(out, "%u", count);
	else
		buffer_text(out, "no");
	buffer_printf(out, " rule%s that %s keeps", count > 1 ? "s" : "", news->sets[BASE].label);
}
