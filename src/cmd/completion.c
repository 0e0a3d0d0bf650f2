/* SPDX-License-Identifier: MIT */
#include "print/manual/completion.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "print/print.h"

static int run(const struct call *call)
{
	const char *shell = call->operands.items[0];
	struct buffer script = {0};
	struct error err = {0};

	if (!completion_add(shell, call->groups, &script)) {
		error_set(&err, STATUS_USAGE, NULL, "unknown shell '%s'", shell);
		error_remedy(&err, "one of " COMPLETION_SHELLS);
		return message_error(&err);
	}
	return print_buffer(&script);
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
    .run = run,
};
