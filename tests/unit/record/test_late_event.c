/* SPDX-License-Identifier: MIT
 *
 * An event that comes once the buffer has stopped and its statistics have been taken, as from a task that was just
 * recording it: it is saved, and the kernel's count has it. On this machine's own tracefs, as root. */
#include <unistd.h>

#include "record/read_back.h"
#include "record/tracefs/dat_file.h"
#include "record/tracefs/session.h"
#include "record/tracefs/spool.h"
#include "record/tracefs/tracefs.h"
#include "support/unit.h"
#include "trace/trace_survey.h"

static uint64_t count(const struct capture_session *session)
{
	uint64_t events = 0;

	for (unsigned int cpu = 0; cpu < session->settings.cpu_count; cpu++)
		events += ring_stats_recorded(&session->stats[cpu]);
	return events;
}

static void one_comes_late(bool spools)
{
	const struct capture_settings settings = {
	    .buffer_size_kb = 512, .clock = "mono", .cpu_count = (unsigned int)sysconf(_SC_NPROCESSORS_CONF)};
	char directory[] = "/tmp/picknext-test-XXXXXX", path[64];
	struct capture_session *session = NULL;
	struct spool *spool = NULL;
	struct trace_survey survey;
	struct error err = {0};

	if (geteuid() != 0 || access("/sys/kernel/tracing/instances", W_OK) != 0)
		skip();
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/late.dat", directory);
	assert_int_equal(capture_open(&settings, &session, &err), STATUS_OK);
	if (spools)
		assert_int_equal(spool_open(session, directory, &spool, &err), STATUS_OK);
	assert_int_equal(capture_start(session, &err), STATUS_OK);
	usleep(20000);
	assert_int_equal(capture_stop(session, &err), STATUS_OK);
	uint64_t before = count(session);
	/* Nothing but the mark: the scheduler's events are off by then. */
	assert_int_equal(tracefs_write(session->directory, "events/enable", "0", &err), STATUS_OK);
	assert_int_equal(tracefs_write(session->directory, "tracing_on", "1", &err), STATUS_OK);
	assert_int_equal(tracefs_write(session->directory, "trace_marker", "late", &err), STATUS_OK);
	assert_int_equal(tracefs_write(session->directory, "tracing_on", "0", &err), STATUS_OK);
	assert_int_equal(count(session), before);
	assert_int_equal(dat_file_save(session, spool, path, &err), STATUS_OK);
	assert_int_equal(count(session), before + 1);
	assert_int_equal(trace_read_back(path, &survey, &err), STATUS_OK);
	assert_int_equal(survey.events, before + 1);
	trace_survey_free(&survey);
	spool_close(spool);
	assert_int_equal(capture_close(session, &err), STATUS_OK);
	unlink(path);
	assert_int_equal(rmdir(directory), 0);
}

TEST(test_with_the_buffer_read_at_the_end)
{
	one_comes_late(false);
}

TEST(test_with_a_spool)
{
	one_comes_late(true);
}
