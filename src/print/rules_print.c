/* SPDX-License-Identifier: MIT */
#include "print/rules_print.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "print/terminal.h"

enum { TABLES = 5 };

static const struct table_column cause_columns[] = {
    {"cause", "cause", TABLE_TEXT, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"with_choice", "with a\nchoice", TABLE_NUMBER, TABLE_ALWAYS},
    {"judged", "judged", TABLE_NUMBER, TABLE_ALWAYS},
    {"explained", "the rule's", TABLE_NUMBER, TABLE_ALWAYS},
    {"share_explained", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {.key = NULL},
};

/* A narrow terminal leaves out only the TABLE_WIDE columns of these tables. */
static const struct table_column gap_columns[] = {
    {"gap", "gap", TABLE_WORD, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"share", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {"why", "not judged because", TABLE_WORD, TABLE_WIDE},
    {.key = NULL},
};

static const struct table_column break_columns[] = {
    {"break", "break", TABLE_WORD, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"share_of_judged", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {"first_ns", "first\ns", TABLE_SECONDS, TABLE_ALWAYS},
    {"first_cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"first_decision", "picknext why\n--decision", TABLE_NUMBER, TABLE_ALWAYS},
    {"first_trace", "of trace", TABLE_TEXT, TABLE_ALWAYS},
    {"what", "the kernel", TABLE_WORD, TABLE_WIDE},
    {.key = NULL},
};

static const struct table_column invariant_columns[] = {
    {"invariant", "invariant", TABLE_WORD, TABLE_ALWAYS},   {"broken", "broken", TABLE_NUMBER, TABLE_ALWAYS},
    {"checked", "checked", TABLE_NUMBER, TABLE_ALWAYS},     {"share_broken", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {"first_ns", "first\ns", TABLE_SECONDS, TABLE_ALWAYS},  {"first_cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"first_of", "of", TABLE_TEXT, TABLE_ALWAYS},           {"first_pid", "PID", TABLE_SIGNED, TABLE_DATA},
    {"first_seen", "seen", TABLE_SIGNED, TABLE_DATA},       {"first_expected", "expected", TABLE_SIGNED, TABLE_DATA},
    {"first_evidence", "evidence", TABLE_WORD, TABLE_DATA}, {"first_trace", "of trace", TABLE_TEXT, TABLE_ALWAYS},
    {"what", "what must hold", TABLE_WORD, TABLE_WIDE},     {"source", "source", TABLE_WORD, TABLE_DATA},
    {"applies_to", "applies to", TABLE_WORD, TABLE_DATA},   {.key = NULL},
};

static const struct table_column unjudged_columns[] = {
    {"invariant", "invariant", TABLE_WORD, TABLE_ALWAYS},
    {"needs", "what it needs, of which the trace lacks a part", TABLE_WORD, TABLE_ALWAYS},
    {.key = NULL},
};

/* CSV has one table: decisions by the event that asked for them, breaks, and invariants. */
static const struct table_column check_columns[] = {
    {"kind", "kind", TABLE_WORD, TABLE_DATA},
    {"name", "name", TABLE_WORD, TABLE_DATA},
    {"what", "what", TABLE_WORD, TABLE_DATA},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_DATA},
    {"checked", "checked", TABLE_NUMBER, TABLE_DATA},
    {"broken", "broken", TABLE_NUMBER, TABLE_DATA},
    {"share_broken", "%", TABLE_PERCENT, TABLE_DATA},
    {"first_ns", "first s", TABLE_SECONDS, TABLE_DATA},
    {"first_cpu", "CPU", TABLE_NUMBER, TABLE_DATA},
    {"first_pid", "PID", TABLE_SIGNED, TABLE_DATA},
    {"first_decision", "decision", TABLE_NUMBER, TABLE_DATA},
    {"first_trace", "of trace", TABLE_TEXT, TABLE_DATA},
    {.key = NULL},
};

static void add_invariant(const struct rules_reading *reading, uint32_t number, struct table *table)
{
	const struct invariant_account *account = &reading->found.invariants.rows[number];
	const struct invariant_row *row = invariant_row(number);
	const struct evidence *first = &account->first.evidence;
	const bool is_broken = account->broken, has_value = is_broken && first->what;
	struct buffer evidence = {0};

	if (is_broken)
		invariant_add_evidence(&account->first, &evidence);
	table_string(table, row->key);
	TABLE_NUMBERS(table, account->broken, account->checked);
	TABLE_NUMBER_IF(table, account->checked, table_share(account->broken, account->checked));
	TABLE_NUMBER_IF(table, is_broken, first->since_ns);
	TABLE_NUMBER_IF(table, is_broken, first->cpu);
	table_string(table, is_broken ? account->first.subject : NULL);
	TABLE_SIGNED_IF(table, is_broken && first->pid, first->pid);
	TABLE_SIGNED_IF(table, has_value, first->seen);
	TABLE_SIGNED_IF(table, has_value, first->expected);
	table_string(table, evidence.data);
	table_string(table, is_broken ? reading->paths[account->first.run] : NULL);
	table_string(table, row->holds);
	table_string(table, row->source);
	table_string(table, row->applies_to);
	buffer_free(&evidence);
}

static bool lacks_input(const struct rules_reading *reading, uint32_t number)
{
	return reading->found.invariants.unjudged >> number & 1;
}

/* Text only counts the invariants that hold, or for which nothing happened; CSV and JSON list them. */
static void fill_invariants(const struct rules_reading *reading, bool is_text, struct table *table)
{
	for (uint32_t i = 0; i < invariant_count(); i++) {
		const struct invariant_account *account = &reading->found.invariants.rows[i];
		if (account->broken || (!is_text && (account->checked || !lacks_input(reading, i))))
			add_invariant(reading, i, table);
	}
}

static unsigned int width_of_text(const struct pass *pass)
{
	return pass->options->output ? 0 : terminal_width();
}

/* The number of invariants that hold, of those for which nothing happened, and of those that could not be judged. */
static void add_counts(const struct rules_reading *reading, unsigned int width, struct buffer *out)
{
	const struct invariants *found = &reading->found.invariants;
	uint32_t holding = 0, unmet = 0, unjudged = 0;
	struct buffer text = {0};

	for (uint32_t i = 0; i < invariant_count(); i++) {
		holding += found->rows[i].checked && !found->rows[i].broken;
		unmet += !found->rows[i].checked && !lacks_input(reading, i);
		unjudged += lacks_input(reading, i);
	}
	buffer_printf(&text, "%" PRIu32 " invariants hold", holding);
	if (unmet)
		buffer_printf(&text, "; %" PRIu32 " had nothing to check: what they are about did not happen", unmet);
	if (unjudged)
		buffer_printf(&text, "; %" PRIu32 " could not be checked: the trace lacks what they need", unjudged);
	buffer_text(&text, " (--json lists them)\n");
	buffer_text(out, "\n");
	wrap_lines(text.data, width, out);
	out->data[--out->length] = '\0';
	buffer_free(&text);
}

static void fill_unjudged(const struct rules_reading *reading, struct table *table)
{
	for (uint32_t i = 0; i < invariant_count(); i++)
		if (lacks_input(reading, i)) {
			table_string(table, invariant_row(i)->key);
			table_string(table, invariant_row(i)->needs);
		}
}

static void fill(const struct rules_reading *reading, struct analysis_table tables[TABLES])
{
	const struct rules_account *account = &reading->found.account;

	for (int i = 0; i < CAUSES; i++) {
		if (account->causes[i].decisions == 0)
			continue;
		table_string(&tables[0].table, decision_causes[i].text);
		TABLE_NUMBERS(&tables[0].table, account->causes[i].decisions, account->causes[i].choices,
			      account->causes[i].judged, account->causes[i].explained);
		TABLE_NUMBER_IF(&tables[0].table, account->causes[i].judged,
				table_share(account->causes[i].explained, account->causes[i].judged));
	}
	for (int i = GAP_NONE + 1; i < GAPS; i++) {
		if (account->gaps[i] == 0)
			continue;
		table_string(&tables[1].table, decision_gaps[i].key);
		TABLE_NUMBERS(&tables[1].table, account->gaps[i], table_share(account->gaps[i], account->decisions));
		table_string(&tables[1].table, decision_gaps[i].text);
	}
	for (int i = 0; i < RULE_BREAKS; i++) {
		const struct rule_break_account *broken = &account->breaks[i];
		if (broken->count == 0)
			continue;
		table_string(&tables[2].table, rule_breaks[i].key);
		TABLE_NUMBERS(&tables[2].table, broken->count, table_share(broken->count, account->judged),
			      broken->first_ns, broken->first_cpu);
		TABLE_NUMBER_IF(&tables[2].table, broken->first_number, broken->first_number);
		table_string(&tables[2].table, reading->paths[broken->first_run]);
		table_string(&tables[2].table, rule_breaks[i].text);
	}
}

/* Adds the first cells of a CSV row. */
static void begin_check(struct table *table, const char *kind, const struct rule_words *words)
{
	table_string(table, kind);
	table_string(table, words->key);
	table_string(table, words->text);
}

static void leave_empty(struct table *table, int cells)
{
	while (cells-- > 0)
		table_none(table);
}

static void fill_checks(const struct rules_reading *reading, struct table *table)
{
	const struct rules_account *account = &reading->found.account;

	for (int i = 0; i < CAUSES; i++) {
		const uint64_t judged = account->causes[i].judged, broken = judged - account->causes[i].explained;
		if (account->causes[i].decisions == 0)
			continue;
		begin_check(table, "decisions", &decision_causes[i]);
		TABLE_NUMBERS(table, account->causes[i].decisions, judged, broken);
		TABLE_NUMBER_IF(table, judged, table_share(broken, judged));
		leave_empty(table, 5);
	}
	for (int i = 0; i < RULE_BREAKS; i++) {
		const struct rule_break_account *broken = &account->breaks[i];
		if (broken->count == 0)
			continue;
		begin_check(table, "break", &rule_breaks[i]);
		TABLE_NUMBERS(table, account->decisions, account->judged, broken->count,
			      table_share(broken->count, account->judged), broken->first_ns, broken->first_cpu);
		table_none(table);
		TABLE_NUMBER_IF(table, broken->first_number, broken->first_number);
		table_string(table, reading->paths[broken->first_run]);
	}
	for (uint32_t i = 0; i < invariant_count(); i++) {
		const struct invariant_account *invariant = &reading->found.invariants.rows[i];
		const struct evidence *first = &invariant->first.evidence;
		if (invariant->checked == 0 && lacks_input(reading, i))
			continue;
		begin_check(table, "invariant", &(struct rule_words){invariant_row(i)->key, invariant_row(i)->holds});
		table_none(table);
		TABLE_NUMBERS(table, invariant->checked, invariant->broken);
		TABLE_NUMBER_IF(table, invariant->checked, table_share(invariant->broken, invariant->checked));
		if (invariant->broken == 0) {
			leave_empty(table, 5);
			continue;
		}
		TABLE_NUMBERS(table, first->since_ns, first->cpu);
		TABLE_SIGNED_IF(table, first->pid, first->pid);
		table_none(table);
		table_string(table, reading->paths[invariant->first.run]);
	}
}

enum status rules_print_find_doubt(const struct rules_reading *reading, const struct pass *pass, struct error *err)
{
	const struct pass_summary *summary = &pass->summary;

	if (summary->untrusted_runs == 0)
		return STATUS_OK;
	return quality_error(&summary->worst, reading->paths[summary->worst_run], err);
}

void rules_print_findings(const struct rules_reading *reading, const struct pass *pass, const char *label,
			  struct buffer *out)
{
	struct buffer text = {0};
	struct error doubt;

	if (rules_print_find_doubt(reading, pass, &doubt) != STATUS_OK) {
		escape_line_add(doubt.where, strlen(doubt.where), &text);
		buffer_printf(&text, ": %s", doubt.what);
		if (pass->summary.untrusted_runs > 1)
			buffer_printf(&text, "; and %" PRIu32 " more of %" PRIu32 " traces",
				      pass->summary.untrusted_runs - 1, pass->summary.runs);
		buffer_text(&text, "\n");
	}
	rules_findings_text(&reading->found, label, reading->paths, &text);
	wrap_lines(text.data, width_of_text(pass), out);
	out->data[--out->length] = '\0';
	buffer_free(&text);
}

enum status rules_print(const struct rules_reading *reading, const struct analysis_options *given,
			const struct pass *pass, struct error *err)
{
	struct buffer findings = {0};

	if (given->csv) {
		struct analysis_table checks = analysis_table_of("checks", NULL, check_columns);
		fill_checks(reading, &checks.table);
		return analysis_print(given, pass, &checks, 1, err);
	}
	struct analysis_table tables[TABLES] = {analysis_table_of("causes", NULL, cause_columns),
						analysis_table_of("not_judged", "Not judged", gap_columns),
						analysis_table_of("breaks", "Against the rule", break_columns),
						analysis_table_of("invariants", "Broken invariants", invariant_columns),
						analysis_table_of("invariants_not_judged", NULL, unjudged_columns)};

	tables[0].has_quality = true;
	for (int i = 1; i < TABLES; i++)
		tables[i].needs_rows = true;
	fill(reading, tables);
	fill_invariants(reading, analysis_is_text(given), &tables[3].table);
	if (!analysis_is_text(given))
		fill_unjudged(reading, &tables[4].table);
	rules_print_findings(reading, pass, NULL, &findings);
	add_counts(reading, width_of_text(pass), &findings);
	tables[0].title = findings.data;
	const size_t shown = analysis_is_text(given) ? TABLES - 1 : TABLES;
	enum status status = analysis_print(given, pass, tables, shown, err);
	buffer_free(&findings);
	return status;
}
