/* SPDX-License-Identifier: MIT */
#include "trace/format/tracedat.h"

#include <stdlib.h>

void tracedat_free(struct tracedat *trace)
{
	event_format_table_free(&trace->events);
	free(trace->cpus);
	*trace = (struct tracedat){.cmdlines = ""};
}
