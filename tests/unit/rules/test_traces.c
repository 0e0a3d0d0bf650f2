/* SPDX-License-Identifier: MIT
 *
 * The cases of tests/golden/rules: traces with keys as text, and what must come of them. The same traces are read with
 * less in them, or with changes in between: that never accuses. */
#include <glob.h>

#include "base/buffer.h"
#include "base/file.h"
#include "support/rule_trace.h"

#define CASES "tests/golden/rules/*.txt"

enum { CASES_MAX = 256, LINES_MAX = 128 };

struct trace_case {
	char *lines[LINES_MAX]; /* without their expected values */
	bool is_expected[LINES_MAX];
	uint32_t numbers[LINES_MAX], count; /* of lines in the file */
	const char *name, *path;
};

static struct trace_case cases[CASES_MAX];
static uint32_t case_count;
static glob_t files;

/* --- Reading --- */

static void add_line(const char *path, char *line, uint32_t number)
{
	if (strncmp(line, "case ", 5) == 0) {
		assert_true(case_count < CASES_MAX);
		cases[case_count++] = (struct trace_case){.name = line + 5, .path = path};
		return;
	}
	line += strspn(line, " \t");
	if (!line[0] || line[0] == '#')
		return;
	assert_true(case_count);
	struct trace_case *last = &cases[case_count - 1];
	assert_true(last->count < LINES_MAX);
	last->is_expected[last->count] = line[0] == '=';
	last->numbers[last->count] = number;
	last->lines[last->count++] = line;
}

static void read_file(const char *path)
{
	struct buffer text = {.length = 0};
	struct error err = {0};
	uint32_t number = 0;

	assert_int_equal(file_read(path, 1 << 20, &text, &err), STATUS_OK);
	char *copy = xmalloc(text.length + 1);
	memcpy(copy, text.data, text.length);
	copy[text.length] = 0;
	for (char *line = copy, *end; *line; line = end + 1) {
		end = line + strcspn(line, "\n");
		assert_true(*end == '\n');
		*end = 0;
		add_line(path, line, ++number);
	}
	buffer_free(&text);
}

