/* SPDX-License-Identifier: MIT */
#include "measure/wait_account.h"

void wait_account_add(struct wait_account accounts[WAIT_KINDS], const struct pass *pass, const struct task_wait *wait)
{
	struct wait_account *account = &accounts[wait_kind_of(wait->cause)];
	uint64_t length = wait->end_ns - wait->since_ns;

	if (account->waits.count == 0 || length > account->waits.max) {
		account->longest_at_ns = pass_since_start(pass, wait->end_ns);
		account->longest_ts_ns = wait->end_ns;
		account->longest_run = pass->run.number;
	}
	distribution_add(&account->waits, length);
}

void wait_account_add_unknown(struct wait_account accounts[WAIT_KINDS], const struct task_missing_switch *missing)
{
	accounts[wait_kind_of(missing->cause)].unknown++;
}
