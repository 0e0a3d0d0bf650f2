/* SPDX-License-Identifier: MIT
 *
 * The workloads, run for real at small scale: what they are, what they do, how they start. */
#include "base/file.h"
#include "support/unit.h"
#include "unit/workloads/workload_support.h"
#include "workloads/table.h"

/* Mixes and chaos end by time everywhere, may need what this machine lacks, and run only if they are named. */
static bool ends_by_time(const struct workload *workload)
{
	return workload->mix || workload->features;
}

TEST(each_row_is_complete_and_found_by_its_name)
{
	for (size_t i = 0; workload_at(i); i++) {
		const struct workload *workload = workload_at(i);
		assert_ptr_equal(workload_find(workload->name), workload);
		assert_true(*workload->category && *workload->description && *workload->exercises);
		/* Fixed work or timed: one of the two. */
		assert_int_equal(workload->loops == 0, workload->duration_s > 0);
		assert_int_equal(workload->loops == 0 && !ends_by_time(workload), workload->loops_per_s > 0);
		assert_true(ends_by_time(workload) ? workload->small_scale == 1 && workload->only_named
						   : workload->small_scale > 0 && workload->small_scale < 0.1);
	}
	assert_null(workload_find("hackbench"));
	assert_null(workload_find(""));
	struct error err = {0};
	const struct workload *found;
	assert_int_equal(workload_require("hackbench_pipe_smal", "-w", &found, &err), STATUS_USAGE);
	assert_string_equal(err.where, "-w");
	assert_non_null(strstr(err.remedy, "hackbench_pipe_small"));
	assert_int_equal(workload_require("zzzz", "-w", &found, &err), STATUS_USAGE);
	assert_null(found);
	assert_int_equal(workload_require("io_mixed", "-w", &found, &err), STATUS_OK);
	assert_ptr_equal(found, workload_find("io_mixed"));
}

TEST(scale_and_duration_come_to)
{
	struct workload_request fixed = request_for("hackbench_pipe_small", 0.1);
	struct workload_request timed = request_for("cpu_bound_4p", 0.1);

	assert_int_equal(workload_effective_loops(&fixed), 300);
	assert_float_equal(workload_effective_duration_s(&fixed), 0, 0);
	fixed.scale = 1e-5;
	assert_int_equal(workload_effective_loops(&fixed), 1);
	fixed.scale = 1;
	fixed.duration_s = 3;
	assert_int_equal(workload_effective_loops(&fixed), 3000);
	assert_float_equal(workload_effective_duration_s(&fixed), 0, 0);
	assert_int_equal(workload_effective_loops(&timed), 0);
	assert_float_equal(workload_effective_duration_s(&timed), 1, 1e-9);
	timed.duration_s = 0.25;
	assert_float_equal(workload_effective_duration_s(&timed), 0.25, 1e-9);
}

/* On a busy machine not every task gets to run in a short time, but one does in this. */
#define ENOUGH_S 0.25

static void run_and_check(const char *name, double scale, double duration_s, struct workload_result *result)
{
	struct workload_request request = request_for(name, scale);
	struct error err = {0};

	request.duration_s = duration_s;
	enum status status = run_whole(&request, result, &err);
	if (status != STATUS_OK)
		fail_msg("%s: %s: %s", name, err.where, err.what);
	assert_int_equal(result->tasks, request.workload->tasks);
	assert_int_equal(result->failed, 0);
	assert_string_equal(result->failure, "");
	assert_true(result->elapsed_s > 0);
	/* Nothing is left: this process has no children. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* For a tenth of a second of theirs, each task does a tenth of loops_per_s, to the last one. */
TEST(fixed_work_is_exact)
{
	static const struct {
		const char *name;
		uint64_t units; /* of work in a loop */
		unsigned int tasks;
	} timed[] = {
	    {"sysbench_cpu_4t", 1228, 4},    {"sysbench_cpu_8t", 1228, 8},    {"sysbench_threads_8t", 1, 8},
	    {"sysbench_threads_16t", 1, 16}, {"sysbench_memory_4t", 1024, 4}, {"cpu_bound_4p", 1000, 4},
	    {"cpu_bound_8p", 1000, 8},       {"io_mixed", 4096, 2},
	};

	for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++) {
		struct workload_request request = request_for(timed[i].name, 0.01);
		struct workload_result result;
		request.fixed_work = true;
		uint64_t loops = workload_effective_loops(&request);
		assert_int_equal(loops, (uint64_t)((double)request.workload->loops_per_s * 0.1 + 0.5));
		assert_true(loops > 0);
		assert_true(workload_effective_duration_s(&request) == 0);
		assert_int_equal(run_whole(&request, &result, NULL), STATUS_OK);
		assert_int_equal(result.work_done, loops * timed[i].units * timed[i].tasks);
		request.duration_s = 0.2;
		assert_int_equal(workload_effective_loops(&request),
				 (uint64_t)((double)request.workload->loops_per_s * 0.2 + 0.5));
	}
	/* The others do it anyway. */
	struct workload_request request = request_for("hackbench_pipe_small", 0.01);
	request.fixed_work = true;
	assert_int_equal(workload_effective_loops(&request), 30);
}

