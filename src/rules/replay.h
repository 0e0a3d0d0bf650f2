/* SPDX-License-Identifier: MIT
 *
 * The functions of kernel/sched/fair.c that change a key, done again with what the events say, to the nanosecond if
 * these have all that the function reads. A check for each result; rows in invariants.c. */
#ifndef RULES_REPLAY_H
#define RULES_REPLAY_H

#include "rules/invariant_moment.h"

/* place_entity() */
enum invariant_result replay_vruntime_placed(const struct invariant_moment *moment);
enum invariant_result replay_deadline_placed(const struct invariant_moment *moment);
enum invariant_result replay_group_placed(const struct invariant_moment *moment);
/* Whether the task is placed with the base slice, whichever that is. */
bool replay_needs_base_slice(const struct invariant_moment *moment);
enum invariant_result replay_slice_placed(const struct invariant_moment *moment);
/* update_entity_lag(), and what sleep leaves of it */
enum invariant_result replay_lag_measured(const struct invariant_moment *moment);
enum invariant_result replay_lag_asleep(const struct invariant_moment *moment);
/* dequeue_entity() and requeue_delayed_entity() */
enum invariant_result replay_delayed(const struct invariant_moment *moment);
enum invariant_result replay_requeued(const struct invariant_moment *moment);
/* update_deadline() */
enum invariant_result replay_deadline_renewed(const struct invariant_moment *moment);
/* The slice of a group: enqueue_task_fair(), dequeue_entities() */
enum invariant_result replay_group_slice(const struct invariant_moment *moment);
/* reweight_entity(); a task that waits has no other reason to get new keys */
enum invariant_result replay_request(const struct invariant_moment *moment);
enum invariant_result replay_waiting(const struct invariant_moment *moment);
/* dequeue_entities() gives a group that stays the slice with which it is placed again. */
enum invariant_result replay_group_asks(const struct invariant_moment *moment);
/* yield_task_fair() */
enum invariant_result replay_yield(const struct invariant_moment *moment);
/* kernel/sched/deadline.c, update_curr_dl() and replenish_dl_entity() */
enum invariant_result replay_budget(const struct invariant_moment *moment);

#endif
