/* SPDX-License-Identifier: MIT
 *
 * SIGINT, SIGTERM and SIGHUP as something to be asked about: work stops at its next safe point, cleans
 * up, and the command exits with 128 + signal. SIGHUP stays ignored where nohup has it so. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

#include "base/error.h"

/* Installs the handlers, also for signals that were blocked (without SA_RESTART, so that blocking calls return EINTR)
 * and ignores SIGPIPE. */
void interrupt_catch(void);
/* Puts the default actions back, for a child process. */
void interrupt_release(void);
/* The first signal that came, or 0. */
int interrupt_signal(void);
/* Readable once a signal came, for poll(); -1 before interrupt_catch(). */
int interrupt_fd(void);
/* STATUS_INTERRUPTED with the signal where one came, else STATUS_OK. */
enum status interrupt_check(struct error *err);
/* Sleeps, but not past a signal. */
enum status interrupt_sleep(unsigned int milliseconds, struct error *err);

#endif
