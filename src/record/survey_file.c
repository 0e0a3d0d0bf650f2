/* SPDX-License-Identifier: MIT */
#include "record/survey_file.h"

#include "base/file.h"
#include "trace/format/tracedat_read.h"
#include "trace/stream.h"

enum status survey_file(const char *path, struct trace_survey *survey, struct error *err)
{
	struct mapping file;
	struct tracedat trace;
	enum status status = file_map(path, &file, err);

	if (status != STATUS_OK)
		return status;
	status = tracedat_parse(file.bytes, file.length, path, &trace, err);
	if (status == STATUS_OK) {
		status = trace_survey_make(&trace, path, survey, err);
		tracedat_free(&trace);
	}
	file_unmap(&file);
	return status;
}

bool survey_reads_clock(const char *clock)
{
	return sched_clock_counts_ns(clock);
}
