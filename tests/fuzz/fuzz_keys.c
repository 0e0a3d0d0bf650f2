/* SPDX-License-Identifier: MIT
 *
 * Key events of three CPUs, whose fields are the input's bytes, with any of their fields missing: queues, rules,
 * decisions and invariants. The first four bytes choose the fields of the trace; then each event is its kind, its CPU,
 * and a byte per field: few addresses, so that entities, groups and queues meet, and numbers of any size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "rules/reading.h"
#include "support/event_recipe.h"
#include "trace/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CPUS        3
#define PAGES_MAX   16
#define FIRST_ID    400
#define INPUT_MAX   8192
#define RECORD_ROOM 1024
#define PRINT_FORMAT                                                                                                   \
	"name: print\nID: 5\n" COMMON_FIELDS "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"              \
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"%s\", REC->buf\n"

struct bytes {
	const uint8_t *data;
	size_t size, at;
};

struct made {
	struct tracedat trace;
	struct page_recipe pages[CPUS][PAGES_MAX];
	size_t page_counts[CPUS];
	bool is_address[KEY_ROWS][KEY_FIELDS_MAX];
	size_t field_counts[KEY_ROWS];
	struct buffer texts[KEY_ROWS]; /* the formats point into them */
	uint64_t now_ns;
};

static uint8_t next_byte(struct bytes *input)
{
	return input->at < input->size ? input->data[input->at++] : 0;
}

static void add_format(struct tracedat *trace, const char *system, const char *text)
{
	struct event_format format;

	if (event_format_parse((struct text_span){text, strlen(text)}, (struct text_span){system, strlen(system)},
			       &format, NULL) != STATUS_OK)
		abort();
	event_format_table_add(&trace->events, &format);
}

/* Fields are 8 bytes, signed if not an address, and printed in this order, as those of probes are. Those of which the
 * mask has the bit are missing. */
static void add_key_format(struct made *made, unsigned int event, uint32_t mask)
{
	const struct key_event_row *row = &key_event_rows[event];
	struct buffer *text = &made->texts[event];
	struct buffer printed = {0};
	size_t count = 0;

	buffer_printf(text, "name: %s\nID: %u\n" COMMON_FIELDS, row->name, FIRST_ID + event);
	for (size_t i = 0; i < row->field_count; i++) {
		const bool is_address = row->fields[i].type[0] == 'x';
		if (mask >> i % 32 & 1)
			continue;
		made->is_address[event][count] = is_address;
		buffer_printf(text, "\tfield:%c64 %s;\toffset:%zu;\tsize:8;\tsigned:%d;\n", is_address ? 'u' : 's',
			      row->fields[i].name, 8 + 8 * count, !is_address);
		buffer_printf(&printed, ", REC->%s", row->fields[i].name);
		count++;
	}
	buffer_printf(text, "\nprint fmt: \"\"%s\n", printed.data ? printed.data : "");
	buffer_free(&printed);
	add_format(&made->trace, "picknext", text->data);
	made->field_counts[event] = count;
}

static void make_formats(struct made *made, struct bytes *input)
{
	if (ring_page_layout_parse(SPAN(HEADER_PAGE), SPAN(HEADER_EVENT), &made->trace.layout, NULL) != STATUS_OK)
		abort();
	add_format(&made->trace, "sched", SWITCH_FORMAT);
	add_format(&made->trace, "sched", WAKEUP_FORMAT);
	add_format(&made->trace, "ftrace", PRINT_FORMAT);
	for (unsigned int event = 0; event < KEY_ROWS; event++) {
		uint32_t mask = 0;
		if (event < 3 && next_byte(input) & 1)
			for (int i = 0; i < 4; i++)
				mask = mask << 8 | next_byte(input);
		add_key_format(made, event, mask);
	}
}

static struct page_recipe *find_page(struct made *made, unsigned int cpu)
{
	const size_t count = made->page_counts[cpu];

	if (count && made->pages[cpu][count - 1].at + RECORD_ROOM < PAGE_SIZE)
		return &made->pages[cpu][count - 1];
	if (count == PAGES_MAX)
		return NULL;
	page_begin(&made->pages[cpu][count], made->now_ns);
	made->page_counts[cpu]++;
	return &made->pages[cpu][count];
}

/* 64 small numbers, 128 of the size of times, and whole ones. */
static uint64_t read_number(struct bytes *input, bool is_address)
{
	const uint8_t byte = next_byte(input);
	uint64_t whole = 0;

	if (is_address)
		return UINT64_C(0x1000) * (byte & 7);
	if (byte < 64)
		return byte;
	if (byte < 192)
		return UINT64_C(1000003) * (byte - 64);
	for (int i = 0; byte >= 240 && i < 8; i++)
		whole = whole << 8 | next_byte(input);
	return byte >= 240 ? whole : (uint64_t)(1048576 * (byte - 191));
}

static void add_key_event(struct made *made, unsigned int event, struct page_recipe *page, uint32_t delta,
			  struct bytes *input)
{
	uint64_t words[1 + KEY_FIELDS_MAX] = {0};
	const struct common_fields common = {(uint16_t)(FIRST_ID + event), 0, 0, 1};

	memcpy(words, &common, sizeof(common));
	for (size_t i = 0; i < made->field_counts[event]; i++)
		words[1 + i] = read_number(input, made->is_address[event][i]);
	page_long_event(page, delta, words, (uint32_t)(8 * (1 + made->field_counts[event])));
}

