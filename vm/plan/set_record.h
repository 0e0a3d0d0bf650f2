/* SPDX-License-Identifier: MIT
 *
 * vm.json of a set, made from the records of its cells: what the launch was, from the one with the lowest number, and
 * the boots of all. So its bytes depend on the cells alone, not on who made them and in which order. */
#ifndef VM_PLAN_SET_RECORD_H
#define VM_PLAN_SET_RECORD_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/plan/run_outcomes.h"

/* The text of vm.json; empty without cells. Records that cannot be read are left out. */
enum status set_record_make(const char *directory, struct buffer *text, struct error *err);
/* Writes DIR/SET/vm.json, unless it has these bytes. *changed (may be NULL): whether it was written. */
enum status set_record_write(const char *directory, bool *changed, struct error *err);

#endif
