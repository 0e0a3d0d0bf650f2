/* SPDX-License-Identifier: MIT */
#include "trace/trace_survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/cpu_reader.h"
#include "trace/key_fields.h"

/* Event IDs, or -1 if the trace has no such event. common_type is the first field of every event. */
struct kinds {
	int64_t switched, mark, key_switch;
};

static int64_t number_of(const struct tracedat *trace, const char *system, const char *name)
{
	const struct event_format *format = event_format_find(&trace->events, system, name);

	return format ? (int64_t)format->id : -1;
}

static enum status survey_cpu(const struct tracedat *trace, const struct tracedat_cpu *cpu, const char *name,
			      struct kinds kinds, const struct trace_survey_visitor *visitor,
			      struct trace_survey *survey, struct trace_survey_cpu *found, struct error *err)
{
	struct cpu_reader reader;
	enum status status;

	*found = (struct trace_survey_cpu){.cpu = cpu->cpu};
	cpu_reader_start(&reader, trace, cpu, name);
	while ((status = cpu_reader_next(&reader, err)) == STATUS_OK) {
		uint16_t type = 0;
		if (reader.record.length >= sizeof(type))
			memcpy(&type, reader.record.data, sizeof(type));
		survey->switches += type == kinds.switched;
		survey->marks += type == kinds.mark;
		survey->key_switches += type == kinds.key_switch;
		if (found->events++ == 0)
			found->first_ts = reader.record.ts;
		found->last_ts = reader.record.ts;
		if (visitor)
			visitor->visit(visitor->context, &reader.record);
	}
	found->missing = reader.missed_events;
	found->missing_places = reader.missed_ranges;
	survey->events += found->events;
	return status == STATUS_END ? STATUS_OK : status;
}

enum status trace_survey_make(const struct tracedat *trace, const char *name,
			      const struct trace_survey_visitor *visitor, struct trace_survey *survey,
			      struct error *err)
{
	struct kinds kinds = {number_of(trace, "sched", "sched_switch"), number_of(trace, "ftrace", "print"),
			      number_of(trace, KEY_EVENTS_SYSTEM, key_event_rows[KEY_ROW_SWITCH].name)};
	enum status status = STATUS_OK;

	*survey = (struct trace_survey){.cpu_count = trace->cpu_count};
	survey->cpus = xcalloc(trace->cpu_count + 1, sizeof(*survey->cpus));
	for (size_t i = 0; i < trace->cpu_count && status == STATUS_OK; i++)
		status = survey_cpu(trace, &trace->cpus[i], name, kinds, visitor, survey, &survey->cpus[i], err);
	if (status != STATUS_OK)
		trace_survey_free(survey);
	return status;
}

void trace_survey_free(struct trace_survey *survey)
{
	free(survey->cpus);
	*survey = (struct trace_survey){0};
}
