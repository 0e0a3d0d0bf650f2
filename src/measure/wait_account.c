/* SPDX-License-Identifier: MIT */
#include "measure/wait_account.h"

void wait_account_add(struct wait_account accounts[WAIT_KINDS], const struct pass *pass, const struct task_wait *wait)
{
	struct wait_account *account = &accounts[wait_kind_of(wait)];
	uint64_t length = wait->end_ns - wait->since_ns;

	if (account->waits.count == 0 || length > account->waits.max) {
		account->longest_at_ns = pass_since_start(pass, wait->end_ns);
		account->longest_ts_ns = wait->end_ns;
		account->longest_run = pass->run.number;
	}
	distribution_add(&account->waits, length);
}

void wait_accounts_join(struct wait_account accounts[WAIT_KINDS], const struct wait_account more[WAIT_KINDS],
			const struct task_map *map)
{
	for (int kind = 0; kind < WAIT_KINDS; kind++) {
		struct wait_account *account = &accounts[kind];
		const struct wait_account *add = &more[kind];
		if (add->waits.count && (account->waits.count == 0 || add->waits.max > account->waits.max)) {
			account->longest_at_ns = add->longest_at_ns;
			account->longest_ts_ns = add->longest_ts_ns;
			account->longest_run = add->longest_run + map->run;
		}
		distribution_merge(&account->waits, &add->waits);
	}
}
