/* SPDX-License-Identifier: MIT
 *
 * Converts the words of a job to the requested collection. */
#ifndef GUEST_JOB_REQUEST_H
#define GUEST_JOB_REQUEST_H

#include "record/collection_request.h"
#include "runs/recipe.h"
#include "vm/protocol/job.h"

/* The options of picknext vm that a guest reads: those of no scope (base/options.h). */
struct job_options {
	struct collection_request collection;
	bool no_trace, shell;
};

extern const struct command job_command; /* only to parse the words of a job */

/* Storage of what the request of a job points to. */
struct job_values {
	char *argv[JOB_WORDS_MAX + 1];
	struct job_options options;
	struct recipe recipe;
};

/* Fills the request, values->options.collection, from the words of the job, which must outlive it. Same errors as
 * options_parse(). */
enum status job_request_parse(const struct job *job, struct job_values *values, struct error *err);
/* The same from parsed options. */
enum status job_request_fill(struct collection_request *request, const struct job *job, struct error *err);

#endif
