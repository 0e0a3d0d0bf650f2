/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "print/analysis_print.h"
#include "rules/account.h"
#include "rules/rules.h"

struct check_rule_options {
	struct analysis_options analysis;
};

static const struct option options[] = {
    ANALYSIS_OPTION_ROWS(struct check_rule_options, analysis),
    {.name = NULL},
};

struct check_rule {
	struct rules rules;
	struct rules_account account;
	struct rules_consumer consumer;
	const struct pass *pass;
	uint64_t number;                /* of the decision, in its trace */
	char *first_paths[RULE_BREAKS]; /* the traces of the first breaks */
};

static const struct table_column cause_columns[] = {
    {"cause", "asked for by", TABLE_WORD, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"with_choice", "with a\nchoice", TABLE_NUMBER, TABLE_ALWAYS},
    {"judged", "judged", TABLE_NUMBER, TABLE_ALWAYS},
    {"explained", "the rule's", TABLE_NUMBER, TABLE_ALWAYS},
    {"share_explained", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

static const struct table_column gap_columns[] = {
    {"gap", "not judged", TABLE_WORD, TABLE_DATA},
    {"why", "not judged because", TABLE_WORD, TABLE_ALWAYS},
    {"decisions", "decisions", TABLE_NUMBER, TABLE_ALWAYS},
    {"share", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
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
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

static void decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	struct check_rule *check = context;

	(void)states;
	check->number++;
	rules_account_add(&check->account, &check->rules.traits, decision,
			  pass_since_start(check->pass, decision->ts_ns), check->number);
	if (decision->verdict != VERDICT_BREAKS)
		return;
	char **path = &check->first_paths[decision_break(&check->rules.traits, decision)];
	if (!*path)
		*path = strdup(check->pass->run.path);
}

static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct check_rule *check = context;

	check->number = 0;
	rules_begin(&check->rules, &check->consumer, pass);
	if (check->rules.keys.is_known)
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, pass->run.path, "has no keys of the scheduler");
	return error_remedy(err, "record with --keys (picknext help rules)");
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *changes, struct error *err)
{
	struct check_rule *check = context;

	(void)err;
	check->pass = pass;
	rules_step(&check->rules, pass, event, changes);
	return STATUS_OK;
}

static uint64_t share(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)part * 1e4 / (double)whole + 0.5) : 0;
}

static void fill(const struct check_rule *check, struct table tables[3])
{
	const struct rules_account *account = &check->account;

	for (int i = 0; i < CAUSES; i++) {
		if (account->causes[i].decisions == 0)
			continue;
		table_string(&tables[0], decision_cause_words[i]);
		TABLE_NUMBERS(&tables[0], account->causes[i].decisions, account->causes[i].choices,
			      account->causes[i].judged, account->causes[i].explained);
		TABLE_NUMBER_IF(&tables[0], account->causes[i].judged,
				share(account->causes[i].explained, account->causes[i].judged));
	}
	for (int i = GAP_NONE + 1; i < GAPS; i++) {
		if (account->gaps[i] == 0)
			continue;
		table_string(&tables[1], decision_gap_keys[i]);
		table_string(&tables[1], decision_gap_words[i]);
		TABLE_NUMBERS(&tables[1], account->gaps[i], share(account->gaps[i], account->decisions));
	}
	for (int i = 0; i < RULE_BREAKS; i++) {
		const struct rule_break_account *broken = &account->breaks[i];
		if (broken->count == 0)
			continue;
		table_string(&tables[2], rule_break_keys[i]);
		table_string(&tables[2], rule_break_words[i]);
		TABLE_NUMBERS(&tables[2], broken->count, share(broken->count, account->judged), broken->first_ns,
			      broken->first_cpu, broken->first_number);
		table_string(&tables[2], check->first_paths[i]);
	}
}

static enum status print_tables(const struct check_rule *check, const struct analysis_options *given,
				const struct pass *pass, struct error *err)
{
	static const struct table_column *const columns[] = {cause_columns, gap_columns, break_columns};
	struct table tables[3];
	struct buffer title = {0};

	for (int i = 0; i < 3; i++)
		table_begin(&tables[i], columns[i]);
	fill(check, tables);
	rules_account_text(&check->account, &title);
	const struct analysis_table printed[] = {{"causes", title.data, &tables[0]},
						 {"not_judged", "Not judged", &tables[1]},
						 {"breaks", "Against the rule", &tables[2]}};
	enum status status = analysis_print(given, pass, printed, 3, err);
	for (int i = 0; i < 3; i++)
		table_free(&tables[i]);
	buffer_free(&title);
	return status;
}

static int run_check_rule(const struct call *call)
{
	const struct check_rule_options *given = call->values;
	struct check_rule check = {0};
	const struct pass_consumer consumer = {.context = &check, .begin = begin, .step = step};
	struct pass pass;
	struct error err = {0};

	check.consumer = (struct rules_consumer){.context = &check, .decide = decide};
	enum status status = analysis_read(&given->analysis, &call->operands, &consumer, &pass, &err);
	if (status == STATUS_OK)
		status = print_tables(&check, &given->analysis, &pass, &err);
	rules_free(&check.rules);
	for (int i = 0; i < RULE_BREAKS; i++)
		free(check.first_paths[i]);
	const int code = analysis_exit(&pass, status, &err);
	return code ? code : check.account.explained < check.account.judged;
}

const struct command command_check_rule = {
    .name = "check-rule",
    .summary = "whether each decision is that of the scheduler's published rule",
    .operands = ANALYSIS_OPERANDS,
    .operands_max = SIZE_MAX,
    .details = ANALYSIS_DETAILS
    "\n\n"
    "Needs traces with keys. Rebuilds the queue of each CPU and applies the published rule (picknext help rules)\n"
    "to each pick and to each test of a wakeup. A decision is judged only if the sums that the kernel keeps of\n"
    "its queue prove that all candidates are known. Exit code 1: at least one decision breaks the rule;\n"
    "picknext why shows it. One trace is enough: no statistics are needed.",
    .examples = "  picknext check-rule trace.dat\n"
		"  picknext check-rule --json raw | jq '.breaks[].what'\n",
    .options = options,
    .values_size = sizeof(struct check_rule_options),
    .run = run_check_rule,
};
