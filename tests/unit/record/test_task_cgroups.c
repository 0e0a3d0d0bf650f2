/* SPDX-License-Identifier: MIT
 *
 * The path in /proc/PID/cgroup, of the cgroups of each version (cgroups(7)). */
#include "record/host_facts.h"
#include "record/task_cgroups.h"
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

TEST(reading_twice_is_reading_anew)
{
	struct task_cgroups cgroups = {0};

	task_cgroups_read(&cgroups);
	const size_t count = cgroups.count;
	assert_int_equal(count > 0, has_kernel_pids());
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(cgroups.items[i].name[0], '/');
		assert_int_equal(strspn(cgroups.items[i].value, "0123456789,-"), strlen(cgroups.items[i].value));
	}
	task_cgroups_read(&cgroups);
	assert_true(cgroups.count <= 2 * count);
	task_cgroups_free(&cgroups);
}
