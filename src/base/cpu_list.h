/* SPDX-License-Identifier: MIT
 *
 * Lists of CPUs as the kernel writes and reads them: "0-2,4" (Documentation/admin-guide/kernel-parameters.rst); the
 * model of this machine's CPUs. */
#ifndef BASE_CPU_LIST_H
#define BASE_CPU_LIST_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Parses a list; "" is the empty set. False for any other text, and for CPUs from CPU_SETSIZE (1024) on. */
bool cpu_list_parse(const char *text, cpu_set_t *set);
/* Writes a set as a list, truncated if it does not fit. */
void cpu_list_text(const cpu_set_t *set, char *text, size_t size);

#define CPU_MODEL_SIZE 128

/* The model in a text of /proc/cpuinfo: "model name", or on arm64 the kinds of CPUs, such as "implementer 0x41 part
 * 0xd0c r3p1"; "" if it has neither. */
void cpu_model_from(const char *text, char model[CPU_MODEL_SIZE]);
/* That of this machine. */
void cpu_model_read(char model[CPU_MODEL_SIZE]);

#endif
