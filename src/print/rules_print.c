/* SPDX-License-Identifier: MIT */
#include "print/rules_print.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "print/terminal.h"

enum { TABLES = 4 };

static const struct table_column cause_columns[] = {
    {"cause", "cause", TABLE_TEXT, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"with_choice", "with a\nchoice", TABLE_NUMBER, TABLE_ALWAYS},
    {"judged", "judged", TABLE_NUMBER, TABLE_ALWAYS},
    {"explained", "the rule's", TABLE_NUMBER, TABLE_ALWAYS},
    {"share_explained", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {.key = NULL},
};

/* A narrow terminal keeps the keys of these tables. */
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
    {"invariant", "invariant", TABLE_WORD, TABLE_ALWAYS},  {"broken", "broken", TABLE_NUMBER, TABLE_ALWAYS},
    {"checked", "checked", TABLE_NUMBER, TABLE_ALWAYS},    {"share_broken", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {"first_ns", "first\ns", TABLE_SECONDS, TABLE_ALWAYS}, {"first_cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"first_pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},      {"first_trace", "of trace", TABLE_TEXT, TABLE_ALWAYS},
    {"what", "what must hold", TABLE_WORD, TABLE_WIDE},    {"source", "source", TABLE_WORD, TABLE_DATA},
    {"applies_to", "applies to", TABLE_WORD, TABLE_DATA},  {.key = NULL},
};

/* In CSV, which has one table: the decisions by what asked for them, the breaks among them, and the invariants. */
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

static void fill_invariants(const struct rules_reading *reading, struct table *table)
{
	for (int i = 0; i < INVARIANTS; i++) {
		const struct invariant_account *account = &reading->found.invariants.rows[i];
		const bool is_broken = account->broken;
		if (account->checked == 0)
			continue;
		table_string(table, invariant_rows[i].key);
		TABLE_NUMBERS(table, account->broken, account->checked, table_share(account->broken, account->checked));
		TABLE_NUMBER_IF(table, is_broken, account->first_ns);
		TABLE_NUMBER_IF(table, is_broken, account->first_cpu);
		TABLE_SIGNED_IF(table, is_broken, account->first_pid);
		table_string(table, is_broken ? reading->paths[account->first_run] : NULL);
		table_string(table, invariant_rows[i].name);
		table_string(table, invariant_rows[i].source);
		table_string(table, invariant_rows[i].applies_to);
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
	fill_invariants(reading, &tables[3].table);
}

/* The first cells of a row of CSV. */
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
	for (int i = 0; i < INVARIANTS; i++) {
		const struct invariant_account *invariant = &reading->found.invariants.rows[i];
		if (invariant->checked == 0)
			continue;
		begin_check(table, "invariant", &(struct rule_words){invariant_rows[i].key, invariant_rows[i].name});
		table_none(table);
		TABLE_NUMBERS(table, invariant->checked, invariant->broken,
			      table_share(invariant->broken, invariant->checked));
		if (invariant->broken == 0) {
			leave_empty(table, 5);
			continue;
		}
		TABLE_NUMBERS(table, invariant->first_ns, invariant->first_cpu);
		table_signed(table, invariant->first_pid);
		table_none(table);
		table_string(table, reading->paths[invariant->first_run]);
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
	const unsigned int width = pass->options->output ? 0 : terminal_width();
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
	wrap_lines(text.data, width, out);
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
	rules_print_findings(reading, pass, NULL, &findings);
	struct analysis_table tables[TABLES] = {analysis_table_of("causes", findings.data, cause_columns),
						analysis_table_of("not_judged", "Not judged", gap_columns),
						analysis_table_of("breaks", "Against the rule", break_columns),
						analysis_table_of("invariants", "Invariants", invariant_columns)};

	tables[0].has_quality = true;
	fill(reading, tables);
	enum status status = analysis_print(given, pass, tables, TABLES, err);
	buffer_free(&findings);
	return status;
}
