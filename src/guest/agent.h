/* SPDX-License-Identifier: MIT
 *
 * The agent inside the virtual machine: does the job in /job. Traces are recorded into the guest's memory; each is sent
 * to the host and removed before the next run. */
#ifndef GUEST_AGENT_H
#define GUEST_AGENT_H

#include "base/error.h"
#include "record/collection.h"
#include "vm/protocol/job.h"

/* The options of picknext vm belong to cmd/. */
struct guest_parser {
	/* Fills request from the words of the job; its pointers stay valid for the whole job. */
	enum status (*parse)(const struct guest_parser *parser, const struct job *job,
			     struct collection_request *request, struct error *err);
	void *context;
};

/* Returns the exit code: picknext's own, or JOB_EXIT_FULL, JOB_EXIT_COMMAND. The caller has called
 * interrupt_catch(). */
int guest_run_job(const struct guest_parser *parser);

#endif
