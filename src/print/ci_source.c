/* SPDX-License-Identifier: MIT */
#include "print/ci_source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ci_system {
	const char *mark, *origin; /* the variable mark is "true" there */
	const char *commit;        /* variables */
	const char *server, *repository;
};

static const struct ci_system systems[] = {
    {"GITHUB_ACTIONS", "github", "GITHUB_SHA", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY"},
    {"GITLAB_CI", "gitlab", "CI_COMMIT_SHA", NULL, "CI_PROJECT_URL"},
};

static const char *variable(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value ? value : "";
}

static bool is_origin(const char *text)
{
	const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return length && length <= CI_ORIGIN_MAX && text[length] == '\0';
}

static bool is_commit(const char *text)
{
	const size_t length = strspn(text, "0123456789abcdef");

	return (length == 40 || length == 64) && text[length] == '\0';
}

static void read_environment(struct ci_source *source)
{
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		const struct ci_system *system = &systems[i];
		const char *commit = variable(system->commit);
		if (strcmp(variable(system->mark), "true") != 0 || !is_commit(commit))
			continue;
		snprintf(source->origin, sizeof(source->origin), "%s", system->origin);
		snprintf(source->commit, sizeof(source->commit), "%s", commit);
		if (variable(system->repository)[0])
			snprintf(source->repository, sizeof(source->repository), "%s%s%s", variable(system->server),
				 system->server ? "/" : "", variable(system->repository));
		return;
	}
}

enum status ci_source_find(const char *origin, const char *commit, struct ci_source *source, struct error *err)
{
	*source = (struct ci_source){.origin = "picknext"};
	if (origin && !is_origin(origin))
		return error_set(err, STATUS_USAGE, "--kcidb-origin",
				 "'%s' is no origin: at most %d lower case letters, digits and _", origin,
				 CI_ORIGIN_MAX);
	if (commit && !is_commit(commit))
		return error_set(err, STATUS_USAGE, "--git-commit", "'%s' is no hash of 40 or 64 digits", commit);
	read_environment(source);
	if (origin)
		snprintf(source->origin, sizeof(source->origin), "%s", origin);
	if (commit)
		snprintf(source->commit, sizeof(source->commit), "%s", commit);
	return STATUS_OK;
}
