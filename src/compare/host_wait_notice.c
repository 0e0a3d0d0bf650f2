/* SPDX-License-Identifier: MIT */
#include "compare/host_wait_notice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "compare/paired.h"

/* Of the runs of workload (NULL: all); NaN where none is known. room: for the values of all. */
static double median_share(const struct run_set *set, const char *workload, double *room)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		if (!isnan(set->runs[i].host_wait_share) && (!workload || strcmp(set->runs[i].workload, workload) == 0))
			room[count++] = set->runs[i].host_wait_share;
	return count ? median_of(room, count) : NAN;
}

/* The workload that waited most, where that is notable; NULL: none. */
static const char *find_most(const struct run_set *set, double *room, double *most)
{
	const char *name = NULL;

	for (size_t i = 0; i < set->count; i++) {
		const char *workload = set->runs[i].workload;
		if (i && strcmp(workload, set->runs[i - 1].workload) == 0)
			continue;
		double share = median_share(set, workload, room);
		if (share >= HOST_WAIT_NOTABLE && share > *most) {
			*most = share;
			name = workload;
		}
	}
	return name;
}

static void add_shares(const struct run_sets *sets, double *room, struct buffer *out)
{
	for (size_t set = 0; set < sets->count; set++) {
		double share = median_share(&sets->items[set], NULL, room);
		buffer_text(out, set ? " | " : "");
		if (isnan(share))
			buffer_text(out, "unknown");
		else
			buffer_printf(out, "%.1f %%", 100 * share);
	}
}

static void add_notice(const struct run_sets *sets, double *room, struct buffer *out)
{
	const char *name = NULL;
	double most = 0;
	char shown[256];

	for (size_t set = 0; set < sets->count; set++) {
		const char *of_set = find_most(&sets->items[set], room, &most);
		name = of_set ? of_set : name;
	}
	if (!name)
		return;
	escape_line(name, strlen(name), shown, sizeof(shown));
	buffer_text(out, "The guests' CPUs waited for the host's: ");
	add_shares(sets, room, out);
	buffer_printf(out,
		      " of their time (medians; up to %.1f %% in %s).\n"
		      "    So times, rates and latencies are the host's too: record again on a quiet machine, or with "
		      "--deterministic.\n",
		      100 * most, shown);
}

void host_wait_add_notice(const struct run_sets *sets, struct buffer *out)
{
	size_t most = 1;

	for (size_t set = 0; set < sets->count; set++)
		if (sets->items[set].count > most)
			most = sets->items[set].count;
	double *room = calloc(most, sizeof(*room));
	if (room)
		add_notice(sets, room, out);
	else
		out->failed = true;
	free(room);
}
