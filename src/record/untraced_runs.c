/* SPDX-License-Identifier: MIT */
#include "record/untraced_runs.h"

#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "capture/cpus.h"

#define BEAT_MS 1000

typedef void beat_function(void *context, const struct workload *workload, unsigned int run);

static enum status one_run(const struct collection_request *request, const struct workload_request *one,
			   unsigned int run, beat_function *beat, struct workload_result *result, struct error *err)
{
	struct workload_run *tasks = NULL;
	enum status status = workload_prepare(one, &tasks, err);

	if (status == STATUS_OK)
		status = workload_start(tasks, err);
	if (status == STATUS_OK) {
		struct pollfd wait[2] = {
		    {.fd = (int)syscall(SYS_pidfd_open, workload_leader(tasks), 0), .events = POLLIN},
		    {.fd = interrupt_fd(), .events = POLLIN}};
		while (wait[0].fd >= 0 && poll(wait, 2, BEAT_MS) == 0)
			beat(request->context, one->workload, run);
		if (wait[0].fd >= 0)
			close(wait[0].fd);
		status = workload_wait(tasks, result, err);
	}
	workload_end(tasks);
	return status;
}

enum status untraced_runs(const struct collection_request *request, beat_function *beat,
			  enum status (*done)(void *context, const char *run_id, const struct workload_result *result,
					      struct error *err),
			  struct error *err)
{
	struct cpu_layout cpus;
	char run_id[160];
	enum status status = cpu_layout_read(&cpus, err);

	for (size_t i = 0; i < request->workload_count; i++)
		for (unsigned int run = 0; run < request->runs && status == STATUS_OK; run++) {
			struct workload_request one = {.workload = request->workloads[i],
						       .scale = request->scale,
						       .duration_s = request->duration_s,
						       .fixed_work = request->fixed_work,
						       .cpus = cpus.workload};
			struct workload_result result = {0};
			status = one_run(request, &one, run, beat, &result, err);
			snprintf(run_id, sizeof(run_id), "%.128s_run%u", one.workload->name, run + request->first_run);
			if (status == STATUS_OK)
				status = done(request->context, run_id, &result, err);
		}
	return status;
}
