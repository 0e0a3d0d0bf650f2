/* SPDX-License-Identifier: MIT
 *
 * The traces of one export: files, or runs of directories, each with a label; aligned at the start of the workload. */
#ifndef CMD_EXPORT_TRACES_H
#define CMD_EXPORT_TRACES_H

#include "base/options.h"
#include "cmd/run_choice.h"
#include "export/perfetto.h"

struct export_traces {
	struct run runs[PERFETTO_TRACES_MAX];
	struct input inputs[PERFETTO_TRACES_MAX];
	struct perfetto_label labels[PERFETTO_TRACES_MAX];
	char *texts[2 * PERFETTO_TRACES_MAX]; /* of labels and marks */
	size_t count;
};

/* Opens the traces of the operands; free them after errors too. */
enum status export_traces_open(struct export_traces *traces, const struct operands *operands,
			       const struct run_choice *choice, struct error *err);
/* Fills labels: times, so that the workloads start together, and the first switch that differs from that of the first
 * trace. */
enum status export_traces_align(struct export_traces *traces, struct error *err);
void export_traces_free(struct export_traces *traces);

#endif
