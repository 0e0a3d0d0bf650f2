/* SPDX-License-Identifier: MIT */
#include "measure/trace_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/format/kernel_name.h"

struct trace_identity trace_identity_of_source(const struct sched_source *source, uint64_t events, bool is_whole)
{
	const struct sched_stream *stream = sched_source_stream(source);

	return (struct trace_identity){
	    .uname = stream ? sched_stream_trace(stream)->uname : NULL, .events = events, .is_whole = is_whole};
}

struct trace_identity trace_identity_of_pass(const struct pass *pass)
{
	return trace_identity_of_source(pass->run.source, pass->trace.quality.events,
					pass_begins_with_trace(pass) && !pass->is_over && !pass->summary.is_of_part &&
					    !pass->trace.quality.ends_early);
}

enum comparison { NOT_COMPARED, SAME, OTHER };

static enum comparison compare_kernel(const char *recorded, const char *uname, struct kernel_name *kernel)
{
	if (!uname || !recorded || !*recorded)
		return NOT_COMPARED;
	kernel_name_parse(uname, kernel);
	return !kernel->release[0] ? NOT_COMPARED : strncmp(recorded, kernel->release, 64) == 0 ? SAME : OTHER;
}

static enum comparison compare_events(uint64_t recorded, const struct trace_identity *trace)
{
	if (!trace->uname || !recorded || !trace->is_whole)
		return NOT_COMPARED;
	return recorded == trace->events ? SAME : OTHER;
}

static const char *text_of_same(enum comparison kernel, enum comparison events, bool is_whole)
{
	if (kernel == SAME && events == SAME)
		return "kernel and number of events match the trace";
	if (kernel == SAME)
		return is_whole ? "the kernel matches the trace; the number of events is unknown"
				: "the kernel matches the trace; events of a part are not compared";
	if (events == SAME)
		return "the number of events matches the trace; the kernel is unknown";
	return "they have neither kernel nor events to compare with this trace";
}

void trace_identity_judge(const struct run *run, const struct trace_identity *trace, struct quality_finding *finding)
{
	const uint64_t recorded = run->metadata.events;
	struct kernel_name name;
	const enum comparison kernel = compare_kernel(run->metadata.host.kernel, trace->uname, &name),
			      events = compare_events(recorded, trace);

	*finding = (struct quality_finding){.name = "metadata"};
	if (kernel != OTHER && events != OTHER) {
		snprintf(finding->text, sizeof(finding->text), "%s", text_of_same(kernel, events, trace->is_whole));
		return;
	}
	finding->grade = QUALITY_BAD;
	finding->count = 1;
	snprintf(finding->remedy, sizeof(finding->remedy), "restore the file that was recorded, or leave the run out");
	if (kernel == OTHER)
		snprintf(finding->text, sizeof(finding->text),
			 "not the trace that %.64s.json describes: its kernel is %.64s, not %.64s", run->id,
			 name.release, run->metadata.host.kernel);
	else
		snprintf(finding->text, sizeof(finding->text),
			 "not the trace that %.64s.json describes: it has %" PRIu64 " events, not %" PRIu64, run->id,
			 trace->events, recorded);
}

void trace_identity_judge_pass(const struct pass *pass, struct quality_finding *finding)
{
	const struct trace_identity trace = trace_identity_of_pass(pass);
	const struct run *run = pass_described(pass);

	*finding = (struct quality_finding){.grade = QUALITY_GOOD};
	if (run)
		trace_identity_judge(run, &trace, finding);
}

enum status trace_identity_check(const struct run *run, const struct trace_identity *trace, struct error *err)
{
	struct quality_finding finding;

	trace_identity_judge(run, trace, &finding);
	return finding.grade == QUALITY_BAD ? quality_error(&finding, run->path, err) : STATUS_OK;
}
