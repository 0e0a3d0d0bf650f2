/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_transport.h"

#include <stdio.h>
#include <string.h>

#include "vm/engine/virtiofsd.h"
#include "vm/launch/launch_state.h"

static enum status refuse_kernel(const struct launch *launch, const char *what, struct error *err)
{
	error_set(err, STATUS_UNSUPPORTED, launch->kernel.path, "%s; missing: %s", what,
		  launch->modules.missing[0] ? launch->modules.missing : "nothing");
	if (!launch->kernel.modules[0])
		return error_remedy(err,
				    "give its modules with --guest modules=DIR (nothing was found beside the image)");
	return error_remedy(err, "searched in %s", launch->kernel.modules);
}

static bool has(const struct launch *launch, unsigned int feature)
{
	return (launch->modules.available & feature) != 0;
}

static bool virtiofs_works(const struct launch *launch)
{
	char path[PATH_MAX];
	bool old;

	return has(launch, FEATURE_VIRTIOFS) && virtiofsd_find(path, sizeof(path), &old);
}

static enum status choose_share(struct launch *launch, struct error *err)
{
	struct machine *machine = &launch->boot.machine;

	if (!has(launch, FEATURE_PCI))
		return refuse_kernel(launch, "this kernel has no PCI", err);
	if (!has(launch, FEATURE_PORT) && launch->options->shell)
		return refuse_kernel(launch, "this kernel has no virtio-serial port", err);
	if (has(launch, FEATURE_PORT))
		machine->share = has(launch, FEATURE_9P)  ? SHARE_9P
				 : virtiofs_works(launch) ? SHARE_VIRTIOFS
							  : SHARE_NONE;
	/* Nothing leaves a shell, and only the job speaks through the port of shared memory. */
	if (machine->share == SHARE_NONE && !launch->options->shell) {
		launch->transport = JOB_TRANSPORT_SHARED_MEMORY;
		machine->shared_memory = true;
	}
	return STATUS_OK;
}

/* The guest gets only the modules of the chosen transport: each one costs time and memory. */
enum status launch_choose_transport(struct launch *launch, struct error *err)
{
	struct machine *machine = &launch->boot.machine;
	unsigned int needed = FEATURE_PCI;

	if (machine->deterministic) {
		/* No virtio: completion times of its requests depend on the host. */
		launch->transport = JOB_TRANSPORT_SHARED_MEMORY;
		machine->shared_memory = true;
		return modules_collect(&launch->kernel, FEATURE_NULL_BLOCK, &launch->modules, err);
	}
	enum status status = modules_collect(&launch->kernel, FEATURE_ALL, &launch->modules, err);
	if (status == STATUS_OK)
		status = choose_share(launch, err);
	if (status != STATUS_OK)
		return status;
	machine->scratch_disk = !has(launch, FEATURE_NULL_BLOCK) && has(launch, FEATURE_VIRTIO_BLOCK);
	needed |= has(launch, FEATURE_PORT) ? FEATURE_PORT : 0;
	needed |= has(launch, FEATURE_NULL_BLOCK) ? FEATURE_NULL_BLOCK
		  : machine->scratch_disk         ? FEATURE_VIRTIO_BLOCK
						  : 0;
	needed |= machine->share == SHARE_9P ? FEATURE_9P : machine->share == SHARE_VIRTIOFS ? FEATURE_VIRTIOFS : 0;
	modules_keep(&launch->modules, needed);
	return STATUS_OK;
}
