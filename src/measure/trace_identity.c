/* SPDX-License-Identifier: MIT */
#include "measure/trace_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/format/kernel_name.h"

static bool is_other_kernel(const struct run *run, const struct pass *pass, char text[TRACE_IDENTITY_SIZE])
{
	const struct sched_stream *stream = sched_source_stream(pass->run.source);
	const char *recorded = run->metadata.host.kernel;
	struct kernel_name kernel;

	if (!stream || !recorded || !*recorded)
		return false;
	kernel_name_parse(sched_stream_trace(stream)->uname, &kernel);
	if (!kernel.release[0] || strncmp(recorded, kernel.release, 64) == 0)
		return false;
	snprintf(text, TRACE_IDENTITY_SIZE, "not the trace that %.64s.json describes: its kernel is %.64s, there %.64s",
		 run->id, kernel.release, recorded);
	return true;
}

static bool has_other_events(const struct run *run, const struct pass *pass, char text[TRACE_IDENTITY_SIZE])
{
	const uint64_t recorded = run->metadata.events, events = pass->trace.quality.events;
	const bool is_whole = pass_begins_with_trace(pass) && !pass->is_over && !pass->trace.quality.ends_early;

	if (!sched_source_stream(pass->run.source) || !recorded || !is_whole || recorded == events)
		return false;
	snprintf(text, TRACE_IDENTITY_SIZE,
		 "not the trace that %.64s.json describes: its events are %" PRIu64 ", there %" PRIu64, run->id, events,
		 recorded);
	return true;
}

bool trace_identity_differs(const struct run *run, const struct pass *pass, char text[TRACE_IDENTITY_SIZE])
{
	return is_other_kernel(run, pass, text) || has_other_events(run, pass, text);
}
