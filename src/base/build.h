/* SPDX-License-Identifier: MIT
 *
 * The version of the program. NULL in the guest's (src/guest_main.c): traces must not depend on it. */
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

extern const char *const build_version; /* "0.3.0" */
extern const char *const build_commit;
extern const char *const build_date; /* of the commit: "2026-11-21" */

#endif
