/* SPDX-License-Identifier: MIT
 *
 * The tracing process: its name, by which other picknext processes recognise the owner of a trace instance, and its
 * CPU. */
#ifndef RECORD_TRACER_H
#define RECORD_TRACER_H

#include "record/messages.h"
#include "record/tracefs/cpus.h"

/* Reads the CPUs of the machine and moves this process to the last isolated one. If that is refused it warns and goes
 * on. After success, tracer_end() moves it back. */
enum status tracer_begin(struct cpu_layout *cpus, const struct notices *notices, struct error *err);
void tracer_end(const struct cpu_layout *cpus);

#endif
