/* SPDX-License-Identifier: MIT
 *
 * The agent inside the virtual machine: does the job in /job. Traces are recorded into the guest's memory; each is sent
 * to the host and removed before the next run. */
#ifndef GUEST_AGENT_H
#define GUEST_AGENT_H

/* Returns the exit code: picknext's own, or one of vm/protocol/job.h. */
int guest_run_job(void);

#endif
