/* SPDX-License-Identifier: MIT */
#include "record/tracer.h"

#include <sys/prctl.h>

enum status tracer_begin(struct cpu_layout *cpus, const struct notices *notices, struct error *err)
{
	struct error refusal = {0};
	char text[512];
	enum status status = cpu_layout_read(cpus, err);

	if (status != STATUS_OK)
		return status;
	prctl(PR_SET_NAME, "picknext");
	if (cpu_layout_pin(cpus, &refusal) != STATUS_OK) {
		error_text(&refusal, text, sizeof(text));
		notices_warn(notices, "%s", text);
	}
	return STATUS_OK;
}

void tracer_end(const struct cpu_layout *cpus)
{
	cpu_layout_unpin(cpus);
}
