/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "cmd/commands.h"
#include "print/analysis_print.h"
#include "rules/reading.h"

struct check_rule_options {
	struct analysis_options analysis;
};

static const struct option options[] = {
    ANALYSIS_OPTION_ROWS(struct check_rule_options, analysis),
    {.name = NULL},
};

enum { TABLES = 4 };

static const struct table_column cause_columns[] = {
    {"cause", "asked for by", TABLE_TEXT, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"with_choice", "with a\nchoice", TABLE_NUMBER, TABLE_ALWAYS},
    {"judged", "judged", TABLE_NUMBER, TABLE_ALWAYS},
    {"explained", "the rule's", TABLE_NUMBER, TABLE_ALWAYS},
    {"share_explained", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column gap_columns[] = {
    {"gap", "not judged", TABLE_WORD, TABLE_DATA},
    {"why", "not judged because", TABLE_WORD, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"share", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column break_columns[] = {
    {"break", "break", TABLE_WORD, TABLE_DATA},
    {"what", "the kernel", TABLE_WORD, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"share_of_judged", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {"first_ns", "first\ns", TABLE_SECONDS, TABLE_ALWAYS},
    {"first_cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"first_decision", "shown by picknext why --decision", TABLE_NUMBER, TABLE_ALWAYS},
    {"first_trace", "of trace", TABLE_TEXT, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column invariant_columns[] = {
    {"invariant", "invariant", TABLE_WORD, TABLE_DATA},    {"what", "what must hold", TABLE_WORD, TABLE_ALWAYS},
    {"source", "source", TABLE_WORD, TABLE_DATA},          {"applies_to", "applies to", TABLE_WORD, TABLE_DATA},
    {"checked", "checked", TABLE_NUMBER, TABLE_ALWAYS},    {"broken", "broken", TABLE_NUMBER, TABLE_ALWAYS},
    {"share_broken", "%", TABLE_PERCENT, TABLE_ALWAYS},    {"first_ns", "first\ns", TABLE_SECONDS, TABLE_ALWAYS},
    {"first_cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},      {"first_pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"first_trace", "of trace", TABLE_TEXT, TABLE_ALWAYS}, {.key = NULL},
};

static void fill_invariants(const struct rules_reading *reading, struct table *table)
{
	for (int i = 0; i < INVARIANTS; i++) {
		const struct invariant_account *account = &reading->found.invariants.rows[i];
		const bool is_broken = account->broken;
		if (account->checked == 0)
			continue;
		table_string(table, invariant_rows[i].key);
		table_string(table, invariant_rows[i].name);
		table_string(table, invariant_rows[i].source);
		table_string(table, invariant_rows[i].applies_to);
		TABLE_NUMBERS(table, account->checked, account->broken, table_share(account->broken, account->checked));
		TABLE_NUMBER_IF(table, is_broken, account->first_ns);
		TABLE_NUMBER_IF(table, is_broken, account->first_cpu);
		TABLE_SIGNED_IF(table, is_broken, account->first_pid);
		table_string(table, is_broken ? reading->paths[account->first_run] : NULL);
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
		table_string(&tables[1].table, decision_gaps[i].text);
		TABLE_NUMBERS(&tables[1].table, account->gaps[i], table_share(account->gaps[i], account->decisions));
	}
	for (int i = 0; i < RULE_BREAKS; i++) {
		const struct rule_break_account *broken = &account->breaks[i];
		if (broken->count == 0)
			continue;
		table_string(&tables[2].table, rule_breaks[i].key);
		table_string(&tables[2].table, rule_breaks[i].text);
		TABLE_NUMBERS(&tables[2].table, broken->count, table_share(broken->count, account->judged),
			      broken->first_ns, broken->first_cpu, broken->first_number);
		table_string(&tables[2].table, reading->paths[broken->first_run]);
	}
	fill_invariants(reading, &tables[3].table);
}

static enum status print_tables(const struct rules_reading *reading, const struct analysis_options *given,
				const struct pass *pass, struct error *err)
{
	struct buffer title = {0};
	rules_account_text(&reading->found.account, &title);
	struct analysis_table tables[TABLES] = {analysis_table_of("causes", title.data, cause_columns),
						analysis_table_of("not_judged", "Not judged", gap_columns),
						analysis_table_of("breaks", "Against the rule", break_columns),
						analysis_table_of("invariants", "Invariants", invariant_columns)};

	fill(reading, tables);
	enum status status = analysis_print(given, pass, tables, TABLES, err);
	buffer_free(&title);
	return status;
}

static int run_check_rule(const struct call *call)
{
	const struct check_rule_options *given = call->values;
	struct rules_reading reading;
	const struct pass_consumer consumer = rules_reading_begin(&reading);
	struct pass pass;
	struct error err = {0};

	enum status status = analysis_read(&given->analysis, &call->operands, &consumer, &pass, &err);
	if (status == STATUS_OK)
		status = print_tables(&reading, &given->analysis, &pass, &err);
	const bool has_breaks = rules_findings_have_breaks(&reading.found);
	rules_reading_free(&reading);
	const int code = analysis_exit(&pass, status, &err);
	return code ? code : has_breaks;
}

const struct command command_check_rule = {
    .name = "check-rule",
    .summary = "whether each decision is that of the scheduler's published rule",
    .operands = ANALYSIS_OPERANDS,
    .operands_max = SIZE_MAX,
    .details = ANALYSIS_DETAILS
    "\n\n"
    "Needs traces with keys, which only trace.dat files have. Rebuilds the queue of each CPU and applies the\n"
    "published rule (picknext help rules) to each pick and to each test of a wakeup. A decision is judged only if the\n"
    "sums that the kernel keeps of its queue prove that all candidates are known. Invariants are what must hold\n"
    "for the keys themselves.\n"
    "Exit code 1: at least one decision breaks the rule (picknext why shows it), or an invariant is broken. One\n"
    "trace is enough: no statistics are needed.",
    .examples = "  picknext check-rule trace.dat\n"
		"  picknext check-rule --json raw | jq '.breaks[].what'\n",
    .options = options,
    .values_size = sizeof(struct check_rule_options),
    .run = run_check_rule,
};
