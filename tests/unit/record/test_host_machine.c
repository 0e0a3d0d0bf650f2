/* SPDX-License-Identifier: MIT
 *
 * Facts about the scheduler, in texts copied from kernels. */
#include "record/tracefs/host_machine.h"
#include "support/unit.h"

static const char *tunable(const struct host_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->tunable_count; i++)
		if (strcmp(machine->tunables[i].name, name) == 0)
			return machine->tunables[i].value;
	return NULL;
}

TEST(tells_preemption_from_the_version)
{
	assert_string_equal(preemption_from_build("6.1.0", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.158-1", NULL), "dynamic");
	assert_string_equal(preemption_from_build("6.12.0", "#1 SMP PREEMPT_RT Debian 6.12", NULL), "rt");
	assert_string_equal(preemption_from_build("5.10.0", "#1 SMP Debian 5.10.1", NULL), "voluntary or none");
}

/* init/Makefile writes PREEMPT for both models */
TEST(tells_lazy_from_full_by_the_configuration)
{
	static const char version[] = "#1 SMP PREEMPT Mon";
	static const char lazy[] = "CONFIG_HZ=250\n# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_LAZY=y\nCONFIG_SMP=y\n";
	static const char full[] =
	    "CONFIG_ARCH_HAS_PREEMPT_LAZY=y\nCONFIG_PREEMPT=y\n# CONFIG_PREEMPT_LAZY is not set\n";

	assert_string_equal(preemption_from_build("7.3.4", version, lazy), "lazy");
	assert_string_equal(preemption_from_build("7.3.4", version, full), "full");
	assert_string_equal(preemption_from_build("7.3.4", version, NULL), "full or lazy");
	assert_string_equal(preemption_from_build("6.13.0", version, NULL), "full or lazy");
	assert_string_equal(preemption_from_build("6.12.95", version, NULL), "full");
	assert_string_equal(preemption_from_build("5.10.0", version, NULL), "full");
	/* A dynamic kernel is lazy only until it boots. */
	assert_string_equal(preemption_from_build("7.3.4", "#1 SMP PREEMPT_DYNAMIC Debian 7.3.4-1", lazy), "dynamic");
}

/* kernel 6.18: the tunables' own files are closed by lockdown, this text is not */
TEST(takes_times_from_the_debug_text)
{
	struct host_machine machine = {0};

	host_machine_add_debug(&machine, "sysctl_sched\n"
					 "  .sysctl_sched_base_slice                 : 1.400000\n"
					 "  .sysctl_sched_features                   : 99674079\n"
					 "  .sysctl_sched_tunable_scaling            : 1 (logarithmic)\n\n"
					 "cpu#0, 2596.138 MHz\n  .nr_running                    : 0\n");
	assert_int_equal(machine.tunable_count, 1);
	assert_string_equal(tunable(&machine, "base_slice_ns"), "1400000");
}

/* kernel 6.1 */
TEST(takes_the_tunables_of_cfs)
{
	struct host_machine machine = {0};

	host_machine_add_debug(&machine, "  .sysctl_sched_latency                    : 12.000000\n"
					 "  .sysctl_sched_min_granularity            : 1.500000\n"
					 "  .sysctl_sched_idle_min_granularity       : 0.750000\n"
					 "  .sysctl_sched_wakeup_granularity         : 2.000000\n"
					 "  .sysctl_sched_child_runs_first           : 0\n"
					 "  .sysctl_sched_features                   : 4139579\n");
	assert_int_equal(machine.tunable_count, 4);
	assert_string_equal(tunable(&machine, "latency_ns"), "12000000");
	assert_string_equal(tunable(&machine, "min_granularity_ns"), "1500000");
	assert_string_equal(tunable(&machine, "idle_min_granularity_ns"), "750000");
	assert_string_equal(tunable(&machine, "wakeup_granularity_ns"), "2000000");
}

TEST(keeps_what_is_known_already)
{
	struct host_machine machine = {.tunables = {{.name = "base_slice_ns", .value = "3000000"}}, .tunable_count = 1};

	host_machine_add_debug(&machine, ".sysctl_sched_base_slice : 1.400000\n");
	assert_int_equal(machine.tunable_count, 1);
	assert_string_equal(tunable(&machine, "base_slice_ns"), "3000000");
}

TEST(does_not_run_over)
{
	struct host_machine machine = {0};
	char text[64 * 64] = "";

	for (int i = 0; i < 40; i++) {
		size_t length = strlen(text);
		snprintf(text + length, sizeof(text) - length, ".sysctl_sched_%c%c : 1.000000\n", 'a' + i / 20,
			 'a' + i % 20);
	}
	host_machine_add_debug(&machine, text);
	assert_int_equal(machine.tunable_count, HOST_TUNABLES_MAX);
	machine = (struct host_machine){0};
	host_machine_add_debug(&machine, ".sysctl_sched_base_slice : 99999999999999999999.000000\n"
					 ".sysctl_sched_ : 1.0\n.sysctl_sched_x : 1.5\n.sysctl_sched_");
	assert_int_equal(machine.tunable_count, 0);
}

/* The machine that the test runs on: whatever else it hides, these it tells. */
TEST(reads_this_machine)
{
	static struct host_machine machine;

	host_machine_read(&machine);
	assert_true(machine.preemption[0] != '\0');
	assert_true(machine.hz >= 10 && machine.hz <= 10000);
	assert_true(machine.tunable_count <= HOST_TUNABLES_MAX);
}
