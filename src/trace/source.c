/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/text_events.h"

struct sched_source {
	const struct tracedat *trace; /* NULL for a text trace */
	struct sched_stream *stream;
	struct text_events *text;
	char *name;
	bool has_first; /* of a text trace: the first event was read ahead, to parse the header */
	bool first_given;
	struct sched_event first;
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

enum status sched_source_open_text(const char *bytes, size_t length, const char *name, struct sched_source **source,
				   struct error *err)
{
	struct sched_source *made = make(name);

	*source = NULL;
	made->text = xcalloc(1, sizeof(*made->text));
	ftrace_text_open(&made->text->text, bytes, length);
	made->has_first = text_events_next(made->text, &made->first);
	if (!made->has_first && made->text->text.malformed_lines && !made->text->text.other_events) {
		error_set(err, STATUS_UNSUPPORTED, name,
			  "line %llu: not a kernel text trace; expected lines like TASK-PID [CPU] FLAGS SECONDS: EVENT",
			  (unsigned long long)made->text->text.first_malformed_line);
		sched_source_close(made);
		return STATUS_UNSUPPORTED;
	}
	*source = made;
	return STATUS_OK;
}

void sched_source_switches_only(struct sched_source *source)
{
	if (source->text)
		source->text->switches_only = true;
}

void sched_source_close(struct sched_source *source)
{
	if (!source)
		return;
	sched_stream_close(source->stream);
	trace_scope_free(&source->scope);
	free(source->text);
	free(source->name);
	free(source);
}

enum status sched_source_next(struct sched_source *source, struct sched_event *event, struct error *err)
{
	if (source->stream)
		return sched_stream_next(source->stream, event, err);
	if (source->has_first && !source->first_given) {
		source->first_given = true;
		*event = source->first;
		return STATUS_OK;
	}
	return text_events_next(source->text, event) ? STATUS_OK : STATUS_END;
}

void sched_source_state_text(const struct sched_source *source, uint64_t prev_state, char *text, size_t size)
{
	if (source->stream) {
		sched_state_text(source->stream, prev_state, text, size);
		return;
	}
	const char *state = prev_state < source->text->state_count ? source->text->states[prev_state] : "?";
	size_t length = strlen(state) < size ? strlen(state) : size - 1;
	memcpy(text, state, length);
	text[length] = '\0';
}

struct leave_reason_table *sched_source_leave_reasons(struct sched_source *source)
{
	return &source->leave_reasons;
}

void sched_source_losses(const struct sched_source *source, struct losses *losses)
{
	if (source->stream) {
		sched_stream_losses(source->stream, losses);
		return;
	}
	const struct ftrace_text *text = &source->text->text;
	for (size_t i = 0; i < text->loss_count; i++)
		losses_add(losses, &text->losses[i]);
}

uint64_t sched_source_overwritten(const struct sched_source *source)
{
	return source->text ? source->text->text.overwritten : 0;
}

uint64_t sched_source_backwards(const struct sched_source *source, uint64_t *max_ns)
{
	if (source->stream)
		return sched_stream_backwards(source->stream, max_ns);
	*max_ns = source->text->backwards_max_ns;
	return source->text->backwards_events;
}

uint64_t sched_source_malformed(const struct sched_source *source)
{
	return source->text ? source->text->text.malformed_lines + source->text->unread_events : 0;
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
	return source->text ? &source->text->text : NULL;
}

const struct ftrace_text_switch *sched_source_text_switch(const struct sched_source *source)
{
	return &source->text->last_switch;
}
