/* SPDX-License-Identifier: MIT */
#include "compare/run_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/ordered.h"
#include "measure/migration_reader.h"
#include "measure/trace_identity.h"
#include "trace/format/kernel_name.h"

struct reading {
	struct run *run;
	struct pass_consumer also;
	uint64_t cpus[TASK_CPUS_MAX / 64]; /* of the workload */
	struct cpu_levels levels;
	struct run_metrics_work *work;
	struct cgroups cgroups;
	struct rules_reading rules;
	struct pass_consumer decided; /* fills it */
};

static void set_fact(struct run *run, enum environment_fact fact, const char *text)
{
	if (!run->facts[fact] && *text)
		run->facts[fact] = xstrdup(text);
}

/* Facts that the trace itself holds, for runs without metadata. */
static void set_facts(struct run *run, const struct tracedat *trace)
{
	struct kernel_name kernel;

	kernel_name_parse(trace->uname, &kernel);
	set_fact(run, FACT_KERNEL, kernel.release);
	set_fact(run, FACT_ARCHITECTURE, kernel.machine);
	set_fact(run, FACT_TRACE_CLOCK, trace->clock);
}

static struct run_metrics_scope make_scope(struct reading *reading)
{
	const struct run *run = reading->run;
	const cpu_set_t *cpus = &run->metadata.host.cpus_workload;

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			reading->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	cpu_levels_read(&run->metadata.host.topology, &reading->levels);
	const unsigned int levels = cpu_levels_of(&reading->levels, cpus);
	return (struct run_metrics_scope){
	    .task_names = run_task_names(run),
	    .tasks = run_task_count(run),
	    .roots = run->roots,
	    .root_count = run->root_count,
	    .cpus = CPU_COUNT(cpus) > 0 ? reading->cpus : NULL,
	    .throughput = run->metadata.work_per_second,
	    .hz = run->metadata.host.hz,
	    .is_deterministic = run->metadata.is_deterministic,
	    .levels = cpu_levels_differ(levels) ? &reading->levels : NULL,
	    .level_bits = levels,
	    .capacities = cpu_levels_are_unequal(&reading->levels, cpus) ? reading->levels.capacities : NULL,
	    .work = &run->metadata.work,
	    .cgroups = &reading->cgroups,
	    .rules = &reading->rules.found,
	    .choice = task_choice_is_all(run->results->choice) ? NULL : run->results->choice,
	    .unneeded = run->results->unneeded,
	    .names = run->results->wants_names ? &run->results->names : NULL,
	};
}

static enum status begin_run(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;
	const struct sched_stream *stream = sched_source_stream(pass->run.source);
	const struct run_metrics_scope scope = make_scope(reading);
	const struct pass_consumer *also = &reading->also;

	cgroups_begin(&reading->cgroups, pass, false);
	reading->work = run_metrics_begin(&scope);
	if (stream)
		set_facts(reading->run, sched_stream_trace(stream));
	enum status status = reading->decided.begin(&reading->rules, pass, err);
	return status == STATUS_OK && also->begin ? also->begin(also->context, pass, err) : status;
}

static enum status measure_event(void *context, const struct pass *pass, const struct sched_event *event,
				 const struct task_step *step, struct error *err)
{
	struct reading *reading = context;
	const struct pass_consumer *also = &reading->also;

	cgroups_step(&reading->cgroups, pass, event, step);
	run_metrics_step(reading->work, &pass->states, event, step);
	enum status status = reading->decided.step(&reading->rules, pass, event, step, err);
	return status == STATUS_OK && also->step ? also->step(also->context, pass, event, step, err) : status;
}

static enum status measure_migration(void *context, const struct pass *pass, const struct migration *migration,
				     struct error *err)
{
	struct reading *reading = context;

	(void)err;
	run_metrics_migration(reading->work, &pass->states, migration);
	return STATUS_OK;
}

static enum status cut_run(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	struct reading *reading = context;
	const struct pass_consumer *also = &reading->also;

	run_metrics_cut(reading->work, &pass->states, slice);
	return also->cut ? also->cut(also->context, pass, slice, err) : STATUS_OK;
}

static enum status end_run(void *context, const struct pass *pass, struct error *err)
{
	const struct reading *reading = context;
	const struct pass_consumer *also = &reading->also;
	const struct trace_identity trace = trace_identity_of_pass(pass);

	if (trace_identity_check(reading->run, &trace, err) != STATUS_OK)
		return err->status;
	return also->end ? also->end(also->context, pass, err) : STATUS_OK;
}

static void set_quality(const struct pass *pass, struct run_results *results)
{
	const struct pass_summary *summary = &pass->summary;
	const struct trace_quality *quality = &pass->trace.quality;

	results->events = summary->events;
	results->grade = summary->grade;
	results->followed_only = summary->followed_runs > 0;
	results->lacks_switches = !quality_has_enough(quality->switches, quality->faults.switches_missing);
	results->is_lossy = results->is_lossy || summary->lossy_runs || summary->truncated_runs || summary->lost_events;
	if (summary->grade != QUALITY_GOOD)
		snprintf(results->finding, sizeof(results->finding), "%s", summary->worst.text);
}

