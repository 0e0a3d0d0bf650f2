/* SPDX-License-Identifier: MIT */
#include "vm/launch/vm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "vm/launch/launch_inputs.h"
#include "vm/launch/launch_prepare.h"
#include "vm/launch/launch_state.h"

enum status vm_end(const struct launch *launch, struct vm_result *result, struct error *err)
{
	const char *kind = launch->options->deterministic ? "seed" : "run";
	struct boot_record sum;
	char failed[200] = "";

	boot_records_sum(&launch->records, &sum);
	*result = launch->result;
	result->traces = sum.traces;
	result->incomplete = sum.incomplete_files;
	const struct host_wait wait = {.is_known = sum.vcpu_time_known, .time = sum.vcpu_time};
	result->host_wait_share = host_wait_share(&wait);
	if (launch->failed_count == 0)
		return STATUS_OK;
	if (launch->set->run_count == 1) {
		*err = launch->error;
		return err->status;
	}
	for (size_t i = 0, used = 0; i < launch->failed_count && used < sizeof(failed); i++)
		used +=
		    (size_t)snprintf(failed + used, sizeof(failed) - used, "%s%u", i ? ", " : "", launch->failed[i]);
	error_set(err, STATUS_GUEST, launch->result.set, "%zu of %zu boots failed: %s %s", launch->failed_count,
		  launch->set->run_count, kind, failed);
	return error_remedy(err, "the same command repeats only what is missing");
}

enum status vm_identify(struct launch *launch, struct identity *identity, struct error *err)
{
	enum status status = launch_choose_machine(launch, err);

	if (status == STATUS_OK)
		status = launch_identify(launch, err);
	*identity = launch->identity;
	return status;
}

void vm_recipe(const struct launch *launch, struct recipe *recipe)
{
	launch_copy_recipe(launch, launch->set->recipe, recipe);
}

void vm_lock(const struct launch *launch)
{
	cell_claims_lock_set(&launch->claims);
}

void vm_unlock(const struct launch *launch)
{
	cell_claims_unlock_set(&launch->claims);
}

const char *vm_release(const struct launch *launch)
{
	return launch->result.release;
}

void vm_close(struct launch *launch)
{
	if (!launch)
		return;
	boot_end(&launch->boot);
	cell_claims_close(&launch->claims);
	boot_records_free(&launch->records);
	modules_free(&launch->modules);
	kernel_files_free(&launch->kernel);
	free(launch);
}

enum status vm_open(const struct launch_options *options, const struct kernel_set *set, struct launch **launch,
		    struct error *err)
{
	struct launch *new = xcalloc(1, sizeof(*new));

	*launch = new;
	new->options = options;
	new->set = set;
	new->boot.directory.lock = new->claims.file = -1;
	new->console.file = new->engine_log.file = -1;
	new->result = (struct vm_result){.host_wait_share = NAN};
	enum status status = launch_find_inputs(new, err);
	if (status != STATUS_OK) {
		vm_close(new);
		*launch = NULL;
	}
	return status;
}
