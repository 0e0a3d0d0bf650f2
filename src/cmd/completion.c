/* SPDX-License-Identifier: MIT */
#include "print/manual/completion.h"

#include <stdio.h>

#include "base/message.h"
#include "cmd/commands.h"
#include "print/print.h"

static int run_completion(const struct call *call)
{
	const char *script = completion_script(call->operands.items[0]);
	struct error err = {0};

	if (script) {
		fputs(script, stdout);
		return 0;
	}
	error_set(&err, STATUS_USAGE, NULL, "unknown shell '%s'", call->operands.items[0]);
	error_remedy(&err, "one of " COMPLETION_SHELLS);
	return message_error(&err);
}

const struct command command_completion = {
    .name = "completion",
    .summary = "print a completion script for a shell",
    .operands = COMPLETION_SHELLS,
    .operands_min = 1,
    .operands_max = 1,
    .details = "The shell then completes commands, options and their values. make install puts the scripts where the\n"
	       "shells look for them.",
    .examples = "  . <(picknext completion bash)        # for this shell\n"
		"  picknext completion fish >~/.config/fish/completions/picknext.fish\n",
    .run = run_completion,
};

static int run_complete(const struct call *call)
{
	struct buffer out = {0};

	completion_add(call->groups, call->operands.items, call->operands.count, &out);
	return print_buffer(&out);
}

const struct command command_complete = {
    .name = "complete",
    .summary = "print what can follow in a command line, for completion scripts",
    .operands = "[-- WORD...]",
    .operands_max = SIZE_MAX,
    .run = run_complete,
    .hidden = true,
};
