/* SPDX-License-Identifier: MIT
 *
 * Metadata that were written read the same again. */
#include <math.h>
#include <unistd.h>

#include "runs/run.h"
#include "support/unit.h"

static struct run_tunable tunables[] = {{"base_slice_ns", "2800000"}, {"features", "PLACE_LAG NO_HRTICK"}};
static struct ring_stats buffers[] = {{.cpu = 0, .entries = 90, .dropped_events = 7}, {.cpu = 3, .entries = 5}};
static struct loss losses[] = {{.cpu = 0, .events = 7, .after_ns = 8100000123, .before_ns = 8200000000}};

static struct run_metadata workload_metadata(void)
{
	struct run_metadata metadata = {
	    .trace_id = "cpu_bound_run1",
	    .workload_name = "cpu_bound",
	    .category = "cpu",
	    .description = "loops",
	    .start_s = 1.5,
	    .duration_s = 1.5,
	    .switches = 40,
	    .events = 95,
	    .buffer_size_kb = 4096,
	    .trace_clock = "mono",
	    .drain_ms = 100,
	    .drain_realtime = true,
	    .lost_events = 7,
	    .losses = {.items = losses, .count = 1},
	    .buffers = buffers,
	    .buffer_count = 2,
	    .host = {.kernel = "6.12.9",
		     .kernel_version = "#1 SMP",
		     .architecture = "x86_64",
		     .command_line = "quiet mitigations=off",
		     .preemption = "dynamic",
		     .hz = 250,
		     .tunables = tunables,
		     .tunable_count = 2,
		     .cpu_count = 3,
		     .topology = {.smt = "0-1 2", .node = "0-2", .capacity = "0-2=1024", .domains = "SMT MC"},
		     .tracer_cpu = 2},
	    .has_work = true,
	    .work = {.scale = 0.5,
		     .timed_s = (double)NAN,
		     .loops = 3,
		     .work_done = 30,
		     .work_unit = "loops",
		     .elapsed_s = 1.5,
		     .accelerator = "tcg",
		     .scratch = {"file", "/tmp/x", "ext4"}},
	};

	CPU_SET(0, &metadata.host.cpus_workload);
	CPU_SET(1, &metadata.host.cpus_workload);
	return metadata;
}

static void write_and_read(const struct run_metadata *from, struct run_metadata *to)
{
	char path[] = "/tmp/picknext-metadata-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(run_metadata_write(from, path, NULL), STATUS_OK);
	assert_int_equal(run_metadata_read(path, to, NULL), STATUS_OK);
	unlink(path);
}

TEST(a_workload_comes_back)
{
	const struct run_metadata written = workload_metadata();
	struct run_metadata read;

	write_and_read(&written, &read);
	assert_non_null(read.document);
	assert_string_equal(read.workload_name, "cpu_bound");
	assert_string_equal(read.category, "cpu");
	assert_true(read.has_work && !read.has_recording && !read.command.arguments);
	assert_int_equal(read.events, 95);
	assert_int_equal(read.drain_ms, 100);
	assert_true(read.drain_realtime);
	assert_int_equal(read.losses.count, 1);
	assert_memory_equal(read.losses.items, losses, sizeof(losses));
	assert_int_equal(read.buffer_count, 2);
	assert_memory_equal(&read.buffers[0], &buffers[0], sizeof(buffers[0]));
	assert_int_equal(read.host.tunable_count, 2);
	assert_string_equal(read.host.tunables[1].value, "PLACE_LAG NO_HRTICK");
	assert_true(CPU_EQUAL(&read.host.cpus_workload, &written.host.cpus_workload));
	assert_int_equal(read.host.tracer_cpu, 2);
	assert_string_equal(read.host.topology.smt, "0-1 2");
	assert_null(read.host.topology.llc);
	assert_string_equal(read.host.topology.domains, "SMT MC");
	assert_string_equal(read.host.topology.capacity, "0-2=1024");
	/* Two kernels may show the domains and equal capacities in two ways, or not at all: they are no difference of
	 * the machine. */
	char *facts[FACT_COUNT] = {0};
	environment_describe(&read, facts);
	assert_string_equal(facts[FACT_TOPOLOGY], "SMT 0-1 2, nodes 0-2");
	for (size_t i = 0; i < FACT_COUNT; i++)
		free(facts[i]);
	read.host.topology.capacity = "0=512 1-2=1024";
	environment_describe(&read, facts);
	assert_string_equal(facts[FACT_TOPOLOGY], "SMT 0-1 2, nodes 0-2, capacities 0=512 1-2=1024");
	for (size_t i = 0; i < FACT_COUNT; i++)
		free(facts[i]);
	assert_true(isnan(read.work.timed_s) && isnan(read.host_wait_share));
	assert_float_equal(read.work_per_second, 20, 0);
	run_metadata_free(&read);
}

