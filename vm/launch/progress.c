/* SPDX-License-Identifier: MIT */
#include "vm/launch/progress.h"

#include <math.h>
#include <time.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/message.h"
#include "vm/launch/jobs.h"

/* Where no progress is shown, as in a log: the first line, and then each full minute. */
#define REPORT_FIRST_S 20
#define REPORT_EVERY_S 60

static double now_s(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

void progress_begin(struct session *session)
{
	session->begin_s = now_s();
	session->report_s = session->begin_s + REPORT_FIRST_S;
	part_times_begin(&session->times, session->launches[0]->set->workload_count);
}

void progress_free(struct session *session)
{
	part_times_free(&session->times);
}

void progress_start(struct turn *turn)
{
	turn->part_begin_s = now_s();
}

void progress_part(struct session *session, struct turn *turn, size_t part)
{
	part_times_add(&session->times, turn->part, now_s() - turn->part_begin_s);
	turn->part = part;
	turn->part_begin_s = now_s();
}

static size_t find_places(const struct session *session, struct boot_place *places)
{
	size_t count = 0;

	for (const struct turn *turn = NULL; (turn = next_running(session, turn));)
		places[count++] = (struct boot_place){turn->part, now_s() - turn->part_begin_s};
	return count;
}

void progress_time_left(const struct session *session, char *text, size_t size)
{
	struct boot_place places[JOBS_MAX];
	const size_t running = find_places(session, places), left = session->needed - session->done;

	text[0] = '\0';
	if (left && !session->watch->is_search)
		format_time_left(
		    time_left_s(&session->times, places, running, left > running ? left - running : 0, session->jobs),
		    text, size);
}

/* "base 3: nice_levels (4 of 21)" */
static void add_place(const struct session *session, const struct turn *turn, struct buffer *out)
{
	const struct guest_line *at = &turn->at;

	buffer_printf(out, "%s%s %u: ", out->length ? " | " : "", launch_of(session, turn)->result.set, turn->run);
	if (at->kind == GUEST_LINE_UNKNOWN)
		buffer_text(out, "booting");
	else
		buffer_printf(out, "%s (%u of %u)", at->name, at->done + 1 > at->of ? at->of : at->done + 1, at->of);
	if (at->events && session->running == 1)
		buffer_printf(out, ", %llu events", (unsigned long long)at->events);
}

/* "3 of 14 boots done, about 5 min left | base 3: ... | patched 2: ... | patched breaks no rule that base keeps" */
static void add_progress(const struct session *session, struct buffer *out)
{
	const struct vm_watch *watch = session->watch;
	char left[64];

	progress_time_left(session, left, sizeof(left));
	if (session->needed > 1)
		buffer_printf(out, "%zu of %zu boots done%s", session->done, session->needed, left);
	for (const struct turn *turn = NULL; (turn = next_running(session, turn));)
		add_place(session, turn, out);
	if (session->needed == 1)
		buffer_text(out, left);
	/* Last: a narrow terminal cuts it off, and what is news has had lines of its own. */
	if (watch->add_words)
		watch->add_words(watch->context, out);
}

void progress_show(const struct session *session)
{
	struct buffer text = {0};

	if (session->launches[0]->options->shell || !message_progress_wanted())
		return;
	add_progress(session, &text);
	if (text.length)
		message_progress("%s", text.data);
	buffer_free(&text);
}

/* With --verbose each trace has a line there. */
void progress_report(struct session *session)
{
	struct buffer text = {0};

	if (session->launches[0]->options->shell || message_progress_wanted() || message_level() == MESSAGE_VERBOSE ||
	    session->running == 0 || now_s() < session->report_s)
		return;
	const double minutes = floor((now_s() - session->begin_s) / REPORT_EVERY_S);
	session->report_s = session->begin_s + (minutes + 1) * REPORT_EVERY_S;
	add_progress(session, &text);
	message_info("%s", text.data);
	buffer_free(&text);
}
