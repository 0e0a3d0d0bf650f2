/* SPDX-License-Identifier: MIT */
#include "data/novelty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const novelty_target_names[NOVELTY_TARGETS] = {"next_name", "next_role"};

void novelty_add(struct novelty *novelty, enum split_part part, enum novelty_target target,
		 const struct novelty_text *prev, const struct novelty_text *next)
{
	uint32_t from = text_table_number(&novelty->texts[target], prev->bytes, prev->length);
	uint32_t to = text_table_number(&novelty->texts[target], next->bytes, next->length);

	novelty->entries[target] = array_reserve(novelty->entries[target], &novelty->capacity[target],
						 novelty->texts[target].count, sizeof(struct novelty_entry));
	struct novelty_entry *entries = novelty->entries[target];
	novelty->successor_right[target][part] += entries[from].successor == to + 1;
	entries[from].successor = to + 1;
	entries[to].rows[part]++;
}

/* The most frequent target of train.csv; of equal ones that which appeared first. */
static uint32_t find_constant(const struct novelty *novelty, enum novelty_target target)
{
	const struct novelty_entry *entries = novelty->entries[target];
	uint32_t best = 0;

	for (uint32_t i = 1; i < novelty->texts[target].count; i++)
		if (entries[i].rows[SPLIT_TRAIN] > entries[best].rows[SPLIT_TRAIN])
			best = i;
	return best;
}

struct novelty_part novelty_part(const struct novelty *novelty, enum split_part part, enum novelty_target target)
{
	struct novelty_part result = {.successor_right = novelty->successor_right[target][part]};
	const struct novelty_entry *entries = novelty->entries[target];

	if (!novelty->texts[target].count)
		return result;
	uint32_t constant = find_constant(novelty, target);
	result.constant_right = entries[constant].rows[SPLIT_TRAIN] ? entries[constant].rows[part] : 0;
	for (uint32_t i = 0; i < novelty->texts[target].count; i++) {
		bool unseen = entries[i].rows[SPLIT_TRAIN] == 0;
		result.rows += entries[i].rows[part];
		result.targets += entries[i].rows[part] > 0;
		result.unseen_rows += unseen ? entries[i].rows[part] : 0;
		result.unseen_targets += unseen && entries[i].rows[part] > 0;
	}
	return result;
}

bool novelty_is_trivial(const struct novelty_part *part)
{
	double limit = NOVELTY_TRIVIAL * (double)part->rows;

	return part->rows && ((double)part->constant_right > limit || (double)part->successor_right > limit);
}

static void add_share(struct json_writer *json, const char *key, uint64_t count, uint64_t of)
{
	json_real(json, key, of ? (double)count / (double)of : NAN, 6);
}

void novelty_add_json(const struct novelty *novelty, struct json_writer *json)
{
	json_object_begin(json, "novelty");
	for (unsigned int part = 0; part < SPLIT_PARTS; part++) {
		json_object_begin(json, split_part_names[part]);
		for (unsigned int target = 0; target < NOVELTY_TARGETS; target++) {
			const struct novelty_part it =
			    novelty_part(novelty, (enum split_part)part, (enum novelty_target)target);
			json_object_begin(json, novelty_target_names[target]);
			json_u64(json, "rows", it.rows);
			json_u64(json, "targets", it.targets);
			add_share(json, "unseen_rows_share", it.unseen_rows, it.rows);
			add_share(json, "unseen_targets_share", it.unseen_targets, it.targets);
			add_share(json, "constant_accuracy", it.constant_right, it.rows);
			add_share(json, "last_successor_accuracy", it.successor_right, it.rows);
			json_bool(json, "trivial", novelty_is_trivial(&it));
			json_object_end(json);
		}
		json_object_end(json);
	}
	json_object_end(json);
}

void novelty_free(struct novelty *novelty)
{
	for (unsigned int target = 0; target < NOVELTY_TARGETS; target++) {
		text_table_free(&novelty->texts[target]);
		free(novelty->entries[target]);
	}
	*novelty = (struct novelty){0};
}
