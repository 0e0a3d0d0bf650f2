/* SPDX-License-Identifier: MIT
 *
 * The version of the program, and the texts of help and documentation in tables of rows. The guest's program
 * (src/guest_main.c) has neither: its bytes are an input of deterministic runs, whose traces must not change with the
 * version or the documentation. */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

extern const char *const build_version; /* "0.3.0" */
extern const char *const build_commit;

#ifdef PICKNEXT_GUEST
#define HELP(text) NULL
#else
#define HELP(text) (text)
#endif

#endif
