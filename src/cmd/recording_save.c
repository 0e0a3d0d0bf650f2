/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"
#include "capture/dat_file.h"
#include "cmd/recording_state.h"

static enum status survey_file(struct recording *recording, const char *path, struct error *err)
{
	struct mapping file;
	struct tracedat trace;
	enum status status = file_map(path, &file, err);

	if (status != STATUS_OK)
		return status;
	status = tracedat_parse(file.bytes, file.length, path, &trace, err);
	if (status == STATUS_OK) {
		status = trace_survey_make(&trace, path, &recording->survey, err);
		tracedat_free(&trace);
	}
	file_unmap(&file);
	return status;
}

/* Where only the end is read out, the buffer refused everything behind the last event that it took. */
static void note_losses_of_full_buffer(struct recording *recording, unsigned int cpu, uint64_t lost)
{
	const struct trace_survey *survey = &recording->survey;

	for (size_t i = 0; i < survey->cpu_count; i++)
		if (survey->cpus[i].cpu == cpu)
			loss_log_add(&recording->losses, cpu, lost, survey->cpus[i].last_ts / 1000,
				     capture_stats(recording->session, cpu)->now_us);
}

static void tell_losses(const struct recording *recording, const char *path, const char *where)
{
	const struct recording_request *request = recording->request;
	const struct loss_log *log =
	    recording->losses.count || !recording->spool ? &recording->losses : &recording->spool->losses;
	char when[128] = "";

	if (log->count)
		snprintf(when, sizeof(when), ", first between %llu.%06llu and %llu.%06llu s",
			 (unsigned long long)log->places[0].after_us / 1000000,
			 (unsigned long long)log->places[0].after_us % 1000000,
			 (unsigned long long)log->places[0].before_us / 1000000,
			 (unsigned long long)log->places[0].before_us % 1000000);
	message_warning(
	    "%s: %llu events were lost (%s%s): the trace buffer was full; raise --buffer-size (now %llu KB per "
	    "CPU)%s",
	    path, (unsigned long long)recording->lost, where, when,
	    (unsigned long long)request->settings.buffer_size_kb,
	    request->drain_ms       ? ", or read it out more often with a smaller --drain"
	    : request->flight_s > 0 ? ""
				    : ", or leave --no-drain out");
}

static void check_losses(struct recording *recording, const char *path)
{
	char where[512] = "";
	size_t length = 0;

	recording->lost = 0;
	for (unsigned int cpu = 0; cpu < capture_cpu_count(recording->session); cpu++) {
		const struct ring_stats *stats = capture_stats(recording->session, cpu);
		uint64_t lost = ring_stats_lost(stats) - (recording->request->flight_s > 0 ? stats->overrun : 0);
		if (lost == 0)
			continue;
		recording->lost += lost;
		if (!recording->spool)
			note_losses_of_full_buffer(recording, cpu, lost);
		if (length < sizeof(where))
			length += (size_t)snprintf(where + length, sizeof(where) - length, "%s%llu on CPU %u",
						   length ? ", " : "", (unsigned long long)lost, cpu);
	}
	if (recording->lost)
		tell_losses(recording, path, where);
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
		     recording->lost ? ", events lost" : ", none lost");
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
	if (status == STATUS_OK && spool)
		spool_note_last_losses(spool);
	if (status == STATUS_OK)
		status = dat_file_save(recording->session, spool, dat, err);
	if (status == STATUS_OK)
		status = survey_file(recording, dat, err);
	if (status != STATUS_OK)
		return status;
	check_losses(recording, dat);
	check_count(recording, dat);
	tell_flight(recording, dat);
	const char *slash = strrchr(dat, '/');
	snprintf(trace_id, sizeof(trace_id), "%.*s", (int)strlen(slash ? slash + 1 : dat) - 4, slash ? slash + 1 : dat);
	status = recording_metadata_write(recording, trace_id, json, err);
	if (status == STATUS_OK)
		tell(recording, dat);
	trace_survey_free(&recording->survey);
	loss_log_free(&recording->losses);
	return status;
}