TEST(a_recording_comes_back)
{
	char *command[] = {(char[]){"sleep"}, (char[]){"1"}, NULL};
	pid_t threads[] = {12, 13};
	const char *names[] = {"sched:sched_switch"};
	struct run_tunable cgroups[] = {{"/", "1-3,17"}, {"/a \"b\"", "4"}};
	const struct run_metadata written = {
	    .workload_name = "sleep",
	    .category = "other",
	    .host = {.tracer_cpu = -1, .cpu_count = 1},
	    .command = {.arguments = command, .pid = 77, .has_exit_code = true, .exit_code = 130},
	    .has_recording = true,
	    .recording = {.threads = threads,
			  .thread_count = 2,
			  .ended_by = "signal",
			  .event_names = names,
			  .event_count = 1,
			  .flight_s = 2.5,
			  .complete_ns = 9000000001,
			  .cgroups_after = cgroups,
			  .cgroup_count_after = 2,
			  .marks = 4},
	};
	struct run_metadata read;

	write_and_read(&written, &read);
	assert_true(read.has_recording && !read.has_work);
	assert_string_equal(read.command.arguments[1], "1");
	assert_null(read.command.arguments[2]);
	assert_int_equal(read.command.pid, 77);
	assert_int_equal(read.command.exit_code, 130);
	assert_int_equal(read.recording.thread_count, 2);
	assert_int_equal(read.recording.threads[1], 13);
	assert_string_equal(read.recording.event_names[0], names[0]);
	assert_float_equal(read.recording.flight_s, 2.5, 0);
	assert_int_equal(read.recording.complete_ns, 9000000001);
	assert_int_equal(read.recording.cgroup_count_before, 0);
	assert_int_equal(read.recording.cgroup_count_after, 2);
	assert_string_equal(read.recording.cgroups_after[0].value, "1-3,17");
	assert_string_equal(read.recording.cgroups_after[1].name, "/a \"b\"");
	assert_int_equal(read.host.tracer_cpu, -1);
	run_metadata_free(&read);
}

TEST(a_missing_file_is_no_error)
{
	struct run_metadata read;

	assert_int_equal(run_metadata_read("/nowhere/x.json", &read, NULL), STATUS_OK);
	assert_null(read.document);
	run_metadata_free(&read);
}

static void check_parse(const char *text, enum status wanted, const char *what)
{
	struct run_metadata read;
	struct error err = {0};

	assert_int_equal(run_metadata_parse(text, strlen(text), "x.json", &read, &err), wanted);
	if (what)
		assert_non_null(strstr(err.what, what));
	run_metadata_free(&read);
}

TEST(labels_and_counts_are_checked)
{
	check_parse("[]", STATUS_CORRUPT, "object");
	check_parse("{", STATUS_CORRUPT, NULL);
	check_parse("{\"workload_name\": 3}", STATUS_CORRUPT, "workload_name");
	check_parse("{\"category\": null}", STATUS_CORRUPT, "category");
	check_parse("{\"lost_events\": -1}", STATUS_CORRUPT, "lost_events");
	check_parse("{\"buffers\": 1}", STATUS_CORRUPT, "buffers");
	check_parse("{\"buffers\": [{\"cpu\": 5000000000}]}", STATUS_CORRUPT, "cpu");
	check_parse("{\"buffers\": [{\"cpu\": 0, \"overrun\": \"x\"}]}", STATUS_CORRUPT, "overrun");
	check_parse("{\"work_per_second\": -1}", STATUS_CORRUPT, "work_per_second");
	check_parse("{\"work_per_second\": \"20\"}", STATUS_CORRUPT, "work_per_second");
	check_parse("{\"work_per_second\": 1e999}", STATUS_CORRUPT, NULL);
	check_parse("{\"work_per_second\": NaN}", STATUS_CORRUPT, NULL);
	check_parse("{\"buffers\": null, \"hz\": \"x\", \"losses\": 3, \"threads\": {}, \"command\": [1]}", STATUS_OK,
		    NULL);
}

TEST(numbers_that_nothing_can_have_are_refused_by_their_key)
{
	static const char *const refused[] = {
	    "\"work_per_second\": 1e308",
	    "\"num_cpus\": 0",
	    "\"num_cpus\": 2.5",
	    "\"num_cpus\": 100000",
	    "\"num_cpus\": -2",
	    "\"hz\": 0",
	    "\"start_time\": -1",
	    "\"start_time\": 1e300",
	    "\"end_time\": 1e12",
	    "\"duration_seconds\": -0.5",
	    "\"elapsed_seconds\": 1e20",
	    "\"scale\": -1",
	    "\"events\": 1e18",
	    "\"lost_events\": 10000000000000000",
	    "\"tasks\": -1",
	    "\"end_time\": 5, \"start_time\": 6",
	    "\"end_time\": 0, \"start_time\": 6",
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		char text[80], key[40];
		snprintf(text, sizeof(text), "{%s}", refused[i]);
		snprintf(key, sizeof(key), "%.*s", (int)(strcspn(refused[i] + 1, "\"") + 2), refused[i]);
		check_parse(text, STATUS_CORRUPT, key);
	}
	check_parse("{\"num_cpus\": 1, \"hz\": 1000, \"scale\": 0.0001, \"work_per_second\": 0, \"start_time\": 6.5, "
		    "\"end_time\": 6.5, \"duration_seconds\": 0, \"tasks\": null, \"elapsed_seconds\": null}",
		    STATUS_OK, NULL);
}

