/* SPDX-License-Identifier: MIT
 *
 * The scheduler's events while they happen: an instance of its own that is read out page by page, on a timer of the
 * caller's, and decoded at once. Nothing is kept but one page of each CPU, however long it goes on.
 *
 *     live_open(&settings, &live, err);
 *     while (status == STATUS_OK && !interrupt_signal()) {
 *             live_go_on(live);
 *             while ((status = live_next(live, &event, err)) == STATUS_OK)
 *                     count(&event);
 *             if (status == STATUS_END)
 *                     status = STATUS_OK;
 *             poll(..., LIVE_READ_MS);
 *     }
 *     live_close(live, err); */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "capture/session.h"
#include "sched/stream.h"

/* How often to read: a buffer of some megabytes lasts for longer, and it wakes this process up only. */
#define LIVE_READ_MS 50

struct live;

/* Starts to record. Of settings, buffer_size_kb, events and event_count (0: the scheduler's four), pids and pid_count
 * are taken; the clock is mono, and a full buffer forgets its oldest events, so that the stream tells where
 * (SCHED_LOST). This process moves to an isolated CPU where there is one. The caller has done interrupt_catch(). */
enum status live_open(const struct capture_settings *settings, struct live **live, struct error *err);
/* Lets live_next() give what happened up to now. */
void live_go_on(struct live *live);
/* As sched_stream_next(): STATUS_END where nothing more happened before live_go_on(). */
enum status live_next(struct live *live, struct sched_event *event, struct error *err);
/* For sched_state_text() and the like. */
const struct sched_stream *live_stream(const struct live *live);

/* The time of the last live_go_on(), and of the start, by the trace's clock. */
uint64_t live_now_ns(const struct live *live);
uint64_t live_start_ns(const struct live *live);
/* One more than the highest number of a CPU. */
unsigned int live_cpu_count(const struct live *live);
/* The PID by which the trace knows this process: that of the first PID namespace. */
int32_t live_own_pid(const struct live *live);
/* Events lost so far, of all CPUs, by the kernel's own count. */
uint64_t live_lost(const struct live *live);
/* Ends tracing, removes the instance and frees live (NULL is nothing to do), also when that fails. */
enum status live_close(struct live *live, struct error *err);

#endif
