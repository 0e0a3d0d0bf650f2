/* SPDX-License-Identifier: MIT */
#include "vm/engine/cpu_kinds.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/filter.h"
#include "vm/engine/device_tree.h"
#include "vm/engine/emulator.h"

#define TREE_BYTES_MAX (4u << 20)

/* A domain is a kind of CPUs whose frequency changes together. */
enum domain { DOMAIN_LITTLE, DOMAIN_BIG, DOMAIN_TRACER, DOMAINS };

/* Power is coefficient * MHz * V^2, in microwatts. Values as of cores of phones: at the same frequency a little CPU
 * does half the work for a fifth of the power. */
static const struct {
	const char *node;
	uint32_t capacity, power;
} domains[DOMAINS] = {
    [DOMAIN_LITTLE] = {"opp-table-little", CPU_KIND_LITTLE_CAPACITY, 100},
    [DOMAIN_BIG] = {"opp-table-big", CPU_KIND_BIG_CAPACITY, 500},
    [DOMAIN_TRACER] = {"opp-table-tracer", CPU_KIND_BIG_CAPACITY, 500},
};

static const struct {
	uint32_t hertz, microvolts;
} points[] = {{500000000, 700000}, {1000000000, 1000000}};
enum { POINTS = sizeof(points) / sizeof(points[0]) };

/* The CPUs of a tree, and the first phandle that none of its nodes has. */
struct survey {
	unsigned int cpus;
	uint32_t free_phandle;
};

struct editor {
	const struct cpu_kinds *kinds;
	struct device_tree tree;
	struct device_tree_writer writer;
	struct survey survey;
	bool is_in_cpus; /* below /cpus */
	unsigned int cpu;
};

/* Notes the place of a node that has just begun; true if it is a CPU. */
static bool enter_node(struct editor *editor, const struct device_tree_item *item)
{
	if (editor->tree.depth == 2)
		editor->is_in_cpus = strcmp(item->name, "cpus") == 0;
	return editor->tree.depth == 3 && editor->is_in_cpus && strncmp(item->name, "cpu@", 4) == 0;
}

static enum status survey_tree(struct editor *editor, struct error *err)
{
	struct device_tree_item item;
	enum status status = STATUS_OK;

	editor->survey = (struct survey){.free_phandle = 1};
	do {
		status = device_tree_next(&editor->tree, &item, err);
		if (status != STATUS_OK)
			return status;
		if (item.token == DEVICE_TREE_NODE)
			editor->survey.cpus += enter_node(editor, &item);
		if (item.token == DEVICE_TREE_PROPERTY && strcmp(item.name, "phandle") == 0 &&
		    device_tree_cell(&item) >= editor->survey.free_phandle && device_tree_cell(&item) < INT32_MAX)
			editor->survey.free_phandle = device_tree_cell(&item) + 1;
	} while (item.token != DEVICE_TREE_END);
	return STATUS_OK;
}

static uint32_t clock_phandle(const struct editor *editor)
{
	return editor->survey.free_phandle;
}

static uint32_t domain_phandle(const struct editor *editor, enum domain domain)
{
	return editor->survey.free_phandle + 1 + (uint32_t)domain;
}

/* The kernel numbers CPUs in the order of the tree. */
static void describe_cpu(struct editor *editor)
{
	const struct cpu_kinds *kinds = editor->kinds;
	const unsigned int cpu = editor->cpu++;
	const enum domain domain = cpu < kinds->little                ? DOMAIN_LITTLE
				   : cpu < kinds->little + kinds->big ? DOMAIN_BIG
								      : DOMAIN_TRACER;

	device_tree_add_cell(&editor->writer, "capacity-dmips-mhz", domains[domain].capacity);
	device_tree_add_cell(&editor->writer, "dynamic-power-coefficient", domains[domain].power);
	device_tree_add_cell(&editor->writer, "operating-points-v2", domain_phandle(editor, domain));
	device_tree_add_cell(&editor->writer, "clocks", clock_phandle(editor));
}

/* A clock of one frequency: the CPUs' speed never changes. */
static void add_clock(struct editor *editor)
{
	struct device_tree_writer *writer = &editor->writer;

	device_tree_begin_node(writer, "cpu-clock");
	device_tree_add_text(writer, "compatible", "fixed-clock");
	device_tree_add_cell(writer, "#clock-cells", 0);
	device_tree_add_cell(writer, "clock-frequency", points[POINTS - 1].hertz);
	device_tree_add_cell(writer, "phandle", clock_phandle(editor));
	device_tree_end_node(writer);
}

