/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_until.h"

#include <stdio.h>

#include "base/message.h"
#include "base/options_words.h"
#include "cmd/known_workloads.h"

static void find(struct until *until, const struct vm_boot *boot, const char *reason)
{
	if (until->found && until->order < boot->order)
		return;
	until->found = true;
	until->order = boot->order;
	until->launch = boot->launch;
	until->seed = boot->run;
	until->has_died = boot->error != NULL;
	snprintf(until->reason, sizeof(until->reason), "%s", reason);
}

static bool fires(void *context, const struct vm_boot *boot)
{
	struct until *until = context;
	char text[1024] = "";

	if (boot->error)
		error_text(boot->error, text, sizeof(text));
	else if (boot->fault[0])
		snprintf(text, sizeof(text), "the guest's kernel reports: %s", boot->fault);
	else if (run_gate_judge(&until->gate, boot->raw, boot->run, &until->reading, text, sizeof(text),
				&until->error) != STATUS_OK)
		return true;
	if (text[0])
		find(until, boot, text);
	return text[0] != '\0';
}

enum status until_begin(const struct vm_options *options, struct until *until, struct vm_search *search,
			struct error *err)
{
	static const struct option_list all = {0};

	*until = (struct until){0};
	*search = (struct vm_search){.fires = fires, .context = until};
	enum status status = run_gate_parse(options->until, "--until", &until->gate, err);
	if (status == STATUS_OK)
		status = run_set_options_make(&all, NULL, &until->reading, err);
	until->reading.allow_failed = true;
	return status;
}

static void print_command(const struct call *call, const struct until *until)
{
	static const char *const omitted[] = {"until", "seeds", "runs", "jobs", "kernel", "output-dir", NULL};
	const struct vm_options *options = call->values;
	struct arguments line = {0};
	struct buffer text = {0};

	arguments_add(&line, "picknext");
	arguments_add(&line, "vm");
	if (options->kernels.count)
		arguments_add(&line, "--kernel=%s", options->kernels.items[until->launch]);
	options_words(call->command->options, options, omitted, &line);
	arguments_add(&line, "--seeds=%u", until->seed);
	arguments_add(&line, "--output-dir=%s-seed%u", options->output, until->seed);
	if (options->collection.wanted.command)
		arguments_add(&line, "--");
	for (char *const *word = options->collection.wanted.command; word && *word; word++)
		arguments_add(&line, "%s", *word);
	arguments_quote(&line, " ", &text);
	if (!line.failed && !text.failed)
		printf("Repeat it with:\n  %s\n", text.data);
	arguments_free(&line);
	buffer_free(&text);
}

int until_print(const struct call *call, const struct until *until, const char *set, size_t tried)
{
	if (until->error.status != STATUS_OK)
		return message_error(&until->error);
	if (!until->found) {
		printf("No fault with %zu seed%s: '%s' does not fire, and no guest died.\n", tried,
		       tried == 1 ? "" : "s", until->gate.text);
		return 0;
	}
	if (until->has_died)
		printf("%s\n", until->reason);
	else
		printf("%s, seed %u: %s\n", set, until->seed, until->reason);
	print_command(call, until);
	return until->has_died ? 6 : 1;
}
