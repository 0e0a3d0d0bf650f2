/* SPDX-License-Identifier: MIT
 *
 * Metadata common to all runs: the machine, its kernel, its CPUs. */
#ifndef RECORD_HOST_FACTS_H
#define RECORD_HOST_FACTS_H

#include <sys/utsname.h>

#include "base/clock.h"
#include "base/cpu_list.h"
#include "record/tracefs/cpus.h"
#include "record/tracefs/host_machine.h"
#include "runs/metadata.h"

#define BUILD_ID_TEXT_SIZE 65

/* host points into other members: do not copy the struct. */
struct host_facts {
	struct run_host host;
	struct utsname system;
	struct host_machine machine;
	struct run_tunable tunables[HOST_TUNABLES_MAX];
	char collected_at[UTC_TEXT_SIZE];
	char command_line[4096];
	char build_id[BUILD_ID_TEXT_SIZE];
	char cpu_model[CPU_MODEL_SIZE];
};

void host_facts_read(struct host_facts *facts, const struct cpu_layout *cpus);

/* True in the initial PID namespace, where process ids are those of the trace; false in a container's. */
bool has_kernel_pids(void);

#endif
