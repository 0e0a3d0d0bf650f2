/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "data/traces.h"

#define KERNELS_SHOWN 4

enum status trace_refuse_lossy(const struct dataset_trace *trace, struct error *err)
{
	const struct losses *losses = &trace->run.losses;
	struct buffer text = {0};

	losses_describe(losses, &text);
	error_set(err, STATUS_LOST, trace->run.path, "lost %s", text.data ? text.data : "events");
	buffer_free(&text);
	if (losses->count == 0 || losses->incomplete)
		return error_remedy(err, "record or copy it again, or include it with --allow lossy");
	return error_remedy(err, "record it again with a larger --buffer-size, or include it with --allow lossy");
}

void trace_report_findings(const struct dataset_request *request, const struct dataset_trace *trace)
{
	if (trace->failure)
		dataset_notice(request, MESSAGE_WARNING, "%s: %s", trace->run.path, trace->failure);
	if (trace->malformed_lines)
		dataset_notice(request, MESSAGE_WARNING,
			       "%s: %" PRIu64 " malformed line%s skipped, first: line %" PRIu64, trace->run.path,
			       trace->malformed_lines, trace->malformed_lines == 1 ? "" : "s",
			       trace->first_malformed_line);
	if (trace->backward_steps)
		dataset_notice(request, MESSAGE_WARNING,
			       "%s: time goes backwards at %" PRIu64 " switch%s, whose time_diff is negative",
			       trace->run.path, trace->backward_steps, trace->backward_steps == 1 ? "" : "es");
	if (trace->corrected_times)
		dataset_notice(request, MESSAGE_WARNING,
			       "%s: the trace clock went backwards at %" PRIu64 " event%s, by %" PRIu64
			       " ns at most; these events have the time of the event before",
			       trace->run.path, trace->corrected_times, trace->corrected_times == 1 ? "" : "s",
			       trace->max_corrected_ns);
	if (trace->skipped_buffers)
		dataset_notice(request, MESSAGE_WARNING,
			       "%s: only its main buffer is read; instance buffers skipped: %" PRIu32, trace->run.path,
			       trace->skipped_buffers);
	if (trace->followed_only)
		dataset_notice(request, MESSAGE_WARNING,
			       "%s: record --pid followed some tasks: only switches to or from these are rows",
			       trace->run.path);
	if (trace->switches == 0)
		dataset_notice(request, MESSAGE_WARNING, "%s: holds no sched_switch event", trace->run.path);
}

void traces_warn_unlabelled(const struct dataset_request *request, const struct traces *traces)
{
	const struct dataset_trace *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < traces->count; i++) {
		const struct dataset_trace *trace = &traces->items[i];
		if (trace->run.is_text || trace->has_labels)
			continue;
		first = first ? first : trace;
		count++;
	}
	if (count)
		dataset_notice(request, MESSAGE_WARNING,
			       "%s: no metadata in %s.json, so its workload is '%s' and its category '%s'%s",
			       first->run.path, first->run.id, first->run.workload, first->run.category,
			       count > 1 ? "; other traces lack metadata too" : "");
}

void traces_warn_kernels(const struct dataset_request *request, const struct traces *traces)
{
	struct buffer names = {0};
	size_t kernels = 0;

	for (size_t i = 0; i < traces->count; i++) {
		const char *kernel = traces->items[i].kernel;
		size_t earlier = 0, count = 0;
		for (size_t other = 0; other < traces->count; other++) {
			const bool is_same = strcmp(traces->items[other].kernel, kernel) == 0;
			earlier += is_same && other < i;
			count += is_same;
		}
		if (!*kernel || earlier)
			continue;
		if (kernels++ < KERNELS_SHOWN)
			buffer_printf(&names, "%s%s: %zu", kernels > 1 ? ", " : "", kernel, count);
	}
	if (kernels > 1)
		dataset_notice(
		    request, MESSAGE_WARNING,
		    "the traces are of %zu kernels (%s%s), and no column names the kernel; build one dataset "
		    "per kernel, or --task pick, which has such a column",
		    kernels, names.data, kernels > KERNELS_SHOWN ? ", ..." : "");
	buffer_free(&names);
}

void traces_note_machines(const struct dataset_request *request, const struct traces *traces)
{
	size_t count = 0;

	for (size_t i = 0; i < traces->count; i++) {
		const struct run *run = &traces->items[i].run;
		count += run_has_metadata(run) && json_member(run->metadata.document, "accelerator") &&
			 !run->metadata.work.accelerator && !traces->items[i].followed_only;
	}
	if (count && traces->count == 1)
		dataset_notice(request, MESSAGE_INFO,
			       "the trace is of a machine: rows are of all its tasks, not only of the workload's");
	else if (count)
		dataset_notice(
		    request, MESSAGE_INFO,
		    "%zu of %zu traces %s of a machine: rows are of all its tasks, not only of the workload's", count,
		    traces->count, count == 1 ? "is" : "are");
}

static bool has_finding(const struct dataset_trace *trace)
{
	return trace->malformed_lines || trace->backward_steps || trace->corrected_times || trace->skipped_buffers ||
	       trace->followed_only || trace->switches == 0;
}

static void add_count(struct buffer *out, size_t count, const char *what)
{
	if (count)
		buffer_printf(out, "%s%zu %s", out->length ? ", " : "", count, what);
}

void traces_report_verdict(const struct dataset_request *request, const struct traces *traces)
{
	struct buffer text = {0};
	size_t lossy = 0, failed = 0, others = 0;

	for (size_t i = 0; i < traces->count; i++) {
		lossy += losses_any(&traces->items[i].run.losses);
		failed += traces->items[i].failure != NULL;
		others += has_finding(&traces->items[i]);
	}
	add_count(&text, lossy, "with lost events");
	add_count(&text, failed, "of failed commands");
	add_count(&text, others, "with other findings (above)");
	dataset_notice(request, MESSAGE_INFO, "%zu trace%s: %s; picknext check reports more about each", traces->count,
		       traces->count == 1 ? "" : "s", text.length ? text.data : "none lost events or failed");
	buffer_free(&text);
}