static void add_points(struct editor *editor, enum domain domain)
{
	struct device_tree_writer *writer = &editor->writer;
	char name[32];

	device_tree_begin_node(writer, domains[domain].node);
	device_tree_add_text(writer, "compatible", "operating-points-v2");
	device_tree_add(writer, "opp-shared", "", 0);
	device_tree_add_cell(writer, "phandle", domain_phandle(editor, domain));
	for (size_t i = 0; i < POINTS; i++) {
		const uint32_t hertz = points[i].hertz;
		const uint8_t two_cells[8] = {
		    [4] = (uint8_t)(hertz >> 24), (uint8_t)(hertz >> 16), (uint8_t)(hertz >> 8), (uint8_t)hertz};
		snprintf(name, sizeof(name), "opp-%u", hertz);
		device_tree_begin_node(writer, name);
		device_tree_add(writer, "opp-hz", two_cells, sizeof(two_cells));
		device_tree_add_cell(writer, "opp-microvolt", points[i].microvolts);
		device_tree_end_node(writer);
	}
	device_tree_end_node(writer);
}

static void copy_item(struct editor *editor, const struct device_tree_item *item)
{
	if (item->token == DEVICE_TREE_NODE) {
		device_tree_begin_node(&editor->writer, item->name);
		if (enter_node(editor, item))
			describe_cpu(editor);
	} else if (item->token == DEVICE_TREE_PROPERTY) {
		device_tree_add(&editor->writer, item->name, item->value, item->length);
	} else if (item->token == DEVICE_TREE_NODE_END) {
		if (editor->tree.depth == 0) {
			add_clock(editor);
			for (int domain = 0; domain < DOMAINS; domain++)
				if (domain != DOMAIN_TRACER || editor->kinds->has_tracer)
					add_points(editor, (enum domain)domain);
		}
		device_tree_end_node(&editor->writer);
	}
}

enum status cpu_kinds_add(const void *tree, size_t length, const struct cpu_kinds *kinds, const char *where,
			  struct buffer *out, struct error *err)
{
	struct editor editor = {.kinds = kinds};
	struct device_tree_item item = {.token = DEVICE_TREE_NODE};
	const unsigned int cpus = kinds->little + kinds->big + kinds->has_tracer;
	enum status status = device_tree_open(&editor.tree, tree, length, where, err);

	if (status == STATUS_OK)
		status = survey_tree(&editor, err);
	if (status != STATUS_OK)
		return status;
	if (editor.survey.cpus != cpus)
		return error_set(err, STATUS_UNSUPPORTED, where, "the device tree has %u CPUs, not %u",
				 editor.survey.cpus, cpus);
	device_tree_open(&editor.tree, tree, length, where, err);
	while (item.token != DEVICE_TREE_END && device_tree_next(&editor.tree, &item, err) == STATUS_OK)
		copy_item(&editor, &item);
	device_tree_finish(&editor.writer, editor.tree.boot_cpu, out);
	return STATUS_OK;
}

enum status cpu_kinds_tree(const struct machine *machine, const char *directory, struct buffer *out, struct error *err)
{
	const struct cpu_kinds kinds = {machine->topology.little, machine->topology.big, !machine->no_isolated_cpu};
	struct arguments command = {0};
	struct buffer tree = {0}, output = {0};
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, MACHINE_DEVICE_TREE, err);

	if (status != STATUS_OK)
		return status;
	emulator_qemu_tree_command(machine, path, &command);
	status = filter_through((const char *const *)command.items, "", 0, 65536, &output, machine->engine->qemu, err);
	if (status == STATUS_CORRUPT)
		status = error_set(err, STATUS_SYSTEM, machine->engine->qemu, "cannot dump the device tree of %s",
				   machine->engine->architecture->machine);
	if (status == STATUS_OK)
		status = file_read(path, TREE_BYTES_MAX, &tree, err);
	if (status == STATUS_OK)
		status = cpu_kinds_add(tree.data, tree.length, &kinds, machine->engine->qemu, out, err);
	arguments_free(&command);
	buffer_free(&output);
	buffer_free(&tree);
	return status;
}
