/* SPDX-License-Identifier: MIT
 *
 * Runs that fail, are interrupted or lose a process: the message says why, and nothing is left. */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/interrupt.h"
#include "support/unit.h"
#include "unit/workloads/workload_support.h"

/* The message in the pipe from a part that runs in a child, because it changes the whole process. */
struct told {
	enum status status;
	struct error err;
	int children_left; /* waitpid() found one */
};

typedef void change_process(void);

static struct told run_in_child(const struct workload_request *request, change_process *change)
{
	int ends[2];
	struct told told = {.status = STATUS_CORRUPT};

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		struct workload_result result;
		change();
		told.status = run_whole(request, &result, &told.err);
		told.children_left = waitpid(-1, NULL, WNOHANG) >= 0;
		_exit(write(ends[1], &told, sizeof(told)) == (ssize_t)sizeof(told) ? 0 : 1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &told, sizeof(told)), sizeof(told));
	close(ends[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(told.children_left);
	return told;
}

static bool says(const struct error *err, const char *words)
{
	char text[2048];

	error_text(err, text, sizeof(text));
	return strstr(text, words) != NULL;
}

static void expect_failure(const struct workload_request *request, enum status expected, const char *words)
{
	struct workload_result result;
	struct error err = {0};

	assert_int_equal(run_whole(request, &result, &err), expected);
	assert_string_equal(err.where, request->workload->name);
	if (!says(&err, words))
		fail_msg("\"%s\" does not say \"%s\"", err.what, words);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(impossible_requests_are_refused)
{
	static const double scales[] = {0, -1, 1e7, 1.0 / 0.0, 0.0 / 0.0};

	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		struct workload_request request = request_for("cpu_bound_4p", scales[i]);
		expect_failure(&request, STATUS_USAGE, "scale");
	}
	struct workload_request request = request_for("cpu_bound_4p", 1);
	request.duration_s = -1;
	expect_failure(&request, STATUS_USAGE, "duration");
	request.duration_s = 0.0 / 0.0;
	expect_failure(&request, STATUS_USAGE, "duration");
	request = request_for("cpu_bound_4p", 1);
	CPU_ZERO(&request.cpus);
	expect_failure(&request, STATUS_USAGE, "no CPU");
	CPU_SET(CPU_SETSIZE - 1, &request.cpus);
	expect_failure(&request, STATUS_SYSTEM, "requested CPUs");
	request = request_for("io_mixed", 1);
	request.scratch = NULL;
	expect_failure(&request, STATUS_USAGE, "directory");
}

TEST(bad_scratch_is_named)
{
	struct workload_request request = request_for("io_mixed", 0.01);

	request.scratch = "/nonexistent/directory";
	expect_failure(&request, STATUS_SYSTEM, "/nonexistent/directory: No such file or directory");
	request.scratch = "/dev/full";
	expect_failure(&request, STATUS_SYSTEM, "/dev/full is neither");
	request.scratch = "/proc";
	expect_failure(&request, STATUS_SYSTEM, "temporary file in /proc");
}

static void become_nobody(void)
{
	if (getuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		_exit(2);
}

TEST(unwritable_directory_is_named)
{
	struct workload_request request = request_for("io_mixed", 0.01);

	request.scratch = "/usr";
	struct told told = run_in_child(&request, become_nobody);
	assert_int_equal(told.status, STATUS_SYSTEM);
	assert_true(says(&told.err, "temporary file in /usr: Permission denied"));
	assert_non_null(strstr(told.err.remedy, "--scratch"));
}

/* A file system of its own with room for 8 blocks, which the run fills. */
static void mount_small_file_system(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", scratch_directory, "tmpfs", 0, "size=32k") < 0)
		_exit(2);
}

TEST(full_file_system_ends_the_run)
{
	struct workload_request request = request_for("io_mixed", 1);

	if (getuid() != 0)
		skip();
	request.duration_s = 60;
	struct told told = run_in_child(&request, mount_small_file_system);
	assert_int_equal(told.status, STATUS_SYSTEM);
	assert_true(says(&told.err, "No space left on device"));
	assert_non_null(strstr(told.err.what, scratch_directory));
	assert_non_null(strstr(told.err.remedy, "--scratch"));
}

static void allow_few_files(void)
{
	struct rlimit limit = {.rlim_cur = 12, .rlim_max = 12};

	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		_exit(2);
}

TEST(file_limit_is_named)
{
	struct workload_request request = request_for("hackbench_socket_small", 0.001);
	struct told told = run_in_child(&request, allow_few_files);

	assert_int_equal(told.status, STATUS_SYSTEM);
	assert_non_null(strstr(told.err.what, "cannot make a socket pair"));
	assert_non_null(strstr(told.err.remedy, "ulimit -n"));
}

/* Only the soft limit is low: it is raised. */
static void allow_few_files_softly(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 12;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		_exit(2);
}

TEST(soft_file_limit_is_raised)
{
	struct workload_request request = request_for("hackbench_socket_small", 0.001);
	struct told told = run_in_child(&request, allow_few_files_softly);

	assert_int_equal(told.status, STATUS_OK);
}

static void allow_few_processes(void)
{
	struct rlimit limit = {.rlim_cur = 30, .rlim_max = 30};

	/* A user of its own, so that nobody else's processes count. Root may exceed the limit. */
	if (setrlimit(RLIMIT_NPROC, &limit) < 0 || (getuid() == 0 && (setgid(64999) < 0 || setuid(64999) < 0)))
		_exit(2);
}

TEST(process_limit_is_named)
{
	struct workload_request request = request_for("hackbench_pipe_small", 0.001);

	if (getuid() != 0)
		skip();
	struct told told = run_in_child(&request, allow_few_processes);
	assert_int_equal(told.status, STATUS_SYSTEM);
	assert_non_null(strstr(told.err.what, "cannot create task"));
	assert_non_null(strstr(told.err.what, "of 160"));
	assert_non_null(strstr(told.err.remedy, "ulimit -u"));
}

struct find_named {
	const char *name;
	pid_t found;
};

static void look_for_name(void *context, pid_t process, pid_t thread)
{
	struct find_named *find = context;
	char name[64];

	if (thread_status(process, thread, "Name:", name, sizeof(name)) && strcmp(name, find->name) == 0)
		find->found = process;
}

/* Starts a run that would last a minute, kills one process of it by name and hands back what is said. */
static struct error kill_one(const char *workload, const char *task_name)
{
	struct workload_request request = request_for(workload, 100);
	struct find_named find = {.name = task_name};
	struct workload_run *run;
	struct workload_result result;
	struct error err = {0};

	request.duration_s = 60;
	assert_int_equal(workload_prepare(&request, &run, &err), STATUS_OK);
	pid_t leader = workload_leader(run);
	assert_int_equal(workload_start(run, &err), STATUS_OK);
	for_each_thread_in_group(leader, look_for_name, &find);
	assert_true(find.found > 0);
	assert_int_equal(kill(find.found, SIGKILL), 0);
	assert_int_equal(workload_wait(run, &result, &err), STATUS_SYSTEM);
	assert_true(workload_is_over(run));
	assert_true(group_is_gone(leader));
	/* Asked again, it says the same. */
	struct error again = {0};
	assert_int_equal(workload_wait(run, &result, &again), STATUS_SYSTEM);
	assert_string_equal(again.what, err.what);
	workload_end(run);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return err;
}

TEST(killed_task_ends_the_run)
{
	struct error err = kill_one("cpu_bound_4p", "cpu-bound");
	assert_non_null(strstr(err.what, "cpu-bound (process "));
	assert_non_null(strstr(err.what, "was killed by signal 9"));
	err = kill_one("hackbench_pipe_large", "hackbench-send");
	assert_non_null(strstr(err.what, "hackbench-send"));
	err = kill_one("io_mixed", "io-writer");
	assert_non_null(strstr(err.what, "io-writer"));
}

TEST(killed_leader_ends_the_run)
{
	struct error err = kill_one("cpu_bound_8p", WORKLOAD_LEADER_NAME);
	assert_non_null(strstr(err.what, "leader process was killed by signal 9"));
	err = kill_one("sysbench_threads_16t", WORKLOAD_LEADER_NAME);
	assert_non_null(strstr(err.what, "leader process was killed by signal 9"));
}

TEST(leader_killed_before_the_start)
{
	struct workload_request request = request_for("hackbench_pipe_small", 1);
	struct workload_run *run;
	struct workload_result result;
	struct error err = {0};

	assert_int_equal(workload_prepare(&request, &run, &err), STATUS_OK);
	pid_t leader = workload_leader(run);
	kill(leader, SIGKILL);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(workload_start(run, &err), STATUS_SYSTEM);
	assert_non_null(strstr(err.what, "leader process was killed"));
	assert_int_equal(workload_wait(run, &result, &err), STATUS_SYSTEM);
	workload_end(run);
	assert_true(group_is_gone(leader));
}

static pid_t leader_to_interrupt;

static void interrupt_soon(int number)
{
	(void)number;
	kill(getpid(), SIGTERM);
}

static void catch_and_alarm(void)
{
	signal(SIGALRM, interrupt_soon);
	interrupt_catch();
	ualarm(200000, 0);
}

TEST(interruption_leaves_no_process)
{
	struct workload_request request = request_for("hackbench_pipe_large", 1000);

	struct told told = run_in_child(&request, catch_and_alarm);
	assert_int_equal(told.status, STATUS_INTERRUPTED);
	assert_int_equal(told.err.errnum, SIGTERM);
	request = request_for("io_mixed", 1000);
	told = run_in_child(&request, catch_and_alarm);
	assert_int_equal(told.status, STATUS_INTERRUPTED);
}

/* The caller is killed outright: its tasks die with it. This process takes the orphans, to see that all do. */
TEST(tasks_die_with_the_caller)
{
	static const char *const names[] = {"hackbench_socket_large", "sysbench_cpu_8t", "io_mixed"};

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct workload_request request = request_for(names[i], 1000);
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		pid_t caller = fork();
		if (caller == 0) {
			struct workload_run *run;
			if (workload_prepare(&request, &run, NULL) == STATUS_OK &&
			    workload_start(run, NULL) == STATUS_OK)
				leader_to_interrupt = workload_leader(run);
			if (write(ends[1], &leader_to_interrupt, sizeof(leader_to_interrupt)) > 0)
				pause();
			_exit(1);
		}
		assert_int_equal(read(ends[0], &leader_to_interrupt, sizeof(leader_to_interrupt)),
				 sizeof(leader_to_interrupt));
		close(ends[0]);
		close(ends[1]);
		assert_true(leader_to_interrupt > 0);
		kill(caller, SIGKILL);
		/* Ends only when the last of them has died. */
		while (waitpid(-1, NULL, 0) > 0)
			;
		assert_int_equal(errno, ECHILD);
		assert_true(group_is_gone(leader_to_interrupt));
	}
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

TEST(scheduling_of_the_caller_is_not_inherited)
{
	struct workload_request request = request_for("cpu_bound_4p", 0.01);
	struct sched_param param = {.sched_priority = 1};
	struct find_named find = {.name = "cpu-bound"};
	struct workload_run *run;

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) < 0)
		skip();
	assert_int_equal(sched_setscheduler(0, SCHED_FIFO, &param), 0);
	enum status status = workload_prepare(&request, &run, NULL);
	param.sched_priority = 0;
	assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &param), 0);
	assert_int_equal(status, STATUS_OK);
	for_each_thread_in_group(workload_leader(run), look_for_name, &find);
	assert_true(find.found > 0);
	assert_int_equal(sched_getscheduler(find.found), SCHED_OTHER);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)find.found), 0);
	workload_end(run);
}

TEST(subreaper_is_put_back)
{
	struct workload_request request = request_for("cpu_bound_4p", 0.01);
	struct workload_run *run;
	int subreaper = -1;

	assert_int_equal(workload_prepare(&request, &run, NULL), STATUS_OK);
	prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
	assert_int_equal(subreaper, 1);
	workload_end(run);
	prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
	assert_int_equal(subreaper, 0);
}

TESTS_WITH(make_scratch_directory, remove_scratch_directory)
