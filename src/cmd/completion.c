/* SPDX-License-Identifier: MIT */
#include "manual/completion.h"

#include <stdio.h>

#include "base/message.h"
#include "cmd/commands.h"
#include "compare/metric.h"
#include "print/print.h"
#include "scheduler/builtin_table.h"
#include "vm/kernel/kernel_choice.h"
#include "workloads/table.h"

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

static void add_workloads(struct buffer *out)
{
	for (size_t i = 0; workload_at(i); i++)
		completion_add_word(workload_at(i)->name, workload_at(i)->description, out);
}

static void add_metrics(struct buffer *out)
{
	for (const struct metric *metric = metric_table(); metric->name; metric++)
		completion_add_word(metric->name, metric->help, out);
}

static void add_kernel(void *out, const char *name)
{
	completion_add_word(name, "fetched kernel", out);
}

static void add_kernels(struct buffer *out)
{
	kernel_fetched_list(add_kernel, out);
}

static void add_schedulers(struct buffer *out)
{
	completion_add_word("none", "the kernel's own scheduler", out);
	for (const struct builtin_scheduler *builtin = builtin_scheduler_table; builtin->name; builtin++)
		completion_add_word(builtin->name, builtin->description, out);
}

static const struct completion_values values[] = {
    {"workload", false, add_workloads}, {"as", false, add_workloads},        {"NAME", false, add_workloads},
    {"metric", false, add_metrics},     {"fail-if", false, add_metrics},     {"until", false, add_metrics},
    {"kernel", true, add_kernels},      {"scheduler", true, add_schedulers}, {NULL, false, NULL},
};

static int run_complete(const struct call *call)
{
	struct buffer out = {0};

	completion_add(call->groups, values, call->operands.items, call->operands.count, &out);
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
