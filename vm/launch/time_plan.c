/* SPDX-License-Identifier: MIT */
#include "vm/launch/time_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double expect(struct time_plan *plan, const struct boot_history *history, const struct duration *wanted)
{
	enum duration_origin origin;
	double seconds = boot_history_find(history, wanted, &origin);

	if (origin > plan->origin)
		plan->origin = origin;
	return seconds;
}

bool time_plan_add(struct time_plan *plan, const struct boot_history *history, const struct boot_content *content)
{
	struct time_plan_boot *boots = realloc(plan->boots, (plan->count + 1) * sizeof(*boots));
	struct duration wanted = {0};

	if (!boots)
		return false;
	plan->boots = boots;
	struct time_plan_boot *boot = &boots[plan->count++];
	snprintf(wanted.mode, sizeof(wanted.mode), "%s", content->mode);
	snprintf(wanted.release, sizeof(wanted.release), "%s", content->release);
	*boot = (struct time_plan_boot){.expected_s = expect(plan, history, &wanted)};
	wanted.scale = content->scale;
	for (const char *const *workload = content->workloads; *workload; workload++) {
		snprintf(wanted.workload, sizeof(wanted.workload), "%s", *workload);
		boot->expected_s += content->runs * expect(plan, history, &wanted);
	}
	return true;
}

void time_plan_free(struct time_plan *plan)
{
	free(plan->boots);
	*plan = (struct time_plan){0};
}

void time_plan_begin(struct time_plan *plan, size_t boot, double now_s)
{
	plan->boots[boot].begin_s = now_s;
}

void time_plan_end(struct time_plan *plan, size_t boot, double now_s)
{
	if (plan->boots[boot].begin_s <= 0)
		plan->boots[boot].begin_s = now_s;
	plan->boots[boot].end_s = now_s;
}

void time_plan_leave_out(struct time_plan *plan, size_t boot)
{
	plan->boots[boot] = (struct time_plan_boot){.begin_s = 1, .end_s = 1};
}

/* How much slower the boots are than expected. A boot that already took longer counts with what it took. */
static double slowness(const struct time_plan *plan, double now_s)
{
	double expected_s = 0, measured_s = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct time_plan_boot *boot = &plan->boots[i];
		double took_s = (boot->end_s > 0 ? boot->end_s : now_s) - boot->begin_s;
		if (boot->begin_s <= 0 || (boot->end_s <= 0 && took_s <= boot->expected_s))
			continue;
		expected_s += boot->expected_s;
		measured_s += took_s;
	}
	return expected_s > 0 && measured_s > 0 ? measured_s / expected_s : 1;
}

double time_plan_left(const struct time_plan *plan, double now_s)
{
	const double factor = slowness(plan, now_s);
	double sum_s = 0, longest_s = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct time_plan_boot *boot = &plan->boots[i];
		if (boot->end_s > 0)
			continue;
		double left_s = boot->expected_s * factor - (boot->begin_s > 0 ? now_s - boot->begin_s : 0);
		left_s = fmax(left_s, 0);
		sum_s += left_s;
		longest_s = fmax(longest_s, left_s);
	}
	return fmax(sum_s / (plan->jobs ? plan->jobs : 1), longest_s);
}

void time_plan_text(double seconds, char *text, size_t size)
{
	if (seconds < 10)
		snprintf(text, size, "a few seconds");
	else if (seconds < 90)
		snprintf(text, size, "about %.0f s", 5 * ceil(seconds / 5));
	else if (seconds < 100 * 60)
		snprintf(text, size, "about %.0f min", ceil(seconds / 60));
	else
		snprintf(text, size, "about %.1f h", seconds / 3600);
}

void time_plan_describe(const struct time_plan *plan, char *text, size_t size)
{
	static const char *const origins[] = {
	    [DURATION_MEASURED] = "as measured on this machine",
	    [DURATION_SIMILAR] = "from other boots on this machine",
	    [DURATION_TYPICAL] = "typically (not measured on this machine yet)",
	};
	char all[32], one[32];
	double sum_s = 0;
	size_t count = 0; /* of those to come */

	for (size_t i = 0; i < plan->count; i++) {
		sum_s += plan->boots[i].expected_s;
		count += plan->boots[i].end_s <= 0;
	}
	time_plan_text(time_plan_left(plan, 0), all, sizeof(all));
	time_plan_text(count ? sum_s / (double)count : 0, one, sizeof(one));
	if (count > 1)
		snprintf(text, size, "%s (%s per boot), %s", all, one, origins[plan->origin]);
	else
		snprintf(text, size, "%s, %s", all, origins[plan->origin]);
}
