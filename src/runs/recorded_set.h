/* SPDX-License-Identifier: MIT
 *
 * What vm.json has of a kernel set, wherever its directory is now. The document is hostile: copied directories come
 * from others. */
#ifndef RUNS_RECORDED_SET_H
#define RUNS_RECORDED_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "runs/recipe.h"
#include "runs/run_fields.h"

#define RECORDED_LABEL_SIZE 65

struct recorded_set {
	struct json_value *document;     /* NULL: there is no vm.json, and all else is unknown */
	char label[RECORDED_LABEL_SIZE]; /* the name that its user gave to picknext vm; "": none */
	uint64_t number;                 /* of the set in the command of picknext vm; UINT64_MAX: unknown */
	uint64_t runs_min, runs_max;     /* of adaptive runs: vm --runs MIN-MAX; else 0 */
	double host_wait_share;          /* of time that the guest's CPUs waited for those of the host; NaN: unknown */
	struct recipe recipe;            /* the command that makes this set; zeroed: none, of an earlier version */
};

/* Reads DIRECTORY/vm.json. Without one, set has no document. Free set after errors too. */
enum status recorded_set_read(const char *directory, struct recorded_set *set, struct error *err);
/* Sets the facts that vm.json has of a run of the set and that are not known. */
void recorded_set_describe(const struct recorded_set *set, char *facts[FACT_COUNT]);
/* Seconds of the host that the boot of a run took for each of its traces; NaN: unknown. */
double recorded_set_seconds(const struct recorded_set *set, uint64_t run);
void recorded_set_free(struct recorded_set *set);

#endif
