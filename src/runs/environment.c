/* SPDX-License-Identifier: MIT */
#include "runs/environment.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cpu_list.h"
#include "base/memory.h"

const struct environment_fact_kind environment_facts[FACT_COUNT] = {
    [FACT_KERNEL] = {"kernel", "kernel", false},
    [FACT_KERNEL_VERSION] = {"kernel_version", "kernel build", false},
    [FACT_ARCHITECTURE] = {"architecture", "architecture", true},
    [FACT_HZ] = {"hz", "HZ", true},
    [FACT_PREEMPTION] = {"preemption", "preemption mode", true},
    [FACT_MITIGATIONS] = {"mitigations", "mitigations", true},
    [FACT_CPUS] = {"cpus_workload", "CPUs of the workload", true},
    [FACT_TRACER_CPU] = {"cpu_tracer", "CPU of the tracer", true},
    [FACT_SCHEDULER] = {"scheduler", "scheduler", true},
    [FACT_ISOLATION] = {"isolation", "isolation", true},
    [FACT_CLOCKSOURCE] = {"clocksource", "clock source", true},
    [FACT_TRACE_CLOCK] = {"trace_clock", "trace clock", true},
    [FACT_ACCELERATOR] = {"accelerator", "accelerator", true},
    [FACT_DETERMINISTIC] = {"deterministic", "deterministic", true},
    [FACT_IDENTITY] = {"identity", "identity", false},
    [FACT_SCALE] = {"scale", "scale", true},
    [FACT_SCRATCH] = {"scratch", "scratch device", true},
    [FACT_TUNABLES] = {"scheduler_tunables", "scheduler tunables", false},
    [FACT_COMMAND_LINE] = {"kernel_command_line", "kernel command line", false},
    [FACT_PICKNEXT] = {"picknext_version", "picknext", false},
};

static void set_text(char *facts[FACT_COUNT], enum environment_fact fact, const char *text)
{
	if (text && *text)
		facts[fact] = xstrdup(text);
}

static void set_buffer(char *facts[FACT_COUNT], enum environment_fact fact, struct buffer *text)
{
	set_text(facts, fact, text->data);
	buffer_free(text);
}

static const char *describe_scheduler(const struct run_scheduler *scheduler)
{
	bool is_own = !scheduler->ops && (!scheduler->given || strcmp(scheduler->given, "none") == 0);

	if (!scheduler->is_known)
		return NULL;
	return is_own ? "the kernel's own" : scheduler->given ? scheduler->given : scheduler->ops;
}

static void describe_texts(const struct run_metadata *metadata, char *facts[FACT_COUNT])
{
	const struct run_host *host = &metadata->host;
	const char *preemption = host->preemption;

	if (preemption && strcmp(preemption, "dynamic") == 0)
		preemption = "chosen at boot, not known";
	const struct {
		enum environment_fact fact;
		const char *text;
	} texts[] = {
	    {FACT_KERNEL, host->kernel},
	    {FACT_KERNEL_VERSION, host->kernel_version},
	    {FACT_ARCHITECTURE, host->architecture},
	    {FACT_PREEMPTION, preemption},
	    {FACT_CLOCKSOURCE, host->clocksource},
	    {FACT_TRACE_CLOCK, metadata->trace_clock},
	    {FACT_COMMAND_LINE, host->command_line},
	    {FACT_ACCELERATOR, metadata->work.accelerator  ? metadata->work.accelerator
			       : metadata->has_accelerator ? "none, not a guest"
							   : NULL},
	    {FACT_DETERMINISTIC, metadata->is_deterministic ? "yes" : "no"},
	    {FACT_IDENTITY, metadata->identity},
	    {FACT_SCHEDULER, describe_scheduler(&metadata->scheduler)},
	    {FACT_ISOLATION, metadata->scheduler.isolation},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		set_text(facts, texts[i].fact, texts[i].text);
}

/* The sysfs names of mitigations, else the last mitigations= of the kernel's command line. */
static void describe_mitigations(const struct run_host *host, char *facts[FACT_COUNT])
{
	static const char argument[] = "mitigations=";
	struct buffer text = {0};
	const char *found = NULL;
	const char *line = host->command_line;

	if (host->mitigations || !line) {
		set_text(facts, FACT_MITIGATIONS, host->mitigations);
		return;
	}
	for (const char *at = strstr(line, argument); at; at = strstr(at + 1, argument))
		if (at == line || at[-1] == ' ')
			found = at + strlen(argument);
	if (found)
		buffer_add(&text, found, strcspn(found, " "));
	else
		buffer_text(&text, "default");
	set_buffer(facts, FACT_MITIGATIONS, &text);
}

static void describe_cpus(const struct run_host *host, char *facts[FACT_COUNT])
{
	char list[4096];
	struct buffer hz = {0};
	struct buffer tracer = {0};

	cpu_list_text(&host->cpus_workload, list, sizeof(list));
	if (host->hz)
		buffer_printf(&hz, "%u", host->hz);
	if (host->tracer_cpu >= 0)
		buffer_printf(&tracer, "%d", host->tracer_cpu);
	else if (host->has_tracer_cpu)
		buffer_text(&tracer, "none of its own");
	set_buffer(facts, FACT_HZ, &hz);
	set_buffer(facts, FACT_TRACER_CPU, &tracer);
	set_text(facts, FACT_CPUS, list);
}

/* Without zeros at the end of its fraction. */
static void describe_scale(double scale, char *facts[FACT_COUNT])
{
	struct buffer text = {0};

	if (isnan(scale))
		return;
	buffer_printf(&text, "%.6f", scale);
	while (text.length && text.data[text.length - 1] == '0')
		text.data[--text.length] = '\0';
	if (text.length && text.data[text.length - 1] == '.')
		text.data[--text.length] = '\0';
	set_buffer(facts, FACT_SCALE, &text);
}

static void describe_scratch(const struct run_work *work, char *facts[FACT_COUNT])
{
	struct buffer text = {0};
	const char *system = work->scratch.file_system;

	if (work->scratch.kind)
		buffer_printf(&text, "%s%s%s", work->scratch.kind, system ? " on " : "", system ? system : "");
	set_buffer(facts, FACT_SCRATCH, &text);
}

static void describe_tunables(const struct run_host *host, char *facts[FACT_COUNT])
{
	struct buffer text = {0};

	for (size_t i = 0; i < host->tunable_count; i++)
		buffer_printf(&text, "%s%s=%s", i ? " " : "", host->tunables[i].name, host->tunables[i].value);
	set_buffer(facts, FACT_TUNABLES, &text);
}

static void describe_version(const struct run_host *host, char *facts[FACT_COUNT])
{
	struct buffer text = {0};
	const char *commit = host->picknext_commit;

	if (host->picknext_version)
		buffer_printf(&text, "%s%s%s", host->picknext_version, commit ? " " : "", commit ? commit : "");
	set_buffer(facts, FACT_PICKNEXT, &text);
}

void environment_describe(const struct run_metadata *metadata, char *facts[FACT_COUNT])
{
	if (!metadata->document)
		return;
	describe_texts(metadata, facts);
	describe_mitigations(&metadata->host, facts);
	describe_cpus(&metadata->host, facts);
	describe_scale(metadata->work.scale, facts);
	describe_scratch(&metadata->work, facts);
	describe_tunables(&metadata->host, facts);
	describe_version(&metadata->host, facts);
}