static double throughput_of(const char *text)
{
	struct run_metadata metadata;
	struct error err;

	assert_int_equal(run_metadata_parse(text, strlen(text), "x.json", &metadata, &err), STATUS_OK);
	double throughput = metadata.work_per_second;
	run_metadata_free(&metadata);
	return throughput;
}

/* A run that did nothing is not a run of which nothing is known. */
TEST(nothing_done_is_a_throughput)
{
	struct run_metadata written = {.workload_name = "x",
				       .category = "x",
				       .host = {.tracer_cpu = -1, .cpu_count = 1},
				       .has_work = true,
				       .work = {.work_unit = "loops", .elapsed_s = 2}};
	struct run_metadata read;

	assert_true(throughput_of("{\"work_per_second\": 0}") == 0);
	assert_true(throughput_of("{\"work_per_second\": 1e-300}") == 1e-300);
	assert_true(throughput_of("{\"work_per_second\": 1e15}") == 1e15);
	assert_true(isnan(throughput_of("{\"work_per_second\": null}")));
	assert_true(isnan(throughput_of("{}")));
	write_and_read(&written, &read);
	assert_true(read.work_per_second == 0);
	run_metadata_free(&read);
	/* One run of a command that took an hour. */
	written.work.work_done = 1;
	written.work.elapsed_s = 3600;
	write_and_read(&written, &read);
	assert_true(fabs(read.work_per_second * 3600 - 1) < 1e-5);
	run_metadata_free(&read);
	written.work.elapsed_s = 0;
	write_and_read(&written, &read);
	assert_true(isnan(read.work_per_second));
	run_metadata_free(&read);
}

static void check_fact(char *const *facts, enum environment_fact fact, const char *wanted)
{
	if (wanted)
		assert_string_equal(facts[fact], wanted);
	else
		assert_null(facts[fact]);
}

TEST(facts_are_texts)
{
	const struct run_metadata written = workload_metadata();
	struct run_metadata read;
	char *facts[FACT_COUNT] = {0};

	write_and_read(&written, &read);
	environment_describe(&read, facts);
	check_fact(facts, FACT_KERNEL, "6.12.9");
	check_fact(facts, FACT_HZ, "250");
	check_fact(facts, FACT_PREEMPTION, "chosen at boot, not known");
	check_fact(facts, FACT_MITIGATIONS, "off");
	check_fact(facts, FACT_CPUS, "0-1");
	check_fact(facts, FACT_TRACER_CPU, "2");
	check_fact(facts, FACT_CLOCKSOURCE, NULL);
	check_fact(facts, FACT_ACCELERATOR, "tcg");
	check_fact(facts, FACT_DETERMINISTIC, "no");
	check_fact(facts, FACT_IDENTITY, NULL);
	check_fact(facts, FACT_SCALE, "0.5");
	check_fact(facts, FACT_SCRATCH, "file on ext4");
	check_fact(facts, FACT_TUNABLES, "base_slice_ns=2800000 features=PLACE_LAG NO_HRTICK");
	for (size_t i = 0; i < FACT_COUNT; i++)
		free(facts[i]);
	run_metadata_free(&read);
}

TEST(losses_are_counted_once)
{
	struct run_metadata metadata = workload_metadata();
	struct losses lost = {0};

	run_metadata_add_losses(&metadata, &lost);
	assert_int_equal(losses_events(&lost), 7);
	metadata.lost_events = 9;
	run_metadata_add_losses(&metadata, &lost);
	assert_int_equal(losses_events(&lost), 9);
	losses_free(&lost);
}

TEST(the_scheduler_has_a_name)
{
	static const struct {
		const char *kernel, *ops, *name;
	} known[] = {
	    {"6.5.13-amd64", NULL, "CFS"},
	    {"6.6.0", NULL, "EEVDF"},
	    {"7.3.4+deb13-amd64", NULL, "EEVDF"},
	    {"5.10.0-37", NULL, "CFS"},
	    {"7.3.4", "simple", "simple"},
	    {NULL, "simple", "simple"},
	    {"7.3.4", "", "EEVDF"},
	    {NULL, NULL, ""},
	    {"next", NULL, ""},
	};
	char text[RUN_SCHEDULER_NAME_SIZE];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct run_metadata metadata = {.host.kernel = known[i].kernel, .scheduler.ops = known[i].ops};
		run_scheduler_name(&metadata, text);
		assert_string_equal(text, known[i].name);
	}
}
