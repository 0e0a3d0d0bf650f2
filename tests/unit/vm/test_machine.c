/* SPDX-License-Identifier: MIT
 *
 * The options of QEMU and vng, and the kernel's command line, for a described machine. */
#include "base/arguments.h"
#include "support/unit.h"
#include "vm/engine/channels.h"
#include "vm/engine/emulator.h"

static bool has(const struct arguments *line, const char *item)
{
	for (size_t i = 0; i < line->count; i++)
		if (strcmp(line->items[i], item) == 0)
			return true;
	return false;
}

TEST(the_last_cpu_is_isolated)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .architecture = &architectures[0], .qemu_major = 7};
	struct machine machine = {.engine = &engine, .directory = "/d", .cpus = 4, .nohz_full = true, .append = "x=1"};
	struct buffer line = {0};

	machine_kernel_line(&machine, &line);
	assert_string_equal(line.data, "loglevel=7 panic=-1 oops=panic tsc=reliable no_timer_check "
				       "isolcpus=managed_irq,domain,4 irqaffinity=0-3 nohz_full=4 x=1");
	buffer_clear(&line);
	machine.cpus = 1;
	machine_kernel_line(&machine, &line);
	assert_non_null(strstr(line.data, " isolcpus=managed_irq,domain,1 irqaffinity=0 nohz_full=1 "));
	buffer_clear(&line);
	machine.no_isolated_cpu = true;
	machine_kernel_line(&machine, &line);
	assert_null(strstr(line.data, "isolcpus"));
	assert_int_equal(machine_all_cpus(&machine), 1);
	buffer_free(&line);
}

TEST(processors_by_accelerator_and_version)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .architecture = &architectures[0], .qemu_major = 7};
	struct machine machine = {.engine = &engine, .directory = "/d", .cpus = 2};
	struct arguments line = {0};

	machine_common_options(&machine, &line);
	assert_true(has(&line, "tcg,thread=single"));
	assert_true(has(&line, "qemu64,-cx16"));
	arguments_free(&line);
	engine.qemu_major = 10;
	machine_common_options(&machine, &line);
	assert_true(has(&line, "qemu64"));
	arguments_free(&line);
	machine.accelerator = ACCELERATOR_KVM;
	machine_common_options(&machine, &line);
	assert_true(has(&line, "kvm"));
	assert_true(has(&line, "host,migratable=off,kvm-steal-time=off"));
	assert_false(has(&line, "tcg,thread=single"));
	arguments_free(&line);
}

/* The size of QEMU's cache of translated code changes traces, and by default it depends on the host's memory. */
TEST(deterministic_guests_do_not_depend_on_the_memory_of_the_host)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .architecture = &architectures[0], .qemu_major = 10};
	struct machine machine = {.engine = &engine,
				  .directory = "/d",
				  .cpus = 2,
				  .deterministic = true,
				  .code_cache_mb = MACHINE_CODE_CACHE_MB};
	struct arguments line = {0};

	machine_common_options(&machine, &line);
	assert_true(has(&line, "tcg,thread=single,tb-size=1024"));
	arguments_free(&line);
}

TEST(cpus_beyond_the_host)
{
	struct machine machine = {.cpus = 2, .accelerator = ACCELERATOR_KVM};

	assert_true(machine_exceeds(&machine, 2));
	assert_false(machine_exceeds(&machine, 3));
	machine.no_isolated_cpu = true;
	assert_false(machine_exceeds(&machine, 2));
	machine = (struct machine){.cpus = 8, .accelerator = ACCELERATOR_TCG};
	assert_false(machine_exceeds(&machine, 2)); /* one thread for all */
}

/* vng asks "strings" for the release of a kernel. */
TEST(vng_on_a_host_without_binutils)
{
	struct emulator engine = {.kind = ENGINE_VNG, .architecture = &architectures[0], .qemu_major = 7, .vng = "/v"};
	struct arguments line = {0}, environment = {0};
	char directory[] = "/tmp/picknext-vng-XXXXXX", command[200], said[64] = "";
	const char *path = getenv("PATH");

	assert_non_null(mkdtemp(directory));
	struct machine machine = {.engine = &engine, .directory = directory, .cpus = 2};
	setenv("PATH", "/none", 1);
	assert_int_equal(emulator_vng_prepare(directory, "6.1.9$(id)", NULL), STATUS_OK);
	emulator_vng_command(&machine, &line, &environment);
	setenv("PATH", path, 1);
	snprintf(command, sizeof(command), "PATH=%s/bin:/none", directory);
	assert_true(has(&environment, command));
	snprintf(command, sizeof(command), "%s/bin/strings /a/kernel", directory);
	FILE *strings = popen(command, "r");
	assert_non_null(strings);
	assert_non_null(fgets(said, sizeof(said), strings));
	pclose(strings);
	assert_string_equal(said, "Linux version 6.1.9$(id) \n");
	arguments_free(&line);
	arguments_free(&environment);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	assert_int_equal(system(command), 0);
}

