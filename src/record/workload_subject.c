/* SPDX-License-Identifier: MIT */
#include "record/workload_subject.h"

static struct workload_subject *workload_of(const struct subject *subject)
{
	return (struct workload_subject *)(uintptr_t)subject;
}

static void kill_workload(void *context)
{
	struct workload_subject *workload = context;

	workload_end(workload->run);
	workload->run = NULL;
}

static enum status prepare_workload(struct subject *subject, const struct cpu_layout *cpus,
				    const struct capture_session *session, struct error *err)
{
	struct workload_subject *workload = workload_of(subject);

	(void)cpus;
	(void)session;
	enum status status = workload_prepare(&workload->request, &workload->run, err);
	cleanup_add(&workload->cleanup, kill_workload, workload);
	return status;
}

static enum status start_workload(struct subject *subject, struct error *err)
{
	return workload_start(workload_of(subject)->run, err);
}

static size_t list_workload_descriptors(const struct subject *subject, struct pollfd *wait)
{
	wait[0] = (struct pollfd){.fd = workload_descriptor(workload_of(subject)->run), .events = POLLIN};
	return 1;
}

static bool workload_ended(struct subject *subject)
{
	return workload_is_over(workload_of(subject)->run);
}

static enum status finish_workload(struct subject *subject, struct error *err)
{
	struct workload_subject *workload = workload_of(subject);

	return workload_wait(workload->run, &workload->result, err);
}

static void end_workload(struct subject *subject)
{
	cleanup_finish(&workload_of(subject)->cleanup);
}

void workload_subject_make(struct workload_subject *subject, const struct workload_request *request)
{
	static const struct subject_actions actions = {
	    .prepare = prepare_workload,
	    .start = start_workload,
	    .descriptors = list_workload_descriptors,
	    .has_ended = workload_ended,
	    .finish = finish_workload,
	    .end = end_workload,
	};

	*subject = (struct workload_subject){.subject = {.actions = &actions}, .request = *request};
}
