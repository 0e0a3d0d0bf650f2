/* SPDX-License-Identifier: MIT
 *
 * A kernel set of picknext vm, wherever its directory is now: vm.json has its recipe, the identity of its inputs and
 * the list of wanted runs; the records of its boots are beside it (run_record.h). The documents are untrusted, because
 * directories may be copied from others. */
#ifndef RUNS_RECORDED_SET_H
#define RUNS_RECORDED_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "runs/recipe.h"
#include "runs/run_fields.h"
#include "runs/run_record.h"

#define RECORDED_LABEL_SIZE 65

#define RECORDED_RUNS_MAX 1000000

struct recorded_set {
	struct json_value *document;     /* NULL: there is no vm.json, and all else is unknown */
	char label[RECORDED_LABEL_SIZE]; /* name given by the user of picknext vm; "": none */
	uint64_t number;                 /* of the set in the command of picknext vm; UINT64_MAX: unknown */
	struct recipe recipe;            /* the command that makes this set; zeroed: none, of an earlier version */
	char identity[SHA256_TEXT_SIZE]; /* of its inputs; "": unknown */
	bool has_runs;                   /* vm.json lists the wanted runs */
	uint32_t *runs;                  /* the wanted runs, each once, in the order of the requests */
	size_t run_count;
	struct run_outcomes boots; /* after recorded_set_read_boots() */
};

/* Takes the document of a vm.json. Free set. */
void recorded_set_parse(struct json_value *document, struct recorded_set *set);
/* Reads DIRECTORY/vm.json. Without one, set has no document. Free set after errors too. */
enum status recorded_set_read(const char *directory, struct recorded_set *set, struct error *err);
/* The same, and the records of the boots. */
enum status recorded_set_read_boots(const char *directory, struct recorded_set *set, struct error *err);
/* Adds these runs to the wanted ones. */
void recorded_set_add_runs(struct recorded_set *set, const uint32_t *runs, size_t count);
/* Share of time that the guests' CPUs waited for a host CPU, in all boots; NaN: unknown. */
double recorded_set_wait_share(const struct recorded_set *set);
/* Number of boots whose kernel reported a fault on its console; *first is the first of them (NULL: none). */
size_t recorded_set_faults(const struct recorded_set *set, const struct run_outcome **first);
/* Fills in the unknown facts of a run of the set that vm.json has. */
void recorded_set_describe(const struct recorded_set *set, char *facts[FACT_COUNT]);
/* Host time of the boot of a run per trace, in seconds; NaN: unknown. */
double recorded_set_seconds(const struct recorded_set *set, uint64_t run);
void recorded_set_free(struct recorded_set *set);

#endif
