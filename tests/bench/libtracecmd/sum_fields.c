/* SPDX-License-Identifier: MIT
 *
 * sum_fields TRACE: reads each event of a trace.dat in the order of time with libtracecmd, decodes each number of it
 * with libtraceevent, and adds them up. Prints only the events and the sum, at the end: the least that a program over
 * these libraries does to read a trace. */
#include <inttypes.h>
#include <stdio.h>

#include <event-parse.h>
#include <trace-cmd.h>

struct sum {
	uint64_t events, fields, total;
};

static int add_event(struct tracecmd_input *input, struct tep_record *record, int cpu, void *context)
{
	struct sum *sum = context;
	struct tep_event *event = tep_find_event_by_record(tracecmd_get_tep(input), record);

	sum->events++;
	sum->total += record->ts + (uint64_t)cpu;
	for (struct tep_format_field *field = event ? event->format.fields : NULL; field; field = field->next) {
		unsigned long long value;
		if ((field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING)) ||
		    tep_read_number_field(field, record->data, &value) != 0)
			continue;
		sum->fields++;
		sum->total += value;
	}
	return 0;
}

int main(int count, char **words)
{
	struct tracecmd_input *input = count == 2 ? tracecmd_open(words[1], 0) : NULL;
	struct sum sum = {0};

	if (!input || tracecmd_iterate_events(input, NULL, 0, add_event, &sum) < 0)
		return fprintf(stderr, "sum_fields: cannot read the trace\n"), 1;
	tracecmd_close(input);
	return printf("%" PRIu64 " events, %" PRIu64 " fields, sum %" PRIu64 "\n", sum.events, sum.fields, sum.total) <
	       0;
}
