/* SPDX-License-Identifier: MIT */
#include "print/waits_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "print/account_columns.h"

enum { COLUMN_RUN_NAME = 2, COLUMN_THROTTLED = 7 };

static const struct table_column columns[] = {
    RUN_COLUMNS,
    {"start_ns", "start\ns", TABLE_SECONDS, TABLE_ALWAYS},
    {"start_ts_ns", "", TABLE_NUMBER, TABLE_DATA},
    {"end_ts_ns", "", TABLE_NUMBER, TABLE_DATA},
    {"wait_ns", "waited\nus", TABLE_US, TABLE_ALWAYS},
    {"throttled_ns", "throttled\nus", TABLE_US, TABLE_ALWAYS},
    {"ended", "", TABLE_BOOLEAN, TABLE_DATA},
    {"cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"comm", "name", TABLE_TEXT, TABLE_ALWAYS},
    {"pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"after", "after", TABLE_WORD, TABLE_ALWAYS},
    {"waker_comm", "woken by", TABLE_TEXT, TABLE_ALWAYS},
    {"waker_pid", "waker\nPID", TABLE_SIGNED, TABLE_WIDE},
    {"migrations", "moved", TABLE_NUMBER, TABLE_WIDE},
    {"others_waiting", "others\nwaited", TABLE_NUMBER, TABLE_ALWAYS},
    {"ran_tasks", "tasks\nran", TABLE_NUMBER, TABLE_WIDE},
    {"ran_ns", "", TABLE_NUMBER, TABLE_DATA},
    {"ran_longest_comm", "longest\nran", TABLE_TEXT, TABLE_ALWAYS},
    {"ran_longest_pid", "longest\nPID", TABLE_SIGNED, TABLE_WIDE},
    {"ran_longest_ns", "longest\nus", TABLE_US, TABLE_ALWAYS},
    {"ran", "tasks that ran, us", TABLE_TEXT, TABLE_WIDE},
    {.key = NULL},
};

/* "hog-12 4000.0, hog-13 1000.0 +5": a number of further tasks at the end. */
static void add_ran(const struct pass *pass, const struct worst_wait *wait, struct table *table)
{
	const uint32_t listed = wait->ran_count < WORST_RAN_MAX ? wait->ran_count : WORST_RAN_MAX;
	struct buffer text = {0};

	table_number(table, wait->ran_count);
	table_number(table, wait->ran_ns);
	table_task(table, &pass->states, listed ? wait->ran[0].task : TASK_NONE, wait->ran[0].comm);
	TABLE_NUMBER_IF(table, listed, wait->ran[0].ns);
	for (uint32_t i = 0; i < listed; i++) {
		const struct sched_comm *comm = &pass->states.comms.comms[wait->ran[i].comm];
		buffer_printf(&text, "%s%.*s-%d %.1f", i ? ", " : "", comm->length, comm->bytes,
			      pass->states.tasks[wait->ran[i].task].pid, (double)wait->ran[i].ns / 1e3);
	}
	if (listed < wait->ran_count)
		buffer_printf(&text, " +%u", wait->ran_count - listed);
	table_text(table, text.data ? text.data : "", text.length);
	buffer_free(&text);
}

static void add_worst(const struct pass *pass, const struct worst_wait *wait, struct table *table)
{
	static const char *const after[WAIT_CAUSES] = {
	    [WAIT_WAKEUP] = "wakeup", [WAIT_NEW] = "fork", [WAIT_PREEMPTED] = "R+", [WAIT_RUNNABLE] = "R"};

	run_columns_fill(pass, wait->run, table);
	TABLE_NUMBERS(table, wait->since_start_ns, wait->since_ns);
	TABLE_NUMBER_IF(table, wait->has_ended, wait->end_ns);
	table_number(table, worst_wait_ns(wait));
	TABLE_NUMBER_IF(table, wait->throttled.is_known, throttled_ns(&wait->throttled));
	TABLE_NUMBERS(table, wait->has_ended, wait->cpu);
	table_task(table, &pass->states, wait->task, wait->comm);
	table_string(table, after[wait->cause]);
	table_task(table, &pass->states, wait->waker, wait->waker_comm);
	table_number(table, wait->migrations);
	TABLE_NUMBER_IF(table, wait->waiting_known, wait->waiting);
	add_ran(pass, wait, table);
}

enum status waits_print(const struct worst_waits *waits, const struct analysis_options *options,
			const struct pass *pass, struct error *err)
{
	struct table_column shown[sizeof(columns) / sizeof(*columns)];

	char title[64] = "The longest waits";
	bool has_throttled = false;

	memcpy(shown, columns, sizeof(columns));
	for (uint32_t i = 0; i < waits->count; i++)
		has_throttled = has_throttled || waits->list[i].throttled.count;
	if (!has_throttled)
		shown[COLUMN_THROTTLED].use = TABLE_DATA;
	if (pass->summary.runs < 2)
		shown[COLUMN_RUN_NAME].use = TABLE_DATA;
	if (waits->unknown)
		snprintf(title, sizeof(title), "The longest known waits (%" PRIu64 " not known)", waits->unknown);
	struct analysis_table printed = analysis_table_of("worst", title, shown);
	for (uint32_t i = 0; i < waits->count; i++)
		add_worst(pass, &waits->list[i], &printed.table);
	return analysis_print(options, pass, &printed, 1, err);
}
