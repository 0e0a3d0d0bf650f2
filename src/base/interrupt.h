/* SPDX-License-Identifier: MIT
 *
 * SIGINT, SIGTERM and SIGHUP are polled: work stops at the next safe point and cleans up; the command exits with 128 +
 * signal. Under nohup SIGHUP stays ignored. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"

/* Installs the handlers, also for signals that were blocked (without SA_RESTART, so that blocking calls return EINTR)
 * and ignores SIGPIPE. */
void interrupt_catch(void);
/* Restores the default actions, for a child process. */
void interrupt_release(void);
/* In a child process after fork(): a descriptor of its own for interrupt_fd(). The handlers stay. */
void interrupt_after_fork(void);
/* The first signal that arrived, or 0. */
int interrupt_signal(void);
/* A descriptor for poll(), readable once a signal has arrived; -1 before interrupt_catch(). */
int interrupt_fd(void);
/* From now on interrupt_check() in this thread also returns STATUS_INTERRUPTED once *is_over is set. */
void interrupt_follow(const atomic_bool *is_over);
/* STATUS_INTERRUPTED with the signal if one has arrived, else STATUS_OK. */
enum status interrupt_check(struct error *err);
/* Sleeps until the time is over or a signal arrives. */
enum status interrupt_sleep(unsigned int milliseconds, struct error *err);

#endif
