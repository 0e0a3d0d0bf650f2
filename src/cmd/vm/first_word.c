/* SPDX-License-Identifier: MIT */
#include "cmd/vm/first_word.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"

#define BASE 0

void first_word_begin(struct first_word *first, const struct vm_session *session)
{
	const char *labels[COMPARISON_SETS_MAX];

	*first = (struct first_word){.session = session};
	for (size_t set = 0; set < session->count; set++)
		labels[set] = session->sets[set].kernel.set;
	rule_news_begin(&first->news, labels, session->count);
	first->ended = xcalloc(session->runs.count, sizeof(*first->ended));
}

void first_word_free(struct first_word *first)
{
	for (size_t i = 0; i < first->count; i++) {
		free(first->traces[i].name);
		for (size_t set = 0; set < COMPARISON_SETS_MAX; set++)
			free(first->traces[i].sets[set].path);
	}
	free(first->traces);
	free(first->ended);
	rule_news_free(&first->news);
	*first = (struct first_word){.session = NULL};
}

/* --- Judging --- */

static void print_lines(struct buffer *text)
{
	for (char *line = text->data, *end; line && (end = strchr(line, '\n')); line = end + 1)
		message_info("%.*s", (int)(end - line), line);
	buffer_free(text);
}

/* False if nothing can be said by this trace. */
static bool judge(struct first_word *first, size_t set, char *path)
{
	struct rules_reading reading;
	const struct pass_consumer consumer = rules_reading_begin(&reading);
	struct pass pass = {0};
	struct buffer text = {0};

	const bool is_judged = pass_read(NULL, &path, 1, &consumer, &pass, NULL) == STATUS_OK &&
			       pass.summary.untrusted_runs == 0 && pass.summary.lossy_runs == 0;
	if (is_judged)
		rule_news_add(&first->news, set, &reading.found, path, &text);
	pass_free(&pass);
	rules_reading_free(&reading);
	print_lines(&text);
	return is_judged;
}

static uint32_t *ends_of(const struct first_word *first, uint32_t run)
{
	size_t i = 0;

	while (first->session->runs.seeds[i] != run)
		i++;
	return &first->ended[i];
}

/* Base's trace of the same workload and seed must be judged first, unless base has none. */
static enum trace_state next_state(struct first_word *first, struct seed_traces *traces, size_t set)
{
	const enum trace_state base = traces->sets[BASE].state;

	if (traces->sets[set].state != TRACE_ARRIVED)
		return traces->sets[set].state;
	if (set != BASE && base == TRACE_REFUSED)
		return TRACE_REFUSED;
	if (set != BASE && base == TRACE_AWAITED && !(*ends_of(first, traces->run) & 1u << BASE))
		return TRACE_ARRIVED;
	return judge(first, set, traces->sets[set].path) ? TRACE_JUDGED : TRACE_REFUSED;
}

static void judge_arrived(struct first_word *first, struct seed_traces *traces)
{
	for (size_t set = BASE; set < first->session->count; set++)
		traces->sets[set].state = next_state(first, traces, set);
}

/* --- What vm_run() tells --- */

static struct seed_traces *find_traces(struct first_word *first, const char *path, uint32_t run)
{
	const char *name = strrchr(path, '/') + 1;

	for (size_t i = 0; i < first->count; i++)
		if (strcmp(first->traces[i].name, name) == 0)
			return &first->traces[i];
	first->traces = array_grow(first->traces, &first->capacity, first->count + 1, sizeof(*first->traces));
	first->traces[first->count] = (struct seed_traces){.name = xstrdup(name), .run = run};
	return &first->traces[first->count++];
}

static void arrived(void *context, size_t set, uint32_t run, const char *path)
{
	struct first_word *first = context;
	struct seed_traces *traces = find_traces(first, path, run);

	if (traces->sets[set].state != TRACE_AWAITED)
		return;
	traces->sets[set].state = TRACE_ARRIVED;
	traces->sets[set].path = xstrdup(path);
	judge_arrived(first, traces);
}

/* The run has ended in the base and in the set, as the first one. */
static bool is_first_of_both(const struct first_word *first, size_t set, uint32_t ends)
{
	const uint32_t both = 1u << BASE | 1u << set;
	size_t count = 0;

	for (size_t i = 0; i < first->session->runs.count; i++)
		count += (first->ended[i] & both) == both;
	return count == 1 && (ends & both) == both;
}

/* That nothing differs so far is a first word, too. */
static void sum_up(const struct first_word *first, size_t set, uint32_t run)
{
	const struct rule_news_set *one = &first->news.sets[set];
	struct buffer text = {0};

	rule_news_add_words(&first->news, set, &text);
	if (text.length)
		message_info("seed %" PRIu32 ": %s, in %" PRIu64 " trace%s with %" PRIu64 " judged decisions; %s", run,
			     text.data, one->traces, one->traces == 1 ? "" : "s", one->found.account.judged,
			     first->session->runs.count > 1 ? "further seeds and the comparison follow"
							    : "the comparison follows");
	buffer_free(&text);
}

static bool ended(void *context, const struct vm_ended_run *boot)
{
	struct first_word *first = context;
	uint32_t *ends = ends_of(first, boot->run);

	*ends |= 1u << boot->launch;
	for (size_t i = 0; i < first->count; i++)
		if (first->traces[i].run == boot->run)
			judge_arrived(first, &first->traces[i]);
	for (size_t set = BASE + 1; set < first->session->count; set++)
		if ((set == boot->launch || boot->launch == BASE) && is_first_of_both(first, set, *ends))
			sum_up(first, set, boot->run);
	return false;
}

static void add_words(void *context, struct buffer *out)
{
	const struct first_word *first = context;
	struct buffer text = {0};

	for (size_t set = BASE + 1; set < first->session->count; set++) {
		buffer_clear(&text);
		rule_news_add_words(&first->news, set, &text);
		if (text.length)
			buffer_printf(out, "%s%s", out->length ? " | " : "", text.data);
	}
	buffer_free(&text);
}

struct vm_watch first_word_watch(struct first_word *first)
{
	return (struct vm_watch){.arrived = arrived, .ended = ended, .add_words = add_words, .context = first};
}