/* No virtio device: the host's speed decides when its requests complete. The only clock is the count of instructions.
 */
TEST(a_deterministic_machine)
{
	struct emulator engine = {
	    .kind = ENGINE_QEMU, .architecture = &architectures[0], .qemu_major = 10, .qemu = "/usr/bin/qemu"};
	struct machine machine = {.engine = &engine, .directory = "/d", .cpus = 2, .deterministic = true, .seed = 12};
	struct arguments line = {0};

	emulator_qemu_command(&machine, &line);
	assert_true(has(&line, "shift=0,sleep=off,align=off"));
	assert_true(has(&line, "base=2020-01-01T00:00:00,clock=vm"));
	assert_true(has(&line, "12"));
	assert_true(has(&line, "file,id=picknext-console,path=/d/console"));
	assert_true(has(&line, "ivshmem-plain,memdev=picknext-shared-memory"));
	for (size_t i = 0; i < line.count; i++)
		assert_null(strstr(line.items[i], "virtio"));
	assert_non_null(strstr(line.items[line.count - 1], "mitigations=off"));
	arguments_free(&line);
}

/* Everything that is particular to x86-64 is in its row. */
TEST(a_machine_of_arm64)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .architecture = architecture_of_elf(183), .qemu_major = 10};
	struct machine machine = {.engine = &engine, .directory = "/d", .cpus = 2};
	struct arguments line = {0};

	for (int deterministic = 0; deterministic < 2; deterministic++) {
		machine.deterministic = deterministic;
		emulator_qemu_command(&machine, &line);
		assert_true(has(&line, "virt,gic-version=3"));
		assert_true(has(&line, "neoverse-n1,cntfrq=1000000000"));
		assert_non_null(strstr(line.items[line.count - 1], "console=ttyAMA0 "));
		for (size_t i = 0; i < line.count; i++) {
			assert_null(strstr(line.items[i], "q35"));
			assert_null(strstr(line.items[i], "tsc="));
			assert_null(strstr(line.items[i], "no_timer_check"));
			assert_null(strstr(line.items[i], "ttyS0"));
		}
		arguments_free(&line);
	}
	machine.accelerator = ACCELERATOR_KVM;
	machine.deterministic = false;
	emulator_qemu_command(&machine, &line);
	assert_true(has(&line, "host"));
	arguments_free(&line);
}

TEST(channels_by_engine)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .architecture = &architectures[0]};
	struct machine machine = {.engine = &engine};

	assert_int_equal(machine_channels(&machine), (1u << CHANNEL_ENGINE) - 1 - (1u << CHANNEL_CONSOLE));
	machine.shared_memory = true;
	assert_int_equal(machine_channels(&machine), 0);
	machine.shared_memory = false;
	engine.kind = ENGINE_VNG;
	assert_int_equal(machine_channels(&machine), 1u << CHANNEL_PROGRESS);
	machine.shell = true;
	assert_int_equal(machine_channels(&machine), 1u << CHANNEL_CONSOLE | 1u << CHANNEL_PROGRESS);
}

/* vng builds a shell line from what it gets: nothing in it may mean something to a shell. */
TEST(nothing_for_a_shell_to_take_apart)
{
	struct emulator engine = {.kind = ENGINE_VNG, .architecture = &architectures[0], .vng = "/opt/vng"};
	struct machine machine = {.engine = &engine,
				  .directory = "/tmp/picknext-vm-abc123",
				  .cpus = 2,
				  .memory_mb = 512,
				  .share = SHARE_VIRTIOFS,
				  .shared_memory = true,
				  .scratch_disk = true};
	struct arguments line = {0}, environment = {0};

	emulator_vng_command(&machine, &line, &environment);
	for (size_t i = 0; i < line.count; i++)
		assert_null(strpbrk(line.items[i], "$`\"'\\;&|<>()*?[]{}~#!\n"));
	arguments_free(&line);
	arguments_free(&environment);
}
