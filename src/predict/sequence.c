/* SPDX-License-Identifier: MIT */
#include "predict/sequence.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(void **items, uint32_t *count, uint32_t needed, size_t size)
{
	uint32_t grown = *count ? *count : 16;

	if (needed <= *count)
		return true;
	while (grown < needed)
		grown *= 2;
	char *moved = realloc(*items, grown * size);
	if (!moved)
		return false;
	memset(moved + *count * size, 0, (grown - *count) * size);
	*items = moved;
	*count = grown;
	return true;
}

static bool reserve_cpu(struct sequence *sequence, uint32_t cpu)
{
	void *items = sequence->cpu_histories;
	bool reserved = reserve(&items, &sequence->cpus, cpu + 1, sizeof(*sequence->cpu_histories));

	sequence->cpu_histories = items;
	return reserved;
}

/* Also notes that the next symbol follows. */
static bool find_successor(struct sequence *sequence, struct sequence_place *place)
{
	void *items = sequence->successors;

	place->successor = TEXT_NONE;
	if (place->prev == TEXT_NONE)
		return true;
	bool reserved = reserve(&items, &sequence->successor_count, place->prev + 1, sizeof(*sequence->successors));
	sequence->successors = items;
	if (!reserved)
		return false;
	if (sequence->successors[place->prev])
		place->successor = sequence->successors[place->prev] - 1;
	sequence->successors[place->prev] = place->next + 1;
	return true;
}

bool sequence_step(struct sequence *sequence, const struct predict_row *row, uint32_t prev, uint32_t next,
		   struct sequence_place *place)
{
	if (!reserve_cpu(sequence, row->cpu))
		return false;
	if (sequence->trace != row->trace + 1) {
		sequence->trace = row->trace + 1;
		sequence->machine_history.length = 0;
		for (uint32_t i = 0; i < sequence->cpus; i++)
			sequence->cpu_histories[i].length = 0;
	}
	struct context_history *cpu = &sequence->cpu_histories[row->cpu];
	*place = (struct sequence_place){
	    .machine = sequence->machine_history,
	    .cpu = *cpu,
	    .prev = prev,
	    .next = next,
	    .successor = TEXT_NONE,
	};
	if (prev == TEXT_NONE && cpu->length)
		place->prev = cpu->symbols[0];
	context_history_add(&sequence->machine_history, next);
	context_history_add(cpu, next);
	return find_successor(sequence, place);
}

bool sequence_learn(struct sequence *sequence, const struct sequence_place *place)
{
	void *items = sequence->counts;
	bool reserved = reserve(&items, &sequence->count_capacity, place->next + 1, sizeof(*sequence->counts));

	sequence->counts = items;
	if (!reserved)
		return false;
	sequence->counts[place->next]++;
	sequence->total++;
	return sequence->baselines_only || (context_model_add(&sequence->machine, &place->machine, place->next) &&
					    context_model_add(&sequence->cpu, &place->cpu, place->next));
}

static double frequency(const struct sequence *sequence, uint32_t count)
{
	return (count + 1.0 / sequence->alphabet) / ((double)sequence->total + 1);
}

static void find_frequent(struct sequence *sequence)
{
	struct context_answer *frequent = &sequence->frequent;

	sequence->alphabet = 1;
	for (uint32_t i = 0; i < sequence->count_capacity; i++) {
		uint32_t count = sequence->counts[i];
		unsigned int at = frequent->count;
		sequence->alphabet += count > 0;
		while (count && at > 0 && count > sequence->counts[frequent->symbols[at - 1]])
			at--;
		if (!count || at == CONTEXT_TOP)
			continue;
		frequent->count += frequent->count < CONTEXT_TOP;
		memmove(&frequent->symbols[at + 1], &frequent->symbols[at],
			(frequent->count - 1 - at) * sizeof(*frequent->symbols));
		frequent->symbols[at] = i;
	}
	if (frequent->count)
		frequent->probability = frequency(sequence, sequence->counts[frequent->symbols[0]]);
}

bool sequence_finish(struct sequence *sequence)
{
	find_frequent(sequence);
	sequence->machine.alphabet = sequence->cpu.alphabet = sequence->alphabet;
	return context_model_finish(&sequence->machine) && context_model_finish(&sequence->cpu);
}

static uint32_t count_of(const struct sequence *sequence, uint32_t symbol)
{
	return symbol < sequence->count_capacity ? sequence->counts[symbol] : 0;
}

bool sequence_has_seen(const struct sequence *sequence, uint32_t symbol)
{
	return count_of(sequence, symbol) > 0;
}

static unsigned int order_of(enum predictor predictor)
{
	return predictor == PREDICTOR_MAJORITY                                ? 0
	       : predictor == PREDICTOR_PPM || predictor == PREDICTOR_PPM_CPU ? CONTEXT_ORDER_MAX
	       : predictor >= PREDICTOR_MARKOV1_CPU                           ? predictor - PREDICTOR_MARKOV1_CPU + 1
									      : predictor - PREDICTOR_MARKOV1 + 1;
}

void sequence_look_up(const struct sequence *sequence, struct sequence_place *place)
{
	place->machine_path = context_find_path(&sequence->machine, &place->machine, CONTEXT_ORDER_MAX);
	place->cpu_path = context_find_path(&sequence->cpu, &place->cpu, CONTEXT_ORDER_MAX);
}

struct sequence_view sequence_view(const struct sequence *sequence, enum predictor predictor,
				   const struct sequence_place *place)
{
	bool is_cpu = predictor >= PREDICTOR_MARKOV1_CPU;
	struct sequence_view view = {.sequence = sequence,
				     .model = is_cpu ? &sequence->cpu : &sequence->machine,
				     .path = is_cpu ? place->cpu_path : place->machine_path,
				     .predictor = predictor};
	unsigned int order = order_of(predictor);

	/* Of a shorter order, the longer contexts are left out. */
	if (view.path.length > order + 1)
		view.path.length = order + 1;
	return view;
}

double sequence_probability(const struct sequence_view *view, uint32_t symbol)
{
	if (view->predictor == PREDICTOR_MAJORITY)
		return frequency(view->sequence, count_of(view->sequence, symbol));
	if (view->predictor == PREDICTOR_PPM || view->predictor == PREDICTOR_PPM_CPU)
		return context_ppm(view->model, &view->path, symbol);
	return context_markov(view->model, &view->path, symbol);
}

void sequence_best(const struct sequence_view *view, struct context_answer *answer)
{
	if (view->predictor == PREDICTOR_MAJORITY)
		*answer = view->sequence->frequent;
	else if (view->predictor == PREDICTOR_PPM || view->predictor == PREDICTOR_PPM_CPU)
		context_ppm_best(view->model, &view->path, answer);
	else
		context_markov_best(view->model, &view->path, answer);
}

void sequence_free(struct sequence *sequence)
{
	context_model_free(&sequence->machine);
	context_model_free(&sequence->cpu);
	free(sequence->cpu_histories);
	free(sequence->successors);
	free(sequence->counts);
	*sequence = (struct sequence){0};
}