enum status run_read(struct run *run, struct input *input, const struct pass_consumer *also, struct error *err)
{
	struct reading *reading = xcalloc(1, sizeof(*reading)); /* too large for a small stack */
	struct migration_reader reader = {
	    .consumer = {
		.pass = {.context = reading, .begin = begin_run, .step = measure_event, .cut = cut_run, .end = end_run},
		.take = measure_migration}};
	const struct pass_consumer consumer = migration_reader_consumer(&reader);
	const struct pass_options options = {.with_roles = run->results->choice->roles.count > 0, .described = run};
	struct run_results *results = run->results;
	struct pass pass;

	reading->run = run;
	if (also)
		reading->also = *also;
	reading->decided = rules_reading_begin(&reading->rules);
	reading->rules.may_lack_keys = true;
	enum status status = pass_read_inputs(&options, input, 1, &consumer, &pass, err);

	run_metrics_end(reading->work, &pass.states, status == STATUS_OK ? &results->whole : NULL, &results->steady);
	results->rules = reading->rules.found;
	rules_reading_free(&reading->rules);
	cgroups_free(&reading->cgroups);
	free(reading);
	if (status == STATUS_OK)
		set_quality(&pass, run->results);
	migration_reader_free(&reader);
	pass_free(&pass);
	return status;
}

enum status run_check_losses(const struct run *run, struct error *err)
{
	if (!run->results->is_lossy)
		return STATUS_OK;
	/* check reads the trace alone, which may not have what its JSON counts. */
	if (losses_any(&run->losses))
		error_set(err, STATUS_LOST, run->path,
			  "events are missing (%s.json counts %" PRIu64 "): its metrics are not trustworthy", run->id,
			  losses_events(&run->losses));
	else
		error_set(err, STATUS_LOST, run->path,
			  "events are missing (picknext check says which): its metrics are not trustworthy");
	return error_remedy(err, "record it again, leave it out, or give --allow lossy");
}

static enum status read_trace(struct run *run, bool allow_lossy, struct error *err)
{
	char warning[INPUT_WARNING_SIZE];
	struct input input;
	enum status status = input_open(&input, run->path, err);

	if (status != STATUS_OK)
		return status;
	if (input_skipped_text(&input, warning, sizeof(warning)))
		message_warning("%s", warning);
	status = run_read(run, &input, NULL, err);
	input_close(&input);
	return status == STATUS_OK && !allow_lossy ? run_check_losses(run, err) : status;
}

struct sets_reading {
	struct run_sets *sets;
	bool allow_lossy;
};

static enum status make_metrics(void *context, size_t item, struct error *err)
{
	const struct sets_reading *reading = context;
	struct run_set *set;

	return read_trace(run_sets_run(reading->sets, item, &set), reading->allow_lossy, err);
}

static enum status show_progress(void *context, size_t item, enum status made, struct error *err)
{
	const struct sets_reading *reading = context;
	struct run_set *set;

	(void)err;
	const struct run *run = run_sets_run(reading->sets, item, &set);
	message_progress("reading %s: %td of %zu", set->operand, run - set->runs + 1, set->count);
	return made;
}

static enum run_part part_of_run(const struct run *run)
{
	if (!run_task_count(run))
		return RUN_PART_WHOLE;
	return (double)run->results->steady.duration_ns * 100 >=
			   (double)run->results->whole.duration_ns * RUN_STEADY_MIN_PERCENT &&
		       run->results->steady.duration_ns
		   ? RUN_PART_STEADY
		   : RUN_PART_TOO_SHORT;
}

enum run_part run_sets_part(const struct run_sets *sets, const char *workload)
{
	enum run_part part = RUN_PART_STEADY;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run_is_of(run, workload) && part_of_run(run) > part)
			part = part_of_run(run);
	return part;
}

void run_sets_choose_part(struct run_sets *sets, const char *workload)
{
	bool is_steady = run_sets_part(sets, workload) == RUN_PART_STEADY;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run_is_of(run, workload))
			run->results->is_steady = is_steady;
}

struct run_left_out run_set_left_out(const struct run_set *set, const char *workload)
{
	struct run_left_out sum = {0};
	size_t runs = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct run *run = &set->runs[i];
		if (!run_is_of(run, workload))
			continue;
		runs++;
		if (!run->results->is_steady)
			continue;
		double start = (double)(run->results->steady.begin_ns - run->results->whole.begin_ns);
		double whole = (double)run->results->whole.duration_ns;
		sum.start += 100 * start / whole;
		sum.end += 100 * (whole - start - (double)run->results->steady.duration_ns) / whole;
	}
	if (runs == 0)
		return (struct run_left_out){NAN, NAN};
	return (struct run_left_out){sum.start / (double)runs, sum.end / (double)runs};
}

enum status run_sets_check_choice(const struct run_sets *sets, struct error *err)
{
	const struct run *run = NULL;

	while ((run = run_sets_next(sets, run)))
		if (task_choice_is_all(run->results->choice) || run->results->whole.has_tasks)
			return STATUS_OK;
	return error_set(err, STATUS_USAGE, "--comm, --pid, --role", "no run has such a task of its workload");
}

enum status run_sets_read(struct run_sets *sets, bool allow_lossy, unsigned int jobs, struct error *err)
{
	struct sets_reading reading = {sets, allow_lossy};
	const struct ordered_work work = {.context = &reading, .make = make_metrics, .take = show_progress};
	enum status status = ordered_run(&work, run_sets_run_count(sets), jobs, err);

	message_progress_end();
	if (status == STATUS_OK)
		status = run_sets_check_choice(sets, err);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < sets->workload_count; i++)
		run_sets_choose_part(sets, sets->workloads[i]);
	run_sets_label(sets);
	return STATUS_OK;
}
