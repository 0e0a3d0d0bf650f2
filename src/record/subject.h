/* SPDX-License-Identifier: MIT
 *
 * The tasks that the recorder runs or watches: a workload, a command, processes. A subject is a struct that begins with
 * struct subject; the whole machine needs none. */
#ifndef RECORD_SUBJECT_H
#define RECORD_SUBJECT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/options.h"
#include "record/tracefs/cpus.h"
#include "record/tracefs/session.h"

/* Descriptors of one subject. */
#define SUBJECT_DESCRIPTORS_MAX OPTION_LIST_MAX

struct subject;

/* In the order of the calls. Each may be NULL. */
struct subject_actions {
	/* Makes its tasks, up to the barrier. The session is set up and does not trace yet; NULL: nothing is traced. */
	enum status (*prepare)(struct subject *subject, const struct cpu_layout *cpus,
			       const struct capture_session *session, struct error *err);
	/* Opens the barrier; tracing is on. */
	enum status (*start)(struct subject *subject, struct error *err);
	/* Fills in descriptors for poll(), up to SUBJECT_DESCRIPTORS_MAX, and returns their number. They become
	 * readable when the subject may have ended. */
	size_t (*descriptors)(const struct subject *subject, struct pollfd *wait);
	bool (*has_ended)(struct subject *subject);
	/* Sends a signal that picknext received to a subject that did not end by itself shortly after. */
	void (*pass_signal)(struct subject *subject, int number);
	/* Collects the result before tracing stops. STATUS_INTERRUPTED: a signal came first, so there is no result. */
	enum status (*finish)(struct subject *subject, struct error *err);
	/* Ends processes that must not outlive the session. Always called. */
	void (*end)(struct subject *subject);
};

struct subject {
	const struct subject_actions *actions;
	/* Only events of these threads and their descendants are recorded. Count 0: of all threads. */
	const pid_t *threads;
	size_t thread_count;
};

#endif