TEST(hackbench_passes_every_message)
{
	static const char *const names[] = {"hackbench_pipe_small", "hackbench_pipe_large", "hackbench_socket_small",
					    "hackbench_socket_large"};

	for (size_t i = 0; i < 4; i++) {
		struct workload_result result;
		uint64_t groups = i % 2 ? 8 : 4;
		uint64_t loops = i % 2 ? 5 : 3; /* of 5000, 3000 */
		run_and_check(names[i], 0.001, 0, &result);
		assert_int_equal(result.tasks, groups * 40);
		assert_int_equal(result.work_done, groups * 20 * 20 * loops);
		assert_true(result.voluntary_switches > 0);
	}
}

TEST(sysbench_cpu_finds_the_primes)
{
	struct workload_result result;

	run_and_check("sysbench_cpu_4t", 1, ENOUGH_S, &result);
	/* 1229 primes lie below 10000; the search starts at 3. */
	assert_true(result.work_done >= 1228);
	assert_int_equal(result.work_done % 1228, 0);
	assert_true(result.elapsed_s >= ENOUGH_S);
	run_and_check("sysbench_cpu_8t", 1, ENOUGH_S, &result);
	assert_int_equal(result.work_done % 1228, 0);
}

TEST(sysbench_threads_yields)
{
	struct workload_request request = request_for("sysbench_threads_8t", 1);
	struct workload_result result;
	struct error err = {0};

	/* On one CPU with others runnable, every one of the 1000 yields of an event gives way. */
	CPU_ZERO(&request.cpus);
	CPU_SET((size_t)sched_getcpu(), &request.cpus);
	request.duration_s = ENOUGH_S;
	assert_int_equal(run_whole(&request, &result, &err), STATUS_OK);
	assert_true(result.work_done >= 1);
	assert_true(result.voluntary_switches + result.involuntary_switches > 500 * result.work_done);
	run_and_check("sysbench_threads_16t", 1, ENOUGH_S, &result);
	assert_true(result.work_done >= 1);
}

TEST(sysbench_memory_writes_blocks)
{
	struct workload_result result;

	run_and_check("sysbench_memory_4t", 1, ENOUGH_S, &result);
	assert_true(result.work_done >= 1024);
	assert_int_equal(result.work_done % 1024, 0);
}

TEST(cpu_bound_calculates)
{
	struct workload_result result;

	run_and_check("cpu_bound_4p", 1, ENOUGH_S, &result);
	assert_true(result.work_done >= 1000);
	assert_int_equal(result.work_done % 1000, 0);
	run_and_check("cpu_bound_8p", 0.005, 0, &result);
	assert_int_equal(result.work_done % 1000, 0);
}

TEST(io_mixed_writes_and_waits)
{
	struct workload_result result;

	if (file_directory_is_memory(scratch_directory))
		skip();
	run_and_check("io_mixed", 1, 0.3, &result);
	assert_true(result.work_done >= 4096);
	assert_int_equal(result.work_done % 4096, 0);
	/* At the least the last fdatasync of each writer slept. */
	assert_true(result.voluntary_switches >= 2);
}

/* Without root, each feature that needs none; with it, those that any kernel has. */
TEST(chaos_does_operations)
{
	struct workload_result result;

	run_and_check("chaos_affinity", 1, ENOUGH_S, &result);
	assert_true(result.work_done > 0);
	run_and_check("chaos_signals", 1, ENOUGH_S, &result);
	assert_true(result.work_done > 0);
	for (size_t i = 0; geteuid() == 0 && i < 2; i++) {
		run_and_check(i ? "chaos_policy" : "chaos_weights", 1, ENOUGH_S, &result);
		assert_true(result.work_done > 0);
	}
}

