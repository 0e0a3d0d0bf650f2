/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_until.h"

#include <stdio.h>

#include "base/message.h"
#include "cmd/known_workloads.h"

static void find(struct until *until, const struct vm_ended_run *boot, const char *reason)
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

static bool fires(void *context, const struct vm_ended_run *boot)
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
	*until = (struct until){0};
	*search = (struct vm_search){.fires = fires, .context = until};
	enum status status = run_gate_parse(options->until, "--until", &options->launch.values, &until->gate, err);

	if (status == STATUS_OK)
		status = run_set_options_check(&until->reading, err);
	until->reading.allow_failed = true;
	return status;
}

static void print_command(const struct until *until, const struct vm_session *session)
{
	struct recipe one = {0};
	struct buffer text = {0};

	vm_recipe(session->sets[until->launch].launch, &one);
	recipe_add_option(&one, "--seeds=%u", until->seed);
	recipe_add_option(&one, "--output-dir=%s-seed%u", session->options->launch.output, until->seed);
	recipe_forget_directory(&one); /* it is this one */
	recipe_quote(&one, &text);
	printf("Repeat it with:\n  %s\n", text.data);
	recipe_free(&one);
	buffer_free(&text);
}

int until_print(const struct until *until, const struct vm_session *session)
{
	const size_t tried = session->runs.count;

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
		printf("%s, seed %u: %s\n", session->sets[until->launch].kernel.set, until->seed, until->reason);
	print_command(until, session);
	return until->has_died ? 6 : 1;
}
