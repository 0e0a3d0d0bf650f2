/* SPDX-License-Identifier: MIT
 *
 * Where the kernel under test comes from, for reports to KernelCI: from options, else from what GitHub Actions and
 * GitLab CI set in the environment. */
#ifndef PRINT_CI_SOURCE_H
#define PRINT_CI_SOURCE_H

#include "base/error.h"

#define CI_ORIGIN_MAX 32

struct ci_source {
	char origin[CI_ORIGIN_MAX + 1]; /* the CI system in KCIDB; "picknext" if neither says another */
	char commit[65];                /* of the kernel of the last set; "": unknown */
	char repository[256];           /* its URL; "": unknown */
};

/* origin and commit are those of the options, or NULL. STATUS_USAGE if KCIDB does not allow them; variables that it
 * does not allow are ignored. */
enum status ci_source_find(const char *origin, const char *commit, struct ci_source *source, struct error *err);

#endif
