/* SPDX-License-Identifier: MIT */
#include "cmd/export_traces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/known_workloads.h"
#include "trace/format/kernel_name.h"

/* --- The traces --- */

enum status export_traces_open(struct export_traces *traces, const struct operands *operands,
			       const struct run_choice *choice, struct error *err)
{
	enum status status = STATUS_OK;

	if (operands->count > PERFETTO_TRACES_MAX)
		return error_set(err, STATUS_USAGE, NULL, "one export has at most %d traces", PERFETTO_TRACES_MAX);
	for (size_t i = 0; i < operands->count && status == STATUS_OK; i++) {
		struct run *run = &traces->runs[traces->count];
		const char *operand = operands->items[i];
		traces->count++;
		status = run_choice_open(operand, choice, run, err);
		if (status == STATUS_OK)
			status = input_open_dat(&traces->inputs[i], run->path, err);
	}
	return status;
}

void export_traces_free(struct export_traces *traces)
{
	for (size_t i = 0; i < traces->count; i++) {
		input_close(&traces->inputs[i]);
		run_free(&traces->runs[i]);
	}
	for (size_t i = 0; i < sizeof(traces->texts) / sizeof(*traces->texts); i++)
		free(traces->texts[i]);
}

/* --- Labels and times --- */

/* "6.12.95 hackbench_run1"; further traces of the same text have their number. */
static void label_trace(struct export_traces *traces, size_t number)
{
	struct kernel_name kernel;
	struct buffer text = {0};

	kernel_name_parse(traces->inputs[number].trace.uname, &kernel);
	buffer_printf(&text, "%s %s", kernel.release, traces->runs[number].id);
	for (size_t i = 0; i < number; i++)
		if (strcmp(text.data, traces->texts[i]) == 0) {
			buffer_printf(&text, " (%zu)", number + 1);
			break;
		}
	traces->texts[number] = xstrdup(text.data);
	traces->labels[number].label = traces->texts[number];
	buffer_free(&text);
}

static void mark_difference(struct export_traces *traces, size_t number, const struct trace_diff *diff, int run)
{
	const struct diff_cpu *cpu = diff->first;
	struct perfetto_label *label = &traces->labels[number];

	if (!cpu || !cpu->divergence.has[run] || label->mark)
		return;
	char **text = &traces->texts[PERFETTO_TRACES_MAX + number];
	*text = xasprintf("first difference, CPU %" PRIu32 ": %s", cpu->cpu, cpu->divergence.words[run]);
	label->mark = *text;
	label->mark_ns = cpu->divergence.ts_ns[run];
}

/* Compares the trace with the first one. *shift_ns moves its start to that of the first one: of the workload if both
 * show it, else of the traces. */
static enum status compare_with_first(struct export_traces *traces, size_t number, int64_t *shift_ns, struct error *err)
{
	static const struct task_choice all = {0};
	static const struct pass_options window = {0};
	struct trace_diff diff = {.window = &window, .tasks_wanted = &all, .first_only = true};
	const size_t numbers[2] = {0, number};
	enum status status = STATUS_OK;
	bool has_workload = true;

	for (int i = 0; i < 2 && status == STATUS_OK; i++) {
		const struct run *run = &traces->runs[numbers[i]];
		diff.workloads[i] = known_tasks_of(run);
		has_workload &= run_has_metadata(run) && run_is_of(run, traces->runs[0].workload) &&
				(diff.workloads[i].task_names || run->root_count);
		status = input_open(&diff.inputs[i], run->path, err);
	}
	diff.workload_only = has_workload;
	if (status == STATUS_OK) {
		status = diff_compare(&diff, err);
		/* Neither has a switch: nothing is marked. */
		status = status == STATUS_USAGE ? STATUS_OK : status;
	}
	const bool both_show = diff.runs[0].has_events && diff.runs[1].has_events;
	for (int i = 0; i < 2 && status == STATUS_OK; i++)
		mark_difference(traces, numbers[i], &diff, i);
	*shift_ns = (int64_t)(both_show ? diff.runs[0].from_ns - diff.runs[1].from_ns
					: diff.runs[0].first_ns - diff.runs[1].first_ns);
	trace_diff_free(&diff);
	return status;
}

enum status export_traces_align(struct export_traces *traces, struct error *err)
{
	int64_t shifts_ns[PERFETTO_TRACES_MAX] = {0}, least_ns = 0;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < traces->count; i++)
		label_trace(traces, i);
	for (size_t i = 1; i < traces->count && status == STATUS_OK; i++) {
		status = compare_with_first(traces, i, &shifts_ns[i], err);
		least_ns = shifts_ns[i] < least_ns ? shifts_ns[i] : least_ns;
	}
	/* No time is moved back, so none is before 0. */
	for (size_t i = 0; i < traces->count; i++)
		traces->labels[i].shift_ns = (uint64_t)shifts_ns[i] - (uint64_t)least_ns;
	return status;
}
