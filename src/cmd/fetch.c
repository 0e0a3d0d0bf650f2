/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arguments.h"
#include "base/message.h"
#include "base/nearest_name.h"
#include "base/program_path.h"
#include "cmd/commands.h"

struct fetch_options {
	const char *arch, *flavour, *output;
	bool list, update;
};

static const struct option options[] = {
    OPTION_CHOICES(struct fetch_options, arch, "arch", "amd64|arm64",
		   .help = "architecture of the kernels, or of the guests of this QEMU (default: the host's)"),
    OPTION_CHOICES(struct fetch_options, flavour, "flavour", "amd64|cloud-amd64|rt-amd64|arm64|arm64-16k",
		   .help = "flavour of kernels (default: amd64 or arm64); cloud is small, without 9p"),
    OPTION(struct fetch_options, list, "list", .help = "list the kernels of this flavour, and their suites"),
    OPTION(struct fetch_options, update, "update", .help = "look for a newer version even if one is already there"),
    OPTION(struct fetch_options, output, "output", .letter = 'o', .argument = "DIR",
	   .help = "directory to unpack into (default: in the cache)"),
    {0},
};

/* The scripts print names unchanged, so only harmless characters are accepted. */
static enum status check_name(const char *name, struct error *err)
{
	for (const char *at = name; at && *at; at++)
		if (*at <= ' ' || *at > '~')
			return error_set(err, STATUS_USAGE, "fetch", "'%s' is no name of a package or suite", name);
	return STATUS_OK;
}

static enum status check(const struct call *call, struct error *err)
{
	static const char *const known[] = {"kernel", "schedulers", "qemu", "vng", NULL};
	const struct fetch_options *given = call->values;
	const char *what = call->operands.items[0];
	size_t i = 0;

	while (known[i] && strcmp(known[i], what) != 0)
		i++;
	if (!known[i]) {
		const char *near = nearest_name(what, known);
		error_set(err, STATUS_USAGE, "fetch", "knows no %s", what);
		return near ? error_remedy(err, "did you mean %s?", near)
			    : error_remedy(err, "it fetches kernel, schedulers, qemu or vng");
	}
	const bool is_qemu = i == 2;
	if (i > 0 &&
	    (given->list || given->flavour || (given->arch && !is_qemu) || (i > 1 && call->operands.count > 1)))
		return error_set(err, STATUS_USAGE, "fetch", "%s takes only %s--update and --output", what,
				 i == 1    ? "names of schedulers, "
				 : is_qemu ? "--arch, "
					   : "");
	enum status status = check_name(given->flavour, err);
	for (size_t at = 1; at < call->operands.count && status == STATUS_OK; at++)
		status = check_name(call->operands.items[at], err);
	return status;
}

/* lib/picknext of an installation, or vm of a source tree. */
static enum status find_script(const char *what, char path[PATH_MAX], struct error *err)
{
	char installed[64], source[64];

	snprintf(installed, sizeof(installed), "../lib/picknext/fetch-%s", what);
	snprintf(source, sizeof(source), "../vm/fetch-%s", what);
	if (program_find_beside(installed, path, PATH_MAX) || program_find_beside(source, path, PATH_MAX))
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, "fetch", "there is no script %s", installed + 3);
	return error_remedy(err, "picknext looks for it beside the directory that it is in; install the whole package");
}

static void add_options(const struct fetch_options *given, struct arguments *line)
{
	if (given->list)
		arguments_add(line, "--list");
	if (given->update)
		arguments_add(line, "--update");
	if (given->arch)
		arguments_option(line, "--arch", "%s", given->arch);
	if (given->flavour)
		arguments_option(line, "--flavour", "%s", given->flavour);
	if (given->output)
		arguments_option(line, "-o", "%s", given->output);
}

static enum status fetch(const struct call *call, struct error *err)
{
	struct arguments line = {0};
	char script[PATH_MAX];
	enum status status = find_script(call->operands.items[0], script, err);

	if (status != STATUS_OK)
		return status;
	arguments_add(&line, "%s", script);
	add_options(call->values, &line);
	for (size_t i = 1; i < call->operands.count; i++)
		arguments_add(&line, "%s", call->operands.items[i]);
	if (message_level() == MESSAGE_QUIET)
		setenv("PICKNEXT_FETCH_QUIET", "1", 1);
	execv(script, line.items);
	status = error_system(err, errno, script, "cannot be started");
	arguments_free(&line);
	return status;
}

static int run_fetch(const struct call *call)
{
	struct error err = {0};

	if (check(call, &err) == STATUS_OK)
		fetch(call, &err); /* returns only after a failure */
	return message_error(&err);
}

const struct command command_fetch = {
    .name = "fetch",
    .summary = "get Debian's kernels, QEMU, vng or schedulers of sched_ext, without root",
    .operands = "kernel LINE... | schedulers | qemu | vng",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .details = "Unpacks Debian packages into $XDG_CACHE_HOME/picknext (default: ~/.cache/picknext), where picknext\n"
	       "vm finds them, and prints the path of the image or program. Needs apt, but no root, and changes\n"
	       "nothing on the system: mirror and keys are those of the machine's apt sources. LINE is a release\n"
	       "line of kernels (6.1, 6.12, 7) or a suite whose newest kernel is wanted (sid). qemu is QEMU 10 or\n"
	       "later, for deterministic guests; a newer one that is installed is used as it is. vng is virtme-ng,\n"
	       "for wall-clock guests. schedulers are built from the kernel's own tools/sched_ext, with gcc and make\n"
	       "of the machine: scx_simple and four more, or those named.",
    .examples = "  picknext fetch kernel 6.1 6.12 && picknext fetch qemu\n"
		"  picknext vm -k 6.1 -k 6.12           # boots the fetched kernels\n"
		"  picknext fetch kernel --arch arm64 6.12 && picknext fetch qemu --arch arm64\n"
		"  picknext vm -k 6.12-arm64            # a guest of another architecture\n"
		"  picknext fetch kernel --list         # what the mirror offers",
    .options = options,
    .values_size = sizeof(struct fetch_options),
    .run = run_fetch,
};
