/* SPDX-License-Identifier: MIT
 *
 * Where the instructions of a change are in a kernel: by the debug information of its vmlinux, which the host's gdb
 * reads. That shows lines, and copies of functions that the compiler inlined. */
#ifndef VM_KERNEL_DEBUG_PLACES_H
#define VM_KERNEL_DEBUG_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/buffer.h"
#include "base/error.h"
#include "vm/kernel/source_change.h"

struct debug_places {
	struct buffer words;      /* of --count; length 0: nothing can be counted */
	size_t count;             /* of them */
	size_t lines;             /* instructions of changed lines */
	size_t without_code;      /* changed lines of functions that have none of their own, though others have */
	struct arguments inlined; /* functions without a copy of their own: "lag() is inlined into place, dequeue" */
	struct buffer without;    /* why no line is among them: "vmlinux has no debug information ..."; or length 0 */
	/* Private: instructions of lines. */
	struct {
		size_t place;
		uint64_t address;
	} * addresses;
	size_t address_count;
};

/* tree: the directory of the kernel's build, with vmlinux; NULL: functions only, by their names. Errors of gdb leave
 * the functions. STATUS_INTERRUPTED after a signal. */
enum status debug_places_find(const struct source_change *change, const char *tree, struct debug_places *places,
			      struct error *err);
void debug_places_free(struct debug_places *places);

/* Questions to gdb and its answers: functions and the addresses of lines; then their symbols. */
void debug_places_command(const struct source_change *change, const char *vmlinux, struct arguments *command);
void debug_places_read(const struct source_change *change, const char *text, size_t length,
		       struct debug_places *places);
void debug_places_symbols_command(const struct debug_places *places, const char *vmlinux, struct arguments *command);
void debug_places_read_symbols(const struct source_change *change, const char *text, size_t length,
			       struct debug_places *places);

#endif
