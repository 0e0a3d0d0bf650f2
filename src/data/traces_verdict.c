/* SPDX-License-Identifier: MIT */
#include "data/traces_verdict.h"

#include <string.h>

#include "base/buffer.h"
#include "data/notice.h"

#define KERNELS_SHOWN 4

/* NULL: unknown. */
static const char *kernel_of(const struct traces *traces, size_t at)
{
	return traces->items[at].run.metadata.host.kernel;
}

static bool is_of_kernel(const struct traces *traces, size_t at, const char *kernel)
{
	return kernel_of(traces, at) && strcmp(kernel_of(traces, at), kernel) == 0;
}

static bool is_first_of_kernel(const struct traces *traces, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_of_kernel(traces, i, kernel_of(traces, at)))
			return false;
	return true;
}

static size_t count_of_kernel(const struct traces *traces, const char *kernel)
{
	size_t count = 0;

	for (size_t i = 0; i < traces->count; i++)
		count += is_of_kernel(traces, i, kernel);
	return count;
}

void traces_warn_kernels(const struct dataset_listener *listener, const struct traces *traces)
{
	struct buffer names = {0};
	size_t kernels = 0;

	for (size_t i = 0; i < traces->count; i++) {
		const char *kernel = kernel_of(traces, i);
		if (!kernel || !is_first_of_kernel(traces, i))
			continue;
		if (kernels++ < KERNELS_SHOWN)
			buffer_printf(&names, "%s%s: %zu", kernels > 1 ? ", " : "", kernel,
				      count_of_kernel(traces, kernel));
	}
	if (kernels > 1)
		notice_warning(
		    listener,
		    "the traces are of %zu kernels (%s%s), and no column names the kernel; build one dataset "
		    "per kernel, or --task decision, which has such a column",
		    kernels, names.data, kernels > KERNELS_SHOWN ? ", ..." : "");
	buffer_free(&names);
}

static bool has_finding(const struct dataset_trace *trace)
{
	return trace->malformed_lines || trace->backward_steps || trace->corrected_times || trace->skipped_buffers ||
	       trace->followed_only || trace->events == 0;
}

static void add_count(struct buffer *out, size_t count, const char *what)
{
	if (count)
		buffer_printf(out, "%s%zu %s", out->length ? ", " : "", count, what);
}

void traces_report_verdict(const struct dataset_listener *listener, const struct traces *traces)
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
	notice_information(listener, "%zu trace%s: %s; picknext check reports more about each", traces->count,
			   traces->count == 1 ? "" : "s", text.length ? text.data : "none lost events or failed");
	buffer_free(&text);
}
