/* SPDX-License-Identifier: MIT
 *
 * The cgroups of a mix (cgroup v2): below a group of this run, which is removed at its end. */
#ifndef WORKLOADS_MIX_GROUPS_H
#define WORKLOADS_MIX_GROUPS_H

#include <limits.h>

#include "workloads/mix.h"

struct mix_groups {
	const struct mix *mix;
	char base[PATH_MAX]; /* "": none was made */
	unsigned int made;   /* of the mix's groups */
};

/* Makes a cgroup for the run, and in it those of the mix with their weights and quotas. Its parent is the nearest
 * cgroup, from that of this process upwards, that enables the cpu controller for its children. Changes no other cgroup.
 * STATUS_UNSUPPORTED names what the kernel or the machine lacks. Call mix_groups_remove() after failures too. */
enum status mix_groups_make(struct mix_groups *groups, const struct mix *mix, const char *where, struct error *err);
/* Writes a file of a group, named as in the mix; "..": the parent of the run's cgroup. Returns 0 or errno. */
int mix_groups_write(const struct mix_groups *groups, const char *group, const char *file, const char *text);
/* Moves the calling process into group number. Returns 0 or errno. */
int mix_groups_enter(const struct mix_groups *groups, int number);
/* Removes the groups, whose tasks have ended. */
void mix_groups_remove(struct mix_groups *groups);

#endif
