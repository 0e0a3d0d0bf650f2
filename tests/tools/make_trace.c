/* SPDX-License-Identifier: MIT
 *
 * make_trace FILE [hostile]: a trace.dat of three CPUs with every type of record, names and states of all kinds, equal
 * times on several CPUs, and losses; always the same. hostile: nothing is lost, and the names are made to be mistaken
 * for something else. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "support/event_recipe.h"
#include "support/trace_recipe.h"

#define PAGES 20

static uint64_t seed = 42;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % below;
}

static const char *const odd_names[] = {"swapper/0",  "kworker/0:1-ev", "sixteen letters!", "a",
					"with space", "com,ma",         "pid=1 prio=2",     NULL};
static const char *const hostile_names[] = {
    "a,b",
    "=cmd|' /C c'!A0",
    "@SUM(1)",
    "\"",
    "\"\",\"",
    "two\nlines",
    "\r\n",
    "\n",
    " prev_pid=1",
    " ==> next_comm=",
    "<script>",
    "</script>&amp;",
    "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xc0\xc1\xf5\x80\x81\xed\xa0",
    "caf\xc3\xa9",
    "\x1b[31mred\x1b[2J",
    "\x07\x08\x7f\t",
    "\xc2\x9b"
    "31m",
    "%s%n%999999d",
    "'; rm -rf /'",
    "\\n\\\"\\x41",
    "<...>",
    "..",
    " ",
    NULL,
};
static const char *const *names = odd_names;
static uint32_t name_count;

static void add_located_migration(struct page_recipe *page, uint32_t time_delta)
{
	struct {
		struct common_fields common;
		uint32_t comm;
		int32_t pid, prio, orig_cpu, dest_cpu;
		char text[20];
	} record = {{ID_MIGRATE_LOCATED, 0, 0, 3}, 0, 7, 120, (int32_t)draw(3), (int32_t)draw(3), ""};
	const char *name = names[draw(name_count)];

	record.comm = (uint32_t)(strlen(name) + 1) << 16 | 28;
	memcpy(record.text, name, strlen(name));
	if (draw(2))
		page_event(page, time_delta, &record, sizeof(record));
	else
		page_long_event(page, time_delta, &record, sizeof(record));
}

static void add_record(struct page_recipe *page, uint64_t *ts)
{
	uint32_t time_delta = draw(4) ? draw(3000) : 0;

	switch (draw(10)) {
	case 0:
		page_time_extend(page, UINT64_C(3000000000));
		*ts += UINT64_C(3000000000);
		break;
	case 1:
		*ts += UINT64_C(1000000);
		page_time_stamp(page, *ts);
		break;
	case 2:
		page_discarded(page, time_delta + 1, 24);
		*ts += time_delta + 1;
		break;
	case 3:
		add_located_migration(page, time_delta);
		*ts += time_delta;
		break;
	case 4:
	case 5:
		page_wakeup(page, time_delta, draw(2) ? ID_WAKEUP : ID_WAKEUP_NEW, names[draw(name_count)],
			    (int32_t)draw(9999), (int32_t)draw(3));
		*ts += time_delta;
		break;
	default:
		page_switch(page, time_delta, names[draw(name_count)], (int32_t)draw(9999), (int64_t)draw(1024),
			    names[draw(name_count)], (int32_t)draw(9999));
		*ts += time_delta;
		break;
	}
}

int main(int argc, char **argv)
{
	struct trace_recipe recipe;
	struct buffer file = {0};
	struct error err;

	bool hostile = argc == 3 && strcmp(argv[2], "hostile") == 0;

	if (argc != 2 && !hostile)
		return 2;
	names = hostile ? hostile_names : odd_names;
	while (names[name_count])
		name_count++;
	trace_begin(&recipe, 3);
	recipe.header.event_count = 3;
	trace_event_format(&recipe, "sched", SPAN(MIGRATE_FORMAT_LOCATED));
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		uint64_t ts = UINT64_C(1000000000000);
		for (int n = 0; n < PAGES; n++) {
			struct page_recipe page;
			page_begin(&page, ts);
			page_wakeup(&page, 0, ID_WAKEUP, names[0], n, 0);
			while (page.at < PAGE_SIZE - 128)
				add_record(&page, &ts);
			if (n && draw(5) == 0 && !hostile)
				page_end_missed(&page, 1, 1 + draw(1000));
			else
				page_end(&page);
			trace_page(&recipe, cpu, &page);
		}
	}
	if (!trace_build(&recipe, &file) || file_replace(argv[1], file.data, file.length, &err) != STATUS_OK)
		return 1;
	trace_end(&recipe);
	buffer_free(&file);
	return 0;
}
