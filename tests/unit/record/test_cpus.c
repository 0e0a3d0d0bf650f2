/* SPDX-License-Identifier: MIT
 *
 * Lists of CPUs, and who runs on which. */
#include "base/buffer.h"
#include "base/cpu_list.h"
#include "record/tracefs/cpus.h"
#include "support/unit.h"

static void assert_round_trip(const char *from, int count, const char *to)
{
	cpu_set_t set;
	char text[256];

	assert_true(cpu_list_parse(from, &set));
	assert_int_equal(CPU_COUNT(&set), count);
	cpu_list_text(&set, text, sizeof(text));
	assert_string_equal(text, to);
}

TEST(reads_and_writes_lists)
{
	assert_round_trip("", 0, "");
	assert_round_trip("\n", 0, "");
	assert_round_trip("0", 1, "0");
	assert_round_trip("0-1\n", 2, "0-1");
	assert_round_trip("0-2,4,6-7", 6, "0-2,4,6-7");
	assert_round_trip("3,2,1", 3, "1-3");
	assert_round_trip("1023", 1, "1023");
}

TEST(refuses_what_is_no_list)
{
	static const char *const bad[] = {"a", "1-", "-1", "2-1", "1,", "1,,2", "1 2", "1024", "0-99999999999", "0x1"};
	cpu_set_t set;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (cpu_list_parse(bad[i], &set))
			fail_msg("took '%s' for a list of CPUs", bad[i]);
}

TEST(cuts_a_long_list)
{
	cpu_set_t set;
	char text[8];

	assert_true(cpu_list_parse("100,200,300,400", &set));
	cpu_list_text(&set, text, sizeof(text));
	assert_string_equal(text, "100,200");
}

static struct cpu_layout decided(const char *online, const char *isolated, const char *original)
{
	struct cpu_layout layout = {0};

	assert_true(cpu_list_parse(online, &layout.online));
	assert_true(cpu_list_parse(isolated, &layout.isolated));
	assert_true(cpu_list_parse(original, &layout.original));
	cpu_layout_decide(&layout);
	return layout;
}

static void assert_workload(const struct cpu_layout *layout, const char *expected)
{
	char text[64];

	cpu_list_text(&layout->workload, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(gives_the_tracer_an_isolated_cpu)
{
	struct cpu_layout layout = decided("0-3", "2-3", "0-1");

	assert_int_equal(layout.tracer_cpu, 3);
	assert_workload(&layout, "0-1");
	/* isolated, but offline: not there for the tracer */
	layout = decided("0-2", "2-3", "0-1");
	assert_int_equal(layout.tracer_cpu, 2);
	assert_workload(&layout, "0-1");
}

TEST(leaves_all_to_the_workload_otherwise)
{
	struct cpu_layout layout = decided("0-3", "", "0-3");

	assert_int_equal(layout.tracer_cpu, -1);
	assert_workload(&layout, "0-3");
	/* taskset before picknext counts */
	layout = decided("0-3", "", "1-2");
	assert_workload(&layout, "1-2");
	/* every CPU isolated: nothing would be left */
	layout = decided("0-1", "0-1", "0-1");
	assert_int_equal(layout.tracer_cpu, -1);
	assert_workload(&layout, "0-1");
	/* only an offline one isolated */
	layout = decided("0-1", "3", "0-1");
	assert_int_equal(layout.tracer_cpu, -1);
	assert_workload(&layout, "0-1");
}

static void assert_model(const char *text, const char *expected)
{
	char model[CPU_MODEL_SIZE];

	cpu_model_from(text, model);
	assert_string_equal(model, expected);
}

/* Texts of kernels, shortened: one with names, a Neoverse N1, and an RK3399, whose CPUs are of two kinds. */
TEST(names_the_model_of_the_cpus)
{
	assert_model("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 143\n"
		     "model name\t: Intel(R) Xeon(R) Processor @ 2.60GHz\nstepping\t: 8\n",
		     "Intel(R) Xeon(R) Processor @ 2.60GHz");
	assert_model(
	    "processor\t: 0\nBogoMIPS\t: 243.75\n"
	    "Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop "
	    "asimddp ssbs\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
	    "CPU revision\t: 1\n\n",
	    "implementer 0x41 part 0xd0c r3p1");
	assert_model("processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
		     "CPU part\t: 0xd03\nCPU revision\t: 4\n\n"
		     "processor\t: 1\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
		     "CPU part\t: 0xd03\nCPU revision\t: 4\n\n"
		     "processor\t: 4\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
		     "CPU part\t: 0xd08\nCPU revision\t: 2\n\n",
		     "implementer 0x41 part 0xd03 r0p4, implementer 0x41 part 0xd08 r0p2");
	assert_model("", "");
	assert_model("processor\t: 0\n", "");
}

/* Truncated texts, and more kinds than fit. */
TEST(reads_any_text_of_cpus)
{
	struct buffer text = {0};
	char model[CPU_MODEL_SIZE];

	assert_model("model name", "?");
	assert_model("CPU implementer", "implementer ? part ? r0p?");
	assert_model("CPU implementer\t: 0x41\nCPU part\t:", "implementer 0x41 part  r0p?");
	for (int i = 0; i < 64; i++)
		buffer_printf(&text, "CPU implementer\t: 0x%d\nCPU part\t: 0x%d\n", i, i);
	cpu_model_from(text.data, model);
	buffer_free(&text);
	assert_int_equal(strlen(model), CPU_MODEL_SIZE - 1);
}
