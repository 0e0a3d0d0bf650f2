/* SPDX-License-Identifier: MIT */
#include "vm/launch/boot_history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cache.h"

#define CACHED      "boot_history.json"
#define SECONDS_MAX 1e6

/* Without any measurement: TCG on one core of a server of 2022. A part of a run does not depend on its scale. */
#define TYPICAL_BOOT_S  10.0
#define TYPICAL_RUN_S   3.0
#define TYPICAL_SCALE_S 60.0 /* at scale 1, in addition */

static bool is_plausible(const struct duration *duration)
{
	return duration->seconds > 0 && duration->seconds <= SECONDS_MAX && duration->scale >= 0 &&
	       duration->scale <= SECONDS_MAX;
}

static bool is_same(double one, double other)
{
	return fabs(one - other) <= 1e-6 * fabs(one);
}

/* --- Estimates --- */

static double typical(const struct duration *wanted)
{
	return wanted->workload[0] ? TYPICAL_RUN_S + TYPICAL_SCALE_S * wanted->scale : TYPICAL_BOOT_S;
}

/* Higher is closer to what is wanted; 0: of no use. */
static int closeness(const struct duration *known, const struct duration *wanted)
{
	if (strcmp(known->mode, wanted->mode) != 0 || (known->workload[0] == '\0') != (wanted->workload[0] == '\0'))
		return 0;
	return 1 + 4 * (strcmp(known->workload, wanted->workload) == 0) + 2 * is_same(known->scale, wanted->scale) +
	       (strcmp(known->release, wanted->release) == 0);
}

double boot_history_find(const struct boot_history *history, const struct duration *wanted,
			 enum duration_origin *origin)
{
	const struct duration *best = NULL;
	int best_closeness = 0;

	for (size_t i = 0; i < history->count; i++) {
		int found = closeness(&history->items[i], wanted);
		if (found <= best_closeness)
			continue;
		best = &history->items[i];
		best_closeness = found;
	}
	*origin = !best ? DURATION_TYPICAL : best_closeness == 8 ? DURATION_MEASURED : DURATION_SIMILAR;
	if (!best)
		return typical(wanted);
	return best->seconds * (typical(wanted) / typical(best));
}

/* --- Measurements --- */

static struct duration *find_item(struct boot_history *history, const struct duration *wanted)
{
	for (size_t i = 0; i < history->count; i++)
		if (closeness(&history->items[i], wanted) == 8)
			return &history->items[i];
	return NULL;
}

void boot_history_put(struct boot_history *history, const struct duration *measured)
{
	struct duration first = *measured;
	struct duration *earlier = find_item(history, measured);

	if (!is_plausible(measured))
		return;
	if (earlier)
		first.seconds = (first.seconds + earlier->seconds) / 2;
	else if (history->count < BOOT_HISTORY_MAX)
		earlier = &history->items[history->count++];
	else
		earlier = &history->items[BOOT_HISTORY_MAX - 1];
	memmove(&history->items[1], &history->items[0], (size_t)(earlier - history->items) * sizeof(first));
	history->items[0] = first;
}

/* --- Its file --- */

static double read_number(const struct json_value *item, const char *key)
{
	const struct json_value *number = json_member(item, key);

	return number && number->kind == JSON_NUMBER ? number->number : -1;
}

/* False if it is none, or too long. */
static bool read_text(const struct json_value *item, const char *key, char *text, size_t size)
{
	const char *found = json_member_text(item, key, NULL);
	int length = found ? snprintf(text, size, "%s", found) : -1;

	return length >= 0 && (size_t)length < size;
}

static void parse_item(struct boot_history *history, const struct json_value *item)
{
	struct duration duration = {.scale = read_number(item, "scale"), .seconds = read_number(item, "seconds")};

	if (read_text(item, "mode", duration.mode, sizeof(duration.mode)) &&
	    read_text(item, "release", duration.release, sizeof(duration.release)) &&
	    read_text(item, "workload", duration.workload, sizeof(duration.workload)) && is_plausible(&duration) &&
	    history->count < BOOT_HISTORY_MAX && !find_item(history, &duration))
		history->items[history->count++] = duration;
}

void boot_history_parse(struct boot_history *history, const struct json_value *json)
{
	const struct json_value *durations = json ? json_member(json, "durations") : NULL;

	if (!durations || durations->kind != JSON_ARRAY)
		return;
	for (const struct json_value *item = durations->child; item; item = item->next)
		if (item->kind == JSON_OBJECT)
			parse_item(history, item);
}

void boot_history_format(const struct boot_history *history, struct buffer *text)
{
	struct json_writer json = {.out = text};

	json_object_begin(&json, NULL);
	json_array_begin(&json, "durations");
	for (size_t i = 0; i < history->count; i++) {
		const struct duration *item = &history->items[i];
		json_object_begin(&json, NULL);
		json_text(&json, "mode", item->mode);
		json_text(&json, "release", item->release);
		json_text(&json, "workload", item->workload);
		json_real(&json, "scale", item->scale, 6);
		json_real(&json, "seconds", item->seconds, 3);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	buffer_text(text, "\n");
}

void boot_history_load(struct boot_history *history)
{
	struct json_value *json = cache_read(CACHED);

	*history = (struct boot_history){0};
	boot_history_parse(history, json);
	json_free(json);
}

void boot_history_add(const char *mode, const char *release, double scale, const struct boot_times *times)
{
	struct boot_history history;
	struct duration measured = {.seconds = times->boot_s};
	struct buffer text = {0};

	boot_history_load(&history);
	snprintf(measured.mode, sizeof(measured.mode), "%s", mode);
	snprintf(measured.release, sizeof(measured.release), "%s", release);
	boot_history_put(&history, &measured);
	measured.scale = scale;
	for (size_t i = 0; i < times->count; i++) {
		if (times->items[i].runs == 0)
			continue;
		memcpy(measured.workload, times->items[i].workload, sizeof(measured.workload));
		measured.seconds = times->items[i].seconds / times->items[i].runs;
		boot_history_put(&history, &measured);
	}
	boot_history_format(&history, &text);
	cache_write(CACHED, &text);
	buffer_free(&text);
}
