/* SPDX-License-Identifier: MIT
 *
 * Flattened device trees: what is written is read again, damaged ones are refused at each byte, and kinds of CPUs are
 * added to the CPUs of the tree alone. */
#include "support/unit.h"
#include "vm/engine/cpu_kinds.h"
#include "vm/engine/device_tree.h"

static struct error err;

/* "/ model=6 cpus/ cpu@0/ phandle=4 ... " of a blob; "" and err if it is refused. */
static void describe(const void *bytes, size_t length, char *text, size_t size)
{
	struct device_tree tree;
	struct device_tree_item item = {.token = DEVICE_TREE_NODE};
	size_t used = 0;
	enum status status = device_tree_open(&tree, bytes, length, "tree", &err);

	text[0] = '\0';
	while (status == STATUS_OK && item.token != DEVICE_TREE_END) {
		status = device_tree_next(&tree, &item, &err);
		if (status != STATUS_OK)
			break;
		if (item.token == DEVICE_TREE_NODE)
			used += (size_t)snprintf(text + used, size - used, "%s/ ", item.name);
		else if (item.token == DEVICE_TREE_NODE_END)
			used += (size_t)snprintf(text + used, size - used, "; ");
		else if (item.token == DEVICE_TREE_PROPERTY && device_tree_cell(&item))
			used +=
			    (size_t)snprintf(text + used, size - used, "%s=<%u> ", item.name, device_tree_cell(&item));
		else if (item.token == DEVICE_TREE_PROPERTY)
			used += (size_t)snprintf(text + used, size - used, "%s=%u ", item.name, item.length);
		assert_true(used < size);
	}
	if (status != STATUS_OK)
		text[0] = '\0';
}

/* As QEMU has them: cpu-map and other nodes beside the CPUs. */
static void write_tree(unsigned int cpus, struct buffer *out)
{
	struct device_tree_writer writer = {0};
	char name[16];

	device_tree_begin_node(&writer, "");
	device_tree_add_text(&writer, "model", "virt");
	device_tree_begin_node(&writer, "cpus");
	device_tree_begin_node(&writer, "cpu-map");
	device_tree_begin_node(&writer, "cpu@9");
	device_tree_end_node(&writer);
	device_tree_end_node(&writer);
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		snprintf(name, sizeof(name), "cpu@%u", cpu);
		device_tree_begin_node(&writer, name);
		device_tree_add_cell(&writer, "phandle", 0x8000 + cpu);
		device_tree_end_node(&writer);
	}
	device_tree_end_node(&writer);
	device_tree_begin_node(&writer, "bus");
	device_tree_begin_node(&writer, "cpu@0");
	device_tree_end_node(&writer);
	device_tree_end_node(&writer);
	device_tree_end_node(&writer);
	device_tree_finish(&writer, 0, out);
}

#define AT_ROOT              "cpu-clock/ compatible=12 #clock-cells=4 clock-frequency=<1000000000> phandle=<32772> ; "
#define POINTS               "opp-500000000/ opp-hz=8 opp-microvolt=<700000> ; opp-1000000000/ opp-hz=8 opp-microvolt=<1000000> ; ; "
#define TABLE(name, phandle) "opp-table-" name "/ compatible=20 opp-shared=0 phandle=<" phandle "> " POINTS
#define CPU(capacity, power, table)                                                                                    \
	"capacity-dmips-mhz=<" capacity "> dynamic-power-coefficient=<" power "> operating-points-v2=<" table          \
	"> clocks=<32772> "

TEST(kinds_are_added_to_the_cpus)
{
	const struct cpu_kinds kinds = {.little = 2, .big = 1, .has_tracer = true};
	struct buffer tree = {0}, edited = {0};
	char text[4096];

	write_tree(4, &tree);
	assert_int_equal(cpu_kinds_add(tree.data, tree.length, &kinds, "tree", &edited, &err), STATUS_OK);
	describe(edited.data, edited.length, text, sizeof(text));
	assert_string_equal(
	    text,
	    "/ model=5 cpus/ cpu-map/ cpu@9/ ; ; cpu@0/ " CPU("512", "100", "32773") "phandle=<32768> ; cpu@1/ " CPU(
		"512", "100",
		"32773") "phandle=<32769> ; cpu@2/ " CPU("1024", "500",
							 "32774") "phandle=<32770> ; cpu@3/ " CPU("1024", "500",
												  "3277"
												  "5") "phandle=<32771>"
												       " ; ; bus/ "
												       "cpu@0/ ; "
												       "; " AT_ROOT TABLE(
													   "little",
													   "32773")
													   TABLE(
													       "big",
													       "32774")
													       TABLE(
														   "tra"
														   "ce"
														   "r",
														   "327"
														   "75") "; ");
	buffer_free(&edited);

	/* The kinds are those of all CPUs, or it is refused. */
	const struct cpu_kinds others = {.little = 2, .big = 1};
	assert_int_equal(cpu_kinds_add(tree.data, tree.length, &others, "tree", &edited, &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "4 CPUs, not 3"));
	buffer_free(&tree);
	write_tree(3, &tree);
	assert_int_equal(cpu_kinds_add(tree.data, tree.length, &others, "tree", &edited, &err), STATUS_OK);
	assert_null(memmem(edited.data, edited.length, "tracer", 6));
	buffer_free(&tree);
	buffer_free(&edited);
}

