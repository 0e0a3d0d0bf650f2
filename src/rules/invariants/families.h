/* SPDX-License-Identifier: MIT
 *
 * The families of invariants, a file each. */
#ifndef RULES_INVARIANTS_FAMILIES_H
#define RULES_INVARIANTS_FAMILIES_H

#include "rules/invariants/row.h"

extern const struct invariant_family lag_family, deadlines_family, groups_family, throttling_family, wakeups_family,
    cpu_choice_family, balance_family, real_time_family, servers_family, quotas_family, loads_family;

#endif