static int read_cases(void **state)
{
	assert_int_equal(glob(CASES, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		read_file(files.gl_pathv[i]);
	return 0;
}

/* --- Expected values --- */

struct expectations {
	bool is_named[INVARIANTS_MAX];
	uint32_t breaks;
};

static uint32_t failures;

static void fail_at(const struct trace_case *of, uint32_t line, const char *seen)
{
	failures++;
	print_error("%s:%" PRIu32 ", case %s: expected '%s', seen '%s'\n", of->path, of->numbers[line], of->name,
		    of->lines[line], seen);
}

static const char *reason_key(enum rule_reason reason)
{
	static const char *const keys[RULE_REASONS] = {
	    [RULE_EMPTY] = "empty",
	    [RULE_ONLY] = "only",
	    [RULE_SMALLEST_VRUNTIME] = "smallest_vruntime",
	    [RULE_SKIPPED_YIELD] = "skipped_yield",
	    [RULE_NEXT_BUDDY] = "next_buddy",
	    [RULE_LAST_BUDDY] = "last_buddy",
	    [RULE_PROTECTED] = "protected",
	    [RULE_EARLIEST_DEADLINE] = "earliest_deadline",
	    [RULE_NONE_ELIGIBLE] = "none_eligible",
	    [RULE_HIGHEST_PRIORITY] = "highest_priority",
	    [RULE_FIRST_DEADLINE] = "first_deadline",
	    [RULE_HIGHER_CLASS] = "higher_class",
	    [RULE_IDLE] = "idle",
	};

	return keys[reason];
}

/* "decision N CAUSE explained|breaks|not_judged REASON|GAP": of the latest one. */
static void describe_decision(const struct rule_trace *trace, char *text, size_t size)
{
	static const char *const verdicts[] = {"explained", "breaks", "not_judged"};
	const struct rule_decision *decision = &trace->decision;

	snprintf(text, size, "= decision %" PRIu32 " %s %s %s", trace->decisions, decision_causes[decision->cause].key,
		 verdicts[decision->verdict],
		 decision->verdict == VERDICT_NOT_JUDGED ? decision_gaps[decision->gap].key
							 : reason_key(decision->reason));
}

/* "NAME holds N broken M", or "NAME evidence TEXT": of the latest break. */
static void describe_invariant(const struct rule_trace *trace, uint32_t row, bool has_evidence, char *text, size_t size)
{
	const struct invariant_account *account = &trace->found.rows[row];

	if (has_evidence)
		snprintf(text, size, "= %s evidence %s", invariant_row(row)->key, trace->evidence[row]);
	else
		snprintf(text, size, "= %s holds %" PRIu64 " broken %" PRIu64, invariant_row(row)->key,
			 account->checked - account->broken, account->broken);
}

static uint32_t row_of(const char *line)
{
	char key[64] = "";

	sscanf(line, "= %63s", key);
	return invariant_find(key);
}

static void check_line(const struct trace_case *of, uint32_t line, const struct rule_trace *trace,
		       struct expectations *expectations)
{
	const char *text = of->lines[line];
	const uint32_t row = row_of(text);
	char seen[512] = "no invariant";

	if (strncmp(text, "= decision ", 11) == 0)
		describe_decision(trace, seen, sizeof(seen));
	else if (row != RULE_NONE)
		describe_invariant(trace, row, strstr(text, " evidence "), seen, sizeof(seen));
	if (strcmp(seen, text) != 0)
		fail_at(of, line, seen);
	if (row != RULE_NONE)
		expectations->is_named[row] = true;
	else
		expectations->breaks += trace->decision.verdict == VERDICT_BREAKS;
}

/* Nothing is accused that the case does not name. */
static void check_end(const struct trace_case *of, const struct rule_trace *trace,
		      const struct expectations *expectations)
{
	char seen[512];

	for (uint32_t i = 0; i < invariant_count(); i++)
		if (trace->found.rows[i].broken && !expectations->is_named[i]) {
			describe_invariant(trace, i, true, seen, sizeof(seen));
			fail_at(of, of->count - 1, seen);
		}
	if (trace->breaks > expectations->breaks) {
		snprintf(seen, sizeof(seen), "another decision that breaks the rule, such as at %" PRIu64 " ns",
			 trace->broken_ns);
		fail_at(of, of->count - 1, seen);
	}
}

/* --- Runs --- */

static void insert(struct rule_trace *trace, const struct trace_change *change)
{
	static const char *const names[] = {"attributes", "done", "nice", "group", "affinity"};
	char line[64];

	if (change->what == CHANGE_OF_TASK)
		snprintf(line, sizeof(line), "+0 0 %s %" PRId32, names[change->of_task], change->pid);
	else
		snprintf(line, sizeof(line), "+0 0 %s", change->what == CHANGE_LOSS ? "lost" : "extension");
	trace_line(trace, line);
}

/* Each line that is no expected value; those are checked if nothing is changed. */
static struct rule_trace *run(const struct trace_case *of, const struct trace_change *change)
{
	struct rule_trace *trace = xcalloc(1, sizeof(*trace));
	struct expectations expectations = {.breaks = 0};

	if (change)
		trace->change = *change;
	for (uint32_t i = 0; i < of->count; i++) {
		if (change && change->before_line && (uint32_t)change->before_line == i)
			insert(trace, change);
		if (!of->is_expected[i])
			trace_line(trace, of->lines[i]);
		else if (!change)
			check_line(of, i, trace, &expectations);
	}
	if (!change)
		check_end(of, trace, &expectations);
	trace->stops = trace->rules.machine.stops;
	trace_end(trace);
	return trace;
}

TEST(cases_are_as_expected)
{
	for (uint32_t i = 0; i < case_count; i++)
		free(run(&cases[i], NULL));
	assert_int_equal(failures, 0);
}

/* --- What the cases cover --- */

TEST(each_invariant_holds_and_is_broken)
{
	for (uint32_t row = 0; row < invariant_count(); row++) {
		bool holds = false, is_broken = false, has_evidence = false;

		for (uint32_t i = 0; i < case_count; i++)
			for (uint32_t j = 0; j < cases[i].count; j++) {
				const char *line = cases[i].lines[j];
				uint64_t held, broken;
				if (!cases[i].is_expected[j] || row_of(line) != row)
					continue;
				has_evidence = has_evidence || strstr(line, " evidence ");
				if (sscanf(line, "= %*s holds %" SCNu64 " broken %" SCNu64, &held, &broken) != 2)
					continue;
				holds = holds || held;
				is_broken = is_broken || broken;
			}
		if (!holds || !is_broken || !has_evidence)
			fail_msg("no case in which %s %s", invariant_row(row)->key,
				 !holds       ? "holds"
				 : !is_broken ? "is broken"
					      : "has evidence");
	}
}

/* --- Less is known --- */

/* The case has an expected value of the row. */
static bool has_row(const struct trace_case *of, uint32_t row)
{
	for (uint32_t i = 0; i < of->count; i++)
		if (of->is_expected[i] && row_of(of->lines[i]) == row)
			return true;
	return false;
}

/* Without a field that it needs, a row is judged nowhere, and is named. */
static void check_without(uint32_t row, const char *field)
{
	const struct trace_change change = {.lacks = field};

	for (uint32_t i = 0; i < case_count; i++) {
		if (!has_row(&cases[i], row))
			continue;
		struct rule_trace *trace = run(&cases[i], &change);
		if (trace->found.rows[row].checked || !(trace->found.unjudged >> row & 1))
			fail_msg("%s is judged without %s, case %s", invariant_row(row)->key, field, cases[i].name);
		free(trace);
	}
}

TEST(rows_that_lack_a_field_are_not_judged)
{
	for (uint32_t row = 0; row < invariant_count(); row++) {
		char needs[256], *rest = needs, *field;

		snprintf(needs, sizeof(needs), "%s", invariant_row(row)->needs);
		while ((field = strsep(&rest, " ")))
			if (*field)
				check_without(row, field);
	}
}

/* No row is broken more often than without the change, and no more decisions break the rule. */
static void check_no_worse(const struct trace_case *of, const struct rule_trace *as_it_is,
			   const struct rule_trace *changed, const char *what, int line)
{
	for (uint32_t row = 0; row < invariant_count(); row++)
		/* A row that was taken back, since time had stopped, may stay. */
		if (changed->found.rows[row].broken > as_it_is->found.rows[row].broken &&
		    !(as_it_is->stops && invariant_row(row)->void_from)) {
			failures++;
			print_error("%s:%" PRIu32 ", case %s: %s before this line breaks %s: %s\n", of->path,
				    of->numbers[line], of->name, what, invariant_row(row)->key, changed->evidence[row]);
		}
	if (changed->breaks > as_it_is->breaks) {
		failures++;
		print_error("%s:%" PRIu32 ", case %s: %s before this line makes a decision break the rule\n", of->path,
			    of->numbers[line], of->name, what);
	}
}

/* The CPU holds a lock from the event before up to this one: no attributes are changed in between. */
static bool is_locked(const struct trace_case *of, int line)
{
	static const char *const kinds[] = {" place ",  " waking ",   " enqueue ", " pick",
					    " resched", " throttle ", " yield"};
	int before = line - 1;

	while (before > 0 && of->is_expected[before])
		before--;
	/* schedule() disables the migration of the task that it leaves. */
	if (before > 0 && strstr(of->lines[before], " affinity ") && strstr(of->lines[before - 1], " pick "))
		before--;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strstr(of->lines[before], kinds[i]))
			return true;
	return of->is_expected[line];
}

static void change_case(const struct trace_case *of, struct trace_change change, const char *what)
{
	struct rule_trace *as_it_is = run(of, NULL);

	for (int line = 1; line < (int)of->count; line++) {
		change.before_line = line;
		if (change.what == CHANGE_OF_TASK && is_locked(of, line))
			continue;
		struct rule_trace *changed = run(of, &change);
		check_no_worse(of, as_it_is, changed, what, line);
		free(changed);
	}
	free(as_it_is);
}

TEST(a_loss_accuses_nobody)
{
	failures = 0;
	for (uint32_t i = 0; i < case_count; i++)
		change_case(&cases[i], (struct trace_change){.what = CHANGE_LOSS}, "a loss");
	assert_int_equal(failures, 0);
}

/* Changes each task of the case. */
static void change_tasks(const struct trace_case *of, enum key_change what, const char *name)
{
	for (int32_t pid = 11; pid < 32; pid++) {
		char word[16];
		bool is_named = false;

		snprintf(word, sizeof(word), " %" PRId32, pid);
		for (uint32_t i = 0; i < of->count; i++)
			is_named = is_named || (!of->is_expected[i] && strstr(of->lines[i], word));
		if (is_named)
			change_case(of, (struct trace_change){.what = CHANGE_OF_TASK, .of_task = what, .pid = pid},
				    name);
	}
}

TEST(a_change_of_a_task_accuses_nobody)
{
	static const char *const names[] = {[CHANGE_ATTRIBUTES] = "other attributes",
					    [CHANGE_NICE] = "another nice level",
					    [CHANGE_GROUP] = "another group",
					    [CHANGE_AFFINITY] = "another affinity"};

	failures = 0;
	for (uint32_t i = 0; i < case_count; i++)
		for (size_t what = 0; what < sizeof(names) / sizeof(*names); what++)
			if (names[what])
				change_tasks(&cases[i], (enum key_change)what, names[what]);
	assert_int_equal(failures, 0);
}

TEST(nothing_is_judged_under_another_scheduler)
{
	for (uint32_t i = 0; i < case_count; i++) {
		struct rule_trace *trace =
		    run(&cases[i], &(struct trace_change){.what = CHANGE_EXTENSION, .before_line = 1});
		for (uint32_t row = 0; row < invariant_count(); row++)
			assert_int_equal(trace->found.rows[row].checked, 0);
		assert_int_equal(trace->breaks, 0);
		free(trace);
	}
}

TESTS_WITH(read_cases, NULL)
