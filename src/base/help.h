/* SPDX-License-Identifier: MIT
 *
 * The texts of help and documentation in tables of rows. The guest's program (src/guest_main.c) has none: its bytes are
 * part of what decides a deterministic run, and documentation must not change that. */
#ifndef BASE_HELP_H
#define BASE_HELP_H

#ifdef PICKNEXT_GUEST
#define HELP(text) NULL
#else
#define HELP(text) (text)
#endif

#endif