/* Only guests of vm may lose a CPU. */
TEST(no_machine_loses_a_cpu)
{
	struct workload_request request = request_for("chaos_hotplug", 1);
	struct workload_result result;
	struct error err = {0};

	assert_int_equal(run_whole(&request, &result, &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "CPU"));
}

struct seen {
	pid_t leader;
	const char *names; /* that tasks may have */
	cpu_set_t cpus;
	bool binds; /* roles have CPUs of their own */
	unsigned int tasks, asleep, named, placed, files;
};

static unsigned int open_files(pid_t process)
{
	char path[64];
	unsigned int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", process);
	DIR *files = opendir(path);
	for (struct dirent *entry; files && (entry = readdir(files));)
		count += entry->d_name[0] != '.';
	if (files)
		closedir(files);
	return count;
}

static bool has_name(const char *names, const char *name)
{
	for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strlen(name) == strcspn(at, " ") && strncmp(at, name, strlen(name)) == 0)
			return true;
	return false;
}

static void look_at_thread(void *context, pid_t process, pid_t thread)
{
	struct seen *seen = context;
	char value[128];
	cpu_set_t cpus;

	assert_true(thread_status(process, thread, "State:", value, sizeof(value)));
	bool asleep = strncmp(value, "S", 1) == 0;
	assert_int_equal(sched_getaffinity(thread, sizeof(cpus), &cpus), 0);
	bool placed = CPU_EQUAL(&cpus, &seen->cpus);
	assert_true(thread_status(process, thread, "Name:", value, sizeof(value)));
	if (thread == seen->leader) {
		assert_string_equal(value, WORKLOAD_LEADER_NAME);
		assert_true(asleep && placed);
		seen->files = open_files(process);
		return;
	}
	seen->tasks++;
	seen->named += has_name(seen->names, value);
	seen->asleep += asleep;
	seen->placed += placed || seen->binds;
}

/* Once prepared, all tasks of every workload sleep at the barrier, under their names, on the CPUs asked for, whatever
 * CPUs the caller keeps to, and have done nothing. */
TEST(everything_waits_behind_the_barrier)
{
	cpu_set_t before, narrow;
	int kept_open = dup(0);

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&narrow);
	CPU_SET((size_t)sched_getcpu(), &narrow);
	for (size_t i = 0; workload_at(i); i++) {
		struct workload_request request = request_for(workload_at(i)->name, 0.001);
		struct workload_run *run;
		struct error err = {0};
		assert_int_equal(sched_setaffinity(0, sizeof(narrow), &narrow), 0);
		enum status status = workload_prepare(&request, &run, &err);
		assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
		/* They may need what this machine lacks: root, cgroup v2, several CPUs. */
		if (status != STATUS_OK && ends_by_time(workload_at(i)))
			continue;
		assert_int_equal(status, STATUS_OK);
		struct seen seen = {
		    .leader = workload_leader(run),
		    .names = workload_at(i)->task_names,
		    .cpus = request.cpus,
		    .binds = workload_at(i)->mix,
		};
		for_each_thread_in_group(seen.leader, look_at_thread, &seen);
		assert_int_equal(seen.tasks, workload_at(i)->tasks);
		assert_int_equal(seen.asleep, seen.tasks);
		assert_int_equal(seen.named, seen.tasks);
		assert_int_equal(seen.placed, seen.tasks);
		/* Standard input, output and error, and for io_mixed what it writes to. */
		assert_true(seen.files <= (workload_at(i)->needs_scratch ? 6u : 3u));
		assert_false(workload_is_over(run));
		assert_int_equal(getpgid(seen.leader), seen.leader);
		workload_end(run);
		assert_true(group_is_gone(seen.leader));
	}
	close(kept_open);
}

TEST(over_is_told_without_waiting)
{
	struct workload_request request = request_for("cpu_bound_4p", 1);
	struct workload_run *run;
	struct workload_result result;
	struct error err = {0};

	request.duration_s = ENOUGH_S;
	assert_int_equal(workload_prepare(&request, &run, &err), STATUS_OK);
	assert_int_equal(workload_start(run, &err), STATUS_OK);
	while (!workload_is_over(run))
		usleep(1000);
	assert_int_equal(workload_wait(run, &result, &err), STATUS_OK);
	assert_true(workload_is_over(run));
	assert_true(result.work_done > 0);
	workload_end(run);
	workload_end(NULL);
}

TESTS_WITH(make_scratch_directory, remove_scratch_directory)
