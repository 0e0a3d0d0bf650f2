/* SPDX-License-Identifier: MIT
 *
 * The version of the program, and the texts of help and documentation in tables of rows. The guest's program
 * (src/guest_main.c) has neither: its bytes are part of what decides a deterministic run, and traces must not depend on
 * a version, nor change with documentation. */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

extern const char *const build_version; /* "0.3.0" */
extern const char *const build_commit;
extern const char *const build_date; /* of the commit: "2026-11-21" */

#ifdef PICKNEXT_GUEST
#define HELP(text) NULL
#else
#define HELP(text) (text)
#endif

#endif
