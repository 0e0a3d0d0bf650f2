/* SPDX-License-Identifier: MIT
 *
 * How long vCPUs waited: what the kernel says of threads, a thread that shares its CPU, and what comes of a guest's
 * lines. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "print/vm_report.h"
#include "support/unit.h"
#include "vm/engine/host_wait.h"

static char top[64];

static int set_up(void **state)
{
	strcpy(top, "/tmp/picknext-wait-XXXXXX");
	return mkdtemp(top) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

static void put(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(file_replace(path, text, strlen(text), NULL), STATUS_OK);
}

static void put_thread(const char *number, const char *name, const char *schedstat)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, number);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/comm", number);
	put(path, name);
	snprintf(path, sizeof(path), "%s/schedstat", number);
	if (schedstat)
		put(path, schedstat);
}

TEST(reads_the_kernels_numbers)
{
	static const char *const bad[] = {"",
					  " ",
					  "1",
					  "1 ",
					  "1  2",
					  "-1 2 3",
					  "1 x 3",
					  "99999999999999999999 1 1",
					  "1 111111111111111111111111111111 1"};
	struct vcpu_time time;

	assert_true(vcpu_time_parse("111949 8499 2", &time));
	assert_int_equal(time.run_ns, 111949);
	assert_int_equal(time.wait_ns, 8499);
	assert_true(vcpu_time_parse("18446744073709551615 0", &time));
	assert_true(time.run_ns == UINT64_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (vcpu_time_parse(bad[i], &time))
			fail_msg("took '%s'", bad[i]);
}

TEST_WITH(adds_vcpus_alone, set_up, tear_down)
{
	struct vcpu_time time;

	assert_false(vcpu_time_read("/nonexistent", &time));
	put_thread("10", "qemu-system-x86\n", "5000 5000 3\n");
	put_thread("11", "CPU 3\n", NULL);
	assert_false(vcpu_time_read(top, &time));
	put_thread("12", "CPU 0/KVM\n", "100 20 3\n");
	put_thread("13", "CPU 1/KVM\n", "1000 200 3\n");
	put_thread("14", "ALL CPUs/TCG\n", "10000 2000 3\n");
	put_thread("15", "CPU 2/KVM\n", "what\n");
	assert_true(vcpu_time_read(top, &time));
	assert_int_equal(time.run_ns, 11100);
	assert_int_equal(time.wait_ns, 2220);
}

TEST_WITH(a_kernel_that_does_not_count, set_up, tear_down)
{
	struct vcpu_time time;

	put_thread("12", "CPU 0/KVM\n", "0 0 0\n");
	assert_false(vcpu_time_read(top, &time));
}

/* --- A thread that is called as a vCPU --- */

static volatile bool over;
static uint64_t wanted_run_ns;

/* The kernel counts for threads at all. */
static bool kernel_counts(void)
{
	char line[80];
	struct vcpu_time time;

	return file_read_line("/proc/thread-self/schedstat", line, sizeof(line)) && vcpu_time_parse(line, &time) &&
	       time.run_ns > 0;
}

static void *be_vcpu(void *context)
{
	struct vcpu_time time = {0};
	char line[80];
	(void)context;

	prctl(PR_SET_NAME, "CPU 0/TCG");
	while (!over && time.run_ns < wanted_run_ns) {
		for (volatile int i = 0; i < 100000; i++)
			;
		if (file_read_line("/proc/thread-self/schedstat", line, sizeof(line)))
			vcpu_time_parse(line, &time);
	}
	while (!over)
		usleep(1000);
	return NULL;
}

/* Until the vCPU has run that long. */
static void await_run(uint64_t run_ns)
{
	struct vcpu_time time;

	while (!vcpu_time_read("/proc/self/task", &time) || time.run_ns < run_ns)
		usleep(1000);
}

/* Two that never sleep have half of a CPU each: no other load makes a wait shorter. */
TEST_WITH(a_vcpu_that_shares_its_cpu_waits, set_up, tear_down)
{
	struct host_wait wait = {0};
	cpu_set_t before, one;
	pthread_t vcpu;
	char process[32];

	if (!kernel_counts())
		skip();
	snprintf(process, sizeof(process), "%d\n", getpid());
	put("qemu.pid", process);
	snprintf(wait.pid_file, sizeof(wait.pid_file), "%s/qemu.pid", top);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &before))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	pid_t hog = fork();
	if (hog == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	over = false;
	wanted_run_ns = 250000000;
	assert_int_equal(pthread_create(&vcpu, NULL, be_vcpu, NULL), 0);
	await_run(20000000);
	host_wait_look(&wait);
	await_run(wanted_run_ns);
	host_wait_look(&wait);
	/* A guest that has ended since has the time until then. */
	assert_int_equal(unlink(wait.pid_file), 0);
	host_wait_look(&wait);
	over = true;
	pthread_join(vcpu, NULL);
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);

	assert_true(wait.is_known);
	/* A fifth of its time. */
	if (wait.time.wait_ns * 4 < wait.time.run_ns)
		fail_msg("waited %" PRIu64 " ns, ran %" PRIu64 " ns", wait.time.wait_ns, wait.time.run_ns);
}

/* --- Without QEMU --- */

TEST_WITH(unknown_without_pid_file, set_up, tear_down)
{
	struct host_wait wait = {0};

	snprintf(wait.pid_file, sizeof(wait.pid_file), "%s/qemu.pid", top);
	for (int again = 0; again < 2; again++)
		host_wait_look(&wait);
	assert_false(wait.is_known);
	put("qemu.pid", "../1\n");
	host_wait_look(&wait);
	host_wait_look(&wait);
	assert_false(wait.is_known);
}

/* --- The report --- */

static void report_of(double share, const char *name)
{
	struct vm_report report = {.complete = true, .result = {.release = "6.1.0", .host_wait_share = share}};
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	fflush(stdout);
	int saved = dup(1);
	assert_non_null(freopen(path, "w", stdout));
	vm_report_print(&report, 0, false);
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
}

static bool has(const char *name, const char *words)
{
	char path[128];
	struct buffer found = {0};

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(file_read(path, 65536, &found, NULL), STATUS_OK);
	assert_non_null(strstr(found.data, "6.1.0\n"));
	bool has_words = strstr(found.data, words);
	buffer_free(&found);
	return has_words;
}

TEST_WITH(vm_reports_notable_waits, set_up, tear_down)
{
	report_of(0.57, "much");
	assert_true(has("much", "\n  The guest's CPUs waited 57.0 %"));
	report_of(0.04, "little");
	assert_false(has("little", "waited"));
	report_of(NAN, "unknown");
	assert_false(has("unknown", "waited"));
}