TEST(copies_are_of_exactly_the_bytes)
{
	struct buffer tree = {0};

	write_tree(2, &tree);
	/* The sanitizer sees each read beyond a shorter copy. */
	for (size_t length = 0; length < tree.length; length++) {
		char text[4096], *copy = malloc(length);
		assert_true(copy || !length);
		if (length)
			memcpy(copy, tree.data, length);
		describe(copy, length, text, sizeof(text));
		assert_string_equal(text, "");
		free(copy);
	}
	buffer_free(&tree);
}

TEST(damaged_ones_are_refused_or_read_within_their_bounds)
{
	struct buffer tree = {0};
	const struct cpu_kinds kinds = {.little = 1, .big = 1};

	write_tree(2, &tree);
	for (size_t at = 0; at < tree.length; at++)
		for (unsigned int bit = 0; bit < 8; bit++) {
			struct buffer edited = {0};
			tree.data[at] = (char)(tree.data[at] ^ 1 << bit);
			cpu_kinds_add(tree.data, tree.length, &kinds, "tree", &edited, &err);
			tree.data[at] = (char)(tree.data[at] ^ 1 << bit);
			buffer_free(&edited);
		}
	buffer_free(&tree);
}

/* Header, an empty reservation, and these words as structure; names: "a". */
static enum status read_words(const uint8_t *words, uint32_t count, char *text, size_t size)
{
	uint8_t blob[256] = {
	    0xd0, 0x0d, 0xfe, 0xed, [7] = 56 + 4, [11] = 56, [15] = 56, [19] = 40, [23] = 17, [27] = 16};

	memcpy(blob + 56, words, count);
	blob[7] = (uint8_t)(56 + count + 2);
	blob[15] = (uint8_t)(56 + count);
	blob[35] = 2;
	blob[39] = (uint8_t)count;
	blob[56 + count] = 'a';
	err.status = STATUS_OK;
	describe(blob, 56 + count + 2, text, size);
	return err.status;
}

TEST(structures_that_do_not_close_are_refused)
{
#define WORD(n) 0, 0, 0, (n)
	static const uint8_t empty[] = {WORD(1), WORD(0), WORD(2), WORD(9)};
	static const uint8_t nop[] = {WORD(4), WORD(1), WORD(0), WORD(3), WORD(0), WORD(0), WORD(2), WORD(4), WORD(9)};
	static const uint8_t not_closed[] = {WORD(1), WORD(0), WORD(9)};
	static const uint8_t closed_twice[] = {WORD(1), WORD(0), WORD(2), WORD(2), WORD(9)};
	static const uint8_t property_outside[] = {WORD(3), WORD(0), WORD(0), WORD(9)};
	static const uint8_t long_value[] = {WORD(1), WORD(0), WORD(3), WORD(200), WORD(0), WORD(2), WORD(9)};
	static const uint8_t huge_value[] = {WORD(1), WORD(0), WORD(3), 255, 255, 255, 255, WORD(0), WORD(2), WORD(9)};
	static const uint8_t no_name[] = {WORD(1), WORD(0), WORD(3), WORD(0), WORD(2), WORD(2), WORD(9)};
	static const uint8_t endless_name[] = {WORD(1), 'a', 'a', 'a', 'a'};
	static const uint8_t unknown[] = {WORD(1), WORD(0), WORD(7), WORD(2), WORD(9)};
	static const uint8_t no_end[] = {WORD(1), WORD(0), WORD(2)};
	static const struct {
		const uint8_t *words;
		uint32_t count;
	} bad[] = {{not_closed, sizeof(not_closed)},
		   {closed_twice, sizeof(closed_twice)},
		   {property_outside, sizeof(property_outside)},
		   {long_value, sizeof(long_value)},
		   {huge_value, sizeof(huge_value)},
		   {no_name, sizeof(no_name)},
		   {endless_name, sizeof(endless_name)},
		   {unknown, sizeof(unknown)},
		   {no_end, sizeof(no_end)}};
	char text[256];

	assert_int_equal(read_words(empty, sizeof(empty), text, sizeof(text)), STATUS_OK);
	assert_string_equal(text, "/ ; ");
	assert_int_equal(read_words(nop, sizeof(nop), text, sizeof(text)), STATUS_OK);
	assert_string_equal(text, "/ a=0 ; ");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (read_words(bad[i].words, bad[i].count, text, sizeof(text)) != STATUS_CORRUPT)
			fail_msg("bad[%zu] is taken", i);
}