static void add_mark(struct page_recipe *page, uint32_t delta, struct bytes *input)
{
	struct {
		struct common_fields common;
		uint64_t ip;
		char text[200];
	} record = {.common = {5, 0, 0, 1}};
	const uint8_t choice = next_byte(input);

	snprintf(record.text, sizeof(record.text),
		 choice & 1 ? "picknext keys: hz=250 base_slice_ns=3000000 wakeup_granularity_ns=%u "
			      "shared_cache=7 features=%s"
			    : "scheduler simple enabled %u%s",
		 choice & 2 ? 0u : 1000000u,
		 choice & 4 ? "PLACE_LAG,RUN_TO_PARITY,PICK_BUDDY,WAKEUP_PREEMPTION,SIS_UTIL,WA_IDLE" : "");
	page_long_event(page, delta, &record, sizeof(record));
}

static void add_event(struct made *made, struct bytes *input)
{
	const uint8_t kind = next_byte(input);
	const unsigned int cpu = (kind >> 4) % CPUS;
	const uint32_t delta = (kind & 0x80) ? 1000000 : 100;
	struct page_recipe *page = find_page(made, cpu);

	if (!page)
		return;
	made->now_ns += delta;
	const unsigned int which = kind & 15;
	if (which < 10) {
		add_key_event(made, which < 9 ? which : next_byte(input) % KEY_ROWS, page, delta, input);
	} else if (which < 12) {
		const uint8_t tasks = next_byte(input);
		page_switch(page, delta, "a", tasks & 7, tasks & 64, "b", tasks >> 3 & 7);
	} else if (which < 15) {
		page_wakeup(page, delta, ID_WAKEUP, "a", next_byte(input) & 7, (int32_t)cpu);
	} else {
		add_mark(page, delta, input);
	}
	page_end(page);
}

static void decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	(void)states;
	if (decision->level_count > RULE_DEPTH_MAX || decision->cause >= CAUSES || decision->gap >= GAPS ||
	    (decision->verdict == VERDICT_NOT_JUDGED) != (decision->gap != GAP_NONE) ||
	    decision->reason >= RULE_REASONS)
		abort();
	for (uint32_t i = 0; i < decision->level_count; i++) {
		const uint32_t count = decision->levels[i].level.count;
		const uint32_t picked = decision->picked[i], chosen = decision->choices[i].entity;
		if ((picked != RULE_NONE && picked >= count) || (chosen != RULE_NONE && chosen >= count))
			abort();
		if (decision->kind == DECISION_SWITCH && decision->verdict == VERDICT_EXPLAINED && picked != chosen)
			abort();
	}
	*(uint64_t *)context += 1;
}

static void read_run(struct sched_source *source)
{
	struct invariants invariants = {0};
	struct rules rules = {0};
	uint64_t decisions = 0;
	const struct rules_consumer consumer = {.context = &decisions, .decide = decide, .invariants = &invariants};
	struct pass *pass = calloc(1, sizeof(*pass));
	struct sched_event event;
	struct task_step step;

	if (!pass)
		abort();
	pass->run = (struct pass_run){.path = "fuzz", .source = source};
	task_states_begin(&pass->states, sched_source_leave_reasons(source), sched_source_scope(source));
	rules_begin(&rules, &consumer, pass);
	if (rules.keys.damage.status != STATUS_OK)
		abort();
	while (sched_source_next(source, &event, NULL) == STATUS_OK &&
	       task_states_step(&pass->states, &event, &step, NULL) == STATUS_OK)
		rules_step(&rules, pass, &event, &step, NULL);
	for (uint32_t i = 0; i < invariant_count(); i++)
		if (invariants.rows[i].broken > invariants.rows[i].checked)
			abort();
	rules_free(&rules);
	task_states_free(&pass->states);
	free(pass);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracedat_cpu cpus[CPUS] = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2}};
	struct bytes input = {data, size, 0};
	struct made *made = calloc(1, sizeof(*made));
	struct sched_source *source;

	if (!made)
		abort();
	made->trace = (struct tracedat){.page_size = PAGE_SIZE, .cpu_count = CPUS, .clock = "mono", .cpus = cpus};
	made->now_ns = 1000;
	make_formats(made, &input);
	while (input.at < size && input.at < INPUT_MAX)
		add_event(made, &input);
	uint8_t *pages[CPUS];
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		pages[cpu] = malloc(made->page_counts[cpu] * PAGE_SIZE + 1);
		if (!pages[cpu])
			abort();
		for (size_t i = 0; i < made->page_counts[cpu]; i++)
			memcpy(pages[cpu] + i * PAGE_SIZE, made->pages[cpu][i].bytes, PAGE_SIZE);
		cpus[cpu].pages = pages[cpu];
		cpus[cpu].size = made->page_counts[cpu] * PAGE_SIZE;
	}
	if (sched_source_open_dat(&made->trace, "fuzz", &source, NULL) != STATUS_OK)
		abort();
	read_run(source);
	sched_source_close(source);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		free(pages[cpu]);
	event_format_table_free(&made->trace.events);
	for (int event = 0; event < KEY_ROWS; event++)
		buffer_free(&made->texts[event]);
	free(made);
	return 0;
}
