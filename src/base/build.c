/* SPDX-License-Identifier: MIT */
#include "base/build.h"

#ifdef PICKNEXT_GUEST
#include <stddef.h>
#define PICKNEXT_VERSION NULL
#define PICKNEXT_COMMIT  NULL
#else
#include "base/version.h"
#endif

const char *const build_version = PICKNEXT_VERSION;
const char *const build_commit = PICKNEXT_COMMIT;
