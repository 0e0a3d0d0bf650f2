/* SPDX-License-Identifier: MIT */
#include "analysis/wait_account.h"

void wait_account_add(struct wait_account accounts[WAIT_KINDS], const struct analysis *analysis,
		      const struct task_wait *wait)
{
	struct wait_account *account = &accounts[wait_kind_of(wait)];
	uint64_t length = wait->end_ns - wait->since_ns;

	if (account->waits.count == 0 || length > account->waits.most) {
		account->longest_at_ns = analysis_since_start(analysis, wait->end_ns);
		account->longest_ts_ns = wait->end_ns;
		account->longest_run = analysis->run.number;
	}
	distribution_add(&account->waits, length);
}

void wait_account_fill(const struct wait_account *account, struct table *table)
{
	static const unsigned int shares[] = {500, 900, 990, 999};
	const struct distribution *waits = &account->waits;

	table_number(table, waits->count);
	for (int i = 0; waits->count == 0 && i < 9; i++)
		table_none(table);
	if (waits->count) {
		table_number(table, distribution_mean(waits));
		for (int i = 0; i < 4; i++)
			table_number(table, distribution_percentile(waits, shares[i]));
		table_number(table, waits->most);
		table_number(table, account->longest_at_ns);
		table_number(table, account->longest_ts_ns);
		table_number(table, account->longest_run);
	}
	table_number(table, waits->sum);
}
