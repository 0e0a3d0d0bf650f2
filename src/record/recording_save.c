/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"
#include "capture/dat_file.h"
#include "record/recording_state.h"
#include "record/stack_symbols.h"
#include "record/survey_file.h"

static void tell_losses(const struct recording *recording, const char *path)
{
	const struct recording_request *request = recording->request;

	message_warning(
	    "%s: %llu events were lost (%s): the trace buffer was full; raise --buffer-size (now %llu KB per "
	    "CPU)%s",
	    path, (unsigned long long)recording->losses.events, recording->losses.where,
	    (unsigned long long)request->settings.buffer_size_kb,
	    request->drain_ms       ? ", or read it out more often with a smaller --drain"
	    : request->flight_s > 0 ? ""
				    : ", or leave --no-drain out");
}

/* The kernel's count against ours; what flight left out is in the one only. */
static void check_count(const struct recording *recording, const char *path)
{
	uint64_t recorded = 0;

	for (unsigned int cpu = 0; cpu < capture_cpu_count(recording->session); cpu++)
		recorded += ring_stats_recorded(capture_stats(recording->session, cpu));
	if (recording->request->flight_s == 0 && recorded != recording->survey.events)
		message_warning("%s: the kernel counted %llu events, %llu were read out", path,
				(unsigned long long)recorded, (unsigned long long)recording->survey.events);
	if (capture_was_off(recording->session))
		message_warning("%s: %s", path, TRACE_LOSSES_WAS_OFF);
}

static void tell_flight(const struct recording *recording, const char *path)
{
	const struct flight *flight = &recording->flight;

	if (recording->request->flight_s > 0 && flight->short_cpu >= 0)
		message_warning(
		    "%s: the buffer of CPU %d holds only the last %.3f s of the %g s that were asked for; raise "
		    "--buffer-size (now %llu KB per CPU)",
		    path, flight->short_cpu, (double)(flight->end_ns - flight->start_ns) / 1e9,
		    recording->request->flight_s, (unsigned long long)recording->request->settings.buffer_size_kb);
}

static void tell(const struct recording *recording, const char *path)
{
	const struct trace_survey *survey = &recording->survey;
	char marks[48] = "";
	double kept_s = recording->end_s - recording->start_s;

	if (recording->request->flight_s > 0 && recording->flight.end_ns)
		kept_s = (double)(recording->flight.end_ns - recording->flight.start_ns) / 1e9;
	if (survey->marks)
		snprintf(marks, sizeof(marks), ", %llu mark%s", (unsigned long long)survey->marks,
			 survey->marks == 1 ? "" : "s");
	message_info("%s: %llu events, %llu switches%s in %.2f s%s", path, (unsigned long long)survey->events,
		     (unsigned long long)survey->switches, marks, kept_s,
		     recording->losses.events ? ", events lost" : ", none lost");
	for (size_t i = 0; i < survey->cpu_count; i++)
		message_detail("CPU %u: %llu events", survey->cpus[i].cpu, (unsigned long long)survey->cpus[i].events);
}

/* The two paths, of the Nth file where number is not 0. */
static enum status name_files(const struct recording *recording, unsigned int number, char *dat, char *json,
			      struct error *err)
{
	char suffix[32] = "";
	const char *stem = recording->request->stem;

	if (number)
		snprintf(suffix, sizeof(suffix), ".%u", number);
	if (snprintf(dat, PATH_MAX, "%s%s.dat", stem, suffix) < PATH_MAX &&
	    snprintf(json, PATH_MAX, "%s%s.json", stem, suffix) < PATH_MAX)
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, stem, "path is too long");
}

enum status recording_save(struct recording *recording, unsigned int number, struct error *err)
{
	char dat[PATH_MAX];
	char json[PATH_MAX];
	char trace_id[NAME_MAX + 1];
	struct spool *spool = recording->spool;
	enum status status = name_files(recording, number, dat, json, err);

	if (status == STATUS_OK && recording->request->flight_s > 0) {
		status = spool_take_rest(spool, err);
		if (status == STATUS_OK)
			status = flight_cut(spool, recording->request->flight_s, &recording->flight, err);
		if (status != STATUS_OK)
			dat_file_keep(recording->session, spool, dat, err);
	}
	if (status == STATUS_OK)
		status = dat_file_save(recording->session, spool, dat, err);
	if (status == STATUS_OK && capture_has_migration_stacks(recording->session))
		status = stack_symbols_store(dat, err);
	if (status == STATUS_OK)
		status = survey_file(dat, &recording->survey, err);
	if (status != STATUS_OK)
		return status;
	trace_losses_find(recording->session, spool, &recording->survey, &recording->losses);
	const char *shown = recording->request->to_fd >= 0 ? "standard output" : dat;
	if (recording->losses.events)
		tell_losses(recording, shown);
	check_count(recording, shown);
	tell_flight(recording, shown);
	const char *slash = strrchr(dat, '/');
	snprintf(trace_id, sizeof(trace_id), "%.*s", (int)strlen(slash ? slash + 1 : dat) - 4, slash ? slash + 1 : dat);
	if (recording->request->to_fd >= 0)
		snprintf(trace_id, sizeof(trace_id), "%s", recording->request->name);
	const char *elsewhere = number ? NULL : recording->request->json;
	if (recording->request->to_fd < 0 && elsewhere)
		status = file_same(dat, elsewhere)
			     ? error_set(err, STATUS_USAGE, "--json", "is the recording itself; choose another file")
			     : STATUS_OK;
	if (status == STATUS_OK && (recording->request->to_fd < 0 || elsewhere))
		status = recording_metadata_write(recording, trace_id, elsewhere ? elsewhere : json, err);
	if (status == STATUS_OK)
		tell(recording, shown);
	trace_survey_free(&recording->survey);
	trace_losses_free(&recording->losses);
	return status;
}
