/* SPDX-License-Identifier: MIT
 *
 * Which host CPUs a guest's get, and that threads with QEMU's names are bound to them. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "support/unit.h"
#include "vm/engine/vcpu_pin.h"

static struct error err;

static enum status choose(const char *cores, const char *allowed, unsigned int count, unsigned int threads,
			  struct vcpu_pin *pin)
{
	struct cpu_topology host = {0};
	cpu_set_t set;

	snprintf(host.smt, sizeof(host.smt), "%s", cores);
	assert_true(cpu_list_parse(allowed, &set));
	return vcpu_pin_choose(&host, &set, count, threads, pin, &err);
}

static void assert_pins(const struct vcpu_pin *pin, const char *cpus, const char *siblings)
{
	char text[200];

	vcpu_pin_text(pin, text, sizeof(text));
	assert_string_equal(text, cpus);
	cpu_list_text(&pin->siblings, text, sizeof(text));
	assert_string_equal(text, siblings);
}

TEST(each_cpu_has_a_core)
{
	struct vcpu_pin pin;

	assert_int_equal(choose("0,4 1,5 2,6 3,7", "0-7", 3, 1, &pin), STATUS_OK);
	assert_pins(&pin, "0,1,2", "4-6");
	/* Only what picknext may use: a thread of a core is enough. */
	assert_int_equal(choose("0,4 1,5 2,6 3,7", "2-4", 3, 1, &pin), STATUS_OK);
	assert_pins(&pin, "4,2,3", "0,6-7");
	assert_int_equal(choose("0 1 2", "0-2", 3, 1, &pin), STATUS_OK);
	assert_pins(&pin, "0,1,2", "");
}

TEST(threads_of_a_core_are_threads_of_one)
{
	struct vcpu_pin pin;

	/* Two cores of two threads, and the tracer's CPU. */
	assert_int_equal(choose("0,4 1,5 2,6 3,7", "0-7", 5, 2, &pin), STATUS_OK);
	assert_pins(&pin, "0,4,1,5,2", "6");
	/* Core 1,5 is not whole. */
	assert_int_equal(choose("0,4 1,5 2,6", "0-4,6", 4, 2, &pin), STATUS_OK);
	assert_pins(&pin, "0,4,2,6", "");
}

TEST(too_few_cores_are_refused)
{
	struct vcpu_pin pin;

	assert_int_equal(choose("0-1 2-3", "0-3", 3, 1, &pin), STATUS_SYSTEM);
	assert_int_equal(choose("0 1 2 3", "0-3", 4, 2, &pin), STATUS_SYSTEM);
	assert_int_equal(choose("0 1 2", "1-2", 3, 1, &pin), STATUS_SYSTEM);
	assert_int_equal(choose("", "0-3", 1, 1, &pin), STATUS_SYSTEM);
}

static atomic_int tid;
static atomic_bool over;

static void *be_vcpu(void *name)
{
	prctl(PR_SET_NAME, name);
	atomic_store(&tid, gettid());
	while (!atomic_load(&over))
		usleep(1000);
	return NULL;
}

TEST(binds_the_threads)
{
	static char name[] = "CPU 0/KVM";
	struct vcpu_pin pin;
	pthread_t thread;
	cpu_set_t mine, found;
	char list[4096];

	assert_int_equal(sched_getaffinity(0, sizeof(mine), &mine), 0);
	unsigned int last = CPU_SETSIZE;
	while (!CPU_ISSET(--last, &mine))
		;
	snprintf(list, sizeof(list), "%u", last);
	assert_int_equal(choose(list, list, 1, 1, &pin), STATUS_OK);
	assert_int_equal(pthread_create(&thread, NULL, be_vcpu, name), 0);
	while (!atomic_load(&tid))
		usleep(1000);
	assert_int_equal(vcpu_pin_bind(&pin, "/proc/self/task", &err), STATUS_OK);
	assert_int_equal(sched_getaffinity(atomic_load(&tid), sizeof(found), &found), 0);
	assert_int_equal(CPU_COUNT(&found), 1);
	assert_true(CPU_ISSET(last, &found));
	/* Not the others. */
	assert_int_equal(sched_getaffinity(0, sizeof(found), &found), 0);
	assert_true(CPU_EQUAL(&found, &mine));
	pin.count = 2;
	assert_int_equal(vcpu_pin_bind(&pin, "/proc/self/task", &err), STATUS_SYSTEM);
	assert_int_equal(vcpu_pin_bind(&pin, "/nowhere", &err), STATUS_SYSTEM);
	atomic_store(&over, true);
	pthread_join(thread, NULL);
}
