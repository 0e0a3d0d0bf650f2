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
		return error_remedy(err, "give its modules with --modules DIR (nothing was found beside the image)");
	return error_remedy(err, "searched in %s", launch->kernel.modules);
}

static bool has(const struct launch *launch, unsigned int feature)
{
	return (launch->modules.available & feature) != 0;
}

static bool virtiofs_works(struct launch *launch)
{
	char path[PATH_MAX];
	bool old;

	if (!has(launch, FEATURE_VIRTIOFS))
		return false;
	if (virtiofsd_find(path, sizeof(path), &old))
		return true;
	snprintf(launch->transport_why, sizeof(launch->transport_why),
		 "this kernel has virtiofs and no 9p, but no virtiofsd that this user can run");
	return false;
}

static enum status use_port(struct launch *launch, struct error *err)
{
	if (!has(launch, FEATURE_PORT))
		return refuse_kernel(launch, "this kernel has no virtio-serial port, which transport port needs", err);
	launch->transport = JOB_TRANSPORT_PORT;
	launch->boot.machine.data_port = true;
	return STATUS_OK;
}

static enum status choose_way(struct launch *launch, const char *wanted, struct error *err)
{
	struct machine *machine = &launch->boot.machine;

	/* Every transport needs ports for progress and the job's end. */
	if (!has(launch, FEATURE_PORT) || !has(launch, FEATURE_PCI))
		return refuse_kernel(launch, "this kernel has no virtio-serial port over PCI", err);
	if (strcmp(wanted, "port") == 0)
		return use_port(launch, err);
	machine->share = has(launch, FEATURE_9P) ? SHARE_9P : virtiofs_works(launch) ? SHARE_VIRTIOFS : SHARE_NONE;
	launch->transport = JOB_TRANSPORT_SHARE;
	if (machine->share != SHARE_NONE)
		return STATUS_OK;
	if (strcmp(wanted, "share") == 0)
		return refuse_kernel(launch, "this kernel has neither 9p nor virtiofs for a shared directory", err);
	if (!launch->transport_why[0])
		snprintf(launch->transport_why, sizeof(launch->transport_why),
			 "this kernel has neither 9p nor virtiofs");
	return use_port(launch, err);
}

/* No virtio: completion times of its requests depend on the host. */
static enum status choose_shared_memory(struct launch *launch, struct error *err)
{
	launch->transport = JOB_TRANSPORT_SHARED_MEMORY;
	return modules_collect(&launch->kernel, FEATURE_NULL_BLOCK, &launch->modules, err);
}

/* The guest gets only the modules of the chosen transport: each one costs time and memory. */
enum status launch_choose_transport(struct launch *launch, struct error *err)
{
	struct machine *machine = &launch->boot.machine;
	unsigned int needed = FEATURE_PCI | FEATURE_PORT;
	if (launch->request->deterministic)
		return choose_shared_memory(launch, err);
	enum status status = modules_collect(&launch->kernel, FEATURE_ALL, &launch->modules, err);

	if (status == STATUS_OK)
		status = choose_way(launch, launch->request->transport, err);
	if (status != STATUS_OK)
		return status;
	machine->scratch_disk = !has(launch, FEATURE_NULL_BLOCK) && has(launch, FEATURE_VIRTIO_BLOCK);
	needed |= has(launch, FEATURE_NULL_BLOCK) ? FEATURE_NULL_BLOCK
		  : machine->scratch_disk         ? FEATURE_VIRTIO_BLOCK
						  : 0;
	needed |= machine->share == SHARE_9P ? FEATURE_9P : machine->share == SHARE_VIRTIOFS ? FEATURE_VIRTIOFS : 0;
	modules_keep(&launch->modules, needed);
	return STATUS_OK;
}
