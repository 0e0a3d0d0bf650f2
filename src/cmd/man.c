/* SPDX-License-Identifier: MIT */
#include "base/message.h"
#include "cmd/commands.h"
#include "print/manual/man_page.h"
#include "print/print.h"

struct man_options {
	bool list;
};

static const struct option options[] = {
    OPTION(struct man_options, list, "list", .letter = 'l', .help = "list all pages: file name, then command or topic"),
    {.name = NULL},
};

static int run_man(const struct call *call)
{
	const struct man_options *wanted = call->values;
	struct subject subject;
	struct buffer page = {0};
	struct error err = {0};

	if (subject_find(call->groups, call->operands.items, call->operands.count, &subject, &err) != STATUS_OK)
		return message_error(&err);
	if (wanted->list)
		man_page_add_list(call->groups, &page);
	else
		man_page_add(call->groups, &subject, &page);
	return print_buffer(&page);
}

const struct command command_man = {
    .name = "man",
    .summary = "print a manual page of this program, a command or a topic",
    .operands = "[COMMAND|TOPIC]",
    .operands_max = SIZE_MAX,
    .details = "The page has the texts of picknext help, as roff with the macros of man(7). make install puts all\n"
	       "pages where man finds them: picknext(1), picknext-COMMAND(1) and picknext-TOPIC(7).",
    .examples = "  picknext man vm | man -l -             # read it\n"
		"  picknext man metrics > picknext-metrics.7\n",
    .options = options,
    .values_size = sizeof(struct man_options),
    .run = run_man,
};
