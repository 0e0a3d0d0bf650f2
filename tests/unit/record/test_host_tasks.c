/* SPDX-License-Identifier: MIT
 *
 * The path in /proc/PID/cgroup, of the cgroups of each version (cgroups(7)), and the lists of this machine's tasks. */
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "record/host_facts.h"
#include "record/host_tasks.h"
#include "support/unit.h"

static void assert_path(const char *text, const char *path)
{
	const struct text_span found = task_cgroup_path(text);

	assert_int_equal(found.length, strlen(path));
	assert_memory_equal(found.text ? found.text : "", path, found.length);
}

TEST(the_path_of_the_cpu_controller)
{
	assert_path("0::/user.slice/user-0.slice\n", "/user.slice/user-0.slice");
	assert_path("12:cpuset:/a\n5:cpu,cpuacct:/docker/1:2\n1:name=systemd:/b\n0::/c\n", "/docker/1:2");
	assert_path("5:cpuacct,cpu:/x", "/x");
	/* Both versions, the controller in the second one. */
	assert_path("4:cpuacct:/a\n3:cpuset:/b\n1:name=cpu:/d\n0::/c\n", "/c");
	assert_path("0::/\n", "/");
}

TEST(no_path)
{
	assert_path("", "");
	assert_path("4:cpuset:/a\n", "");
	assert_path("nothing\n0:/a", "");
}

static void assert_lists(const struct host_task_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		assert_int_equal(strspn(list->items[i].value, "0123456789,-"), strlen(list->items[i].value));
}

TEST(reading_twice_is_reading_anew)
{
	struct host_tasks tasks = {0};

	host_tasks_read(&tasks);
	const size_t cgroups = tasks.cgroups.count, processes = tasks.processes.count;
	assert_int_equal(cgroups > 0, has_kernel_pids());
	assert_int_equal(processes > 0, has_kernel_pids());
	for (size_t i = 0; i < cgroups; i++)
		assert_int_equal(tasks.cgroups.items[i].name[0], '/');
	assert_lists(&tasks.cgroups);
	assert_lists(&tasks.processes);
	host_tasks_read(&tasks);
	assert_true(tasks.cgroups.count <= 2 * cgroups);
	assert_true(tasks.processes.count <= 2 * processes);
	host_tasks_free(&tasks);
}

struct waiting {
	int ends[2];
	pid_t tid;
};

static void *wait_for_end(void *context)
{
	struct waiting *waiting = context;
	char byte;

	waiting->tid = gettid();
	assert_int_equal(read(waiting->ends[0], &byte, 1), 0);
	return NULL;
}

/* The text of the list that has this PID; NULL: none. */
static const char *find_text(const struct host_task_list *list, pid_t pid)
{
	const char *found = NULL;

	for (size_t i = 0; i < list->count; i++)
		for (char *at = (char *)(uintptr_t)list->items[i].value; *at; at += *at == ',') {
			const unsigned long first = strtoul(at, &at, 10),
					    last = *at == '-' ? strtoul(at + 1, &at, 10) : first;
			if ((unsigned long)pid < first || (unsigned long)pid > last)
				continue;
			assert_null(found);
			found = list->items[i].name;
		}
	return found;
}

TEST(threads_are_listed_by_their_process)
{
	struct host_tasks tasks = {0};
	struct waiting waiting;
	char name[16], expected[64];
	pthread_t thread;

	if (!has_kernel_pids())
		skip();
	prctl(PR_GET_NAME, name);
	assert_int_equal(prctl(PR_SET_NAME, "a (b)\n\"c"), 0);
	assert_int_equal(pipe(waiting.ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &waiting), 0);
	host_tasks_read(&tasks);
	close(waiting.ends[1]);
	pthread_join(thread, NULL);
	close(waiting.ends[0]);
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
	snprintf(expected, sizeof(expected), "%ld a (b)\n\"c", (long)getpid());
	assert_string_equal(find_text(&tasks.processes, getpid()), expected);
	assert_string_equal(find_text(&tasks.processes, waiting.tid), expected);
	assert_non_null(find_text(&tasks.processes, 1));
	host_tasks_free(&tasks);
}
