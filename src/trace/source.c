/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/format/text_kind.h"
#include "trace/text_events.h"

struct sched_source {
	const struct tracedat *trace; /* NULL for a text trace */
	struct sched_stream *stream;
	struct text_events *text;
	const struct text_kind *text_kind; /* NULL: not known */
	bool is_kernel_text;               /* the kernel's usual text: a row can have its words */
	char *name;
	struct leave_reason_table leave_reasons;
	struct trace_scope scope;
};

static void render(const void *context, uint64_t prev_state, char *text, size_t size)
{
	sched_source_state_text(context, prev_state, text, size);
}

static struct sched_source *make(const char *name)
{
	struct sched_source *source = xcalloc(1, sizeof(*source));

	source->name = xstrdup(name);
	source->leave_reasons.text = render;
	source->leave_reasons.context = source;
	return source;
}

enum status sched_source_open_dat(const struct tracedat *trace, const char *name, struct sched_source **source,
				  struct error *err)
{
	*source = make(name);
	(*source)->trace = trace;
	enum status status = sched_stream_open(trace, name, &(*source)->stream, err);
	if (status != STATUS_OK) {
		sched_source_close(*source);
		*source = NULL;
		return status;
	}
	trace_scope_open(&(*source)->scope, trace);
	sched_stream_tell_gaps((*source)->stream);
	return STATUS_OK;
}

/* Reads ahead: the results of the text include its first lines. */
static enum status refuse_text(const struct sched_source *source, const struct ftrace_text *text, struct error *err)
{
	const struct text_kind *kind = source->text_kind;

	if (kind && kind->refusal) {
		error_set(err, STATUS_UNSUPPORTED, source->name, "%s", kind->refusal);
		error_remedy(err, "%s", kind->remedy);
		return STATUS_UNSUPPORTED;
	}
	if (source->text->order.count || !text->malformed_lines)
		return STATUS_OK;
	return error_set(err, STATUS_UNSUPPORTED, source->name,
			 "line %llu: not a kernel text trace; expected lines like TASK-PID [CPU] FLAGS SECONDS: EVENT",
			 (unsigned long long)text->first_malformed_line);
}

enum status sched_source_open_text(const char *bytes, size_t length, const char *name, struct sched_source **source,
				   struct error *err)
{
	struct sched_source *made = make(name);

	*source = NULL;
	made->text = xcalloc(1, sizeof(*made->text));
	made->text_kind = text_kind_find(bytes, length);
	made->is_kernel_text = made->text_kind == text_kind_usual();
	text_events_open(made->text, bytes, length);
	const enum status status = refuse_text(made, sched_source_text(made), err);
	if (status != STATUS_OK) {
		sched_source_close(made);
		return status;
	}
	*source = made;
	return STATUS_OK;
}

const struct text_order *sched_source_text_order(const struct sched_source *source)
{
	return source->text ? &source->text->order : NULL;
}

const struct text_kind *sched_source_text_kind(const struct sched_source *source)
{
	return source->text_kind;
}

void sched_source_switches_only(struct sched_source *source)
{
	if (source->text && source->is_kernel_text)
		source->text->switches_only = true;
}

void sched_source_close(struct sched_source *source)
{
	if (!source)
		return;
	sched_stream_close(source->stream);
	trace_scope_free(&source->scope);
	if (source->text)
		text_order_free(&source->text->order);
	free(source->text);
	free(source->name);
	free(source);
}

enum status sched_source_next(struct sched_source *source, struct sched_event *event, struct error *err)
{
	if (source->stream)
		return sched_stream_next(source->stream, event, err);
	return text_events_next(source->text, event) ? STATUS_OK : STATUS_END;
}

void sched_source_state_text(const struct sched_source *source, uint64_t prev_state, char *text, size_t size)
{
	if (source->stream) {
		sched_state_text(source->stream, prev_state, text, size);
		return;
	}
	text_events_state(source->text, prev_state, text, size);
}

struct leave_reason_table *sched_source_leave_reasons(struct sched_source *source)
{
	return &source->leave_reasons;
}

static bool find_name(const void *context, int32_t pid, struct sched_comm *comm)
{
	return text_events_find_name(context, pid, comm);
}

struct running_names sched_source_names(const struct sched_source *source)
{
	return (struct running_names){source->text ? find_name : NULL, source->text};
}

void sched_source_losses(const struct sched_source *source, struct losses *losses)
{
	if (source->stream) {
		sched_stream_losses(source->stream, losses);
		return;
	}
	struct ftrace_text text;
	text_order_sum(&source->text->order, &text);
	for (size_t i = 0; i < text.loss_count; i++)
		losses_add(losses, &text.losses[i]);
}

uint64_t sched_source_overwritten(const struct sched_source *source)
{
	uint64_t events = 0;

	for (size_t i = 0; source->text && i < source->text->order.part_count; i++)
		events += source->text->order.parts[i].overwritten;
	return events;
}

uint64_t sched_source_entries(const struct sched_source *source)
{
	uint64_t events = 0;

	for (size_t i = 0; source->text && i < source->text->order.part_count; i++)
		events += source->text->order.parts[i].entries;
	return events;
}

uint64_t sched_source_before_first(const struct sched_source *source)
{
	uint64_t events = sched_source_overwritten(source);

	for (size_t i = 0; source->trace && i < source->trace->cpu_count; i++)
		events += source->trace->cpus[i].overwritten;
	return events;
}

uint64_t sched_source_backwards(const struct sched_source *source, uint64_t *max_ns)
{
	if (source->stream)
		return sched_stream_backwards(source->stream, max_ns);
	const struct text_order *order = &source->text->order;
	*max_ns = order->backwards_max_ns > order->late_max_ns ? order->backwards_max_ns : order->late_max_ns;
	return order->backwards_events + order->late_events;
}

uint64_t sched_source_malformed(const struct sched_source *source)
{
	uint64_t lines = source->text ? source->text->unread_events : 0;

	for (size_t i = 0; source->text && i < source->text->order.part_count; i++)
		lines += source->text->order.parts[i].malformed_lines;
	return lines;
}

const struct trace_scope *sched_source_scope(const struct sched_source *source)
{
	return &source->scope;
}

struct sched_stream *sched_source_stream(const struct sched_source *source)
{
	return source->stream;
}

uint64_t sched_source_dropped(const struct sched_source *source)
{
	uint64_t events = 0;

	for (size_t i = 0; source->trace && i < source->trace->cpu_count; i++)
		events += source->trace->cpus[i].dropped_events;
	return events;
}

uint64_t sched_source_dropped_last(const struct sched_source *source)
{
	return source->stream ? sched_stream_dropped_last(source->stream) : 0;
}

const char *sched_source_clock(const struct sched_source *source)
{
	return source->trace ? source->trace->clock : NULL;
}

bool sched_source_starts_late(const struct sched_source *source, uint32_t cpu)
{
	for (size_t i = 0; source->trace && i < source->trace->cpu_count; i++)
		if (source->trace->cpus[i].cpu == cpu)
			return sched_stream_starts_late(source->stream, i);
	return false;
}

const struct ftrace_text *sched_source_text(const struct sched_source *source)
{
	if (!source->text)
		return NULL;
	text_order_sum(&source->text->order, &source->text->sum);
	return &source->text->sum;
}

const struct ftrace_text_switch *sched_source_text_switch(const struct sched_source *source)
{
	return source->text->last && source->is_kernel_text ? &source->text->last->switched : NULL;
}
