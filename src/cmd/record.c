/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "record/collection_request.h"
#include "record/command_subject.h"
#include "record/recording.h"
#include "record/trace_file.h"
#include "runs/recipe.h"

/* The default of --drain. */
enum { RECORDING_DRAIN_MS = 50 };
/* No wait met a condition of --until. timeout(1) has the same code. */
enum { EXIT_UNMET = 124 };

struct record_options {
	struct recording_request request;
	struct option_list events, pids, conditions;
	struct until until;
	const char *output, *drain, *labels;
	char name[256]; /* the name before the colon in --name */
};

static const struct option options[] = {
    OPTION(struct record_options, output, "output", .letter = 'o', .scope = OPTION_OF_CALL, .argument = "FILE",
	   .help = "write FILE.dat and FILE.json; missing directories are made;\nearlier files "
		   "become FILE.dat.old and FILE.json.old; - writes\nthe trace to standard output at the end",
	   .fallback = "picknext.dat"),
    OPTION(struct record_options, request.json, "json", .scope = OPTION_OF_CALL, .argument = "FILE",
	   .help = "write the JSON to FILE instead; -o - writes no JSON without\nthis"),
    OPTION(struct record_options, request.duration_s, "duration", .letter = 'd', .argument = "S", .unit = "s",
	   .help = "record for at most S seconds; a command then continues\nuntraced to its end", .real_min = 0.001,
	   .real_max = 1e8),
    OPTION(struct record_options, pids, "pid", .letter = 'p', .argument = "P",
	   .help = "record only process P and its children, until P ends;\nrepeatable"),
    EVENTS_OPTION_ROW(struct record_options, events),
    OPTION(
	struct record_options, request.flight_s, "flight", .argument = "S", .unit = "s",
	.help =
	    "keep only the last S seconds, in memory; each SIGUSR1 saves\nthem to FILE.1.dat, FILE.2.dat, ..., the end "
	    "of the recording\nsaves them to FILE.dat",
	.real_min = 0.001, .real_max = 1e8),
    OPTION(struct record_options, conditions, "until", .argument = "CONDITION",
	   .help =
	       "with --flight: end when a wait for a CPU meets the condition\n[TASK:]WAIT > TIME, and keep S "
	       "seconds before and after it;\nWAIT: wait, wakeup_latency, preempted_wait, starved (a wait\nof a task "
	       "of the fair class); repeatable"),
    COLLECTION_CLOCK_ROW(struct record_options, request),
    BUFFER_OPTION_ROW(struct record_options, request),
    OPTION(struct record_options, drain, "drain", .argument = "MS",
	   .help = "read the buffers every MS milliseconds, so that the recording\ncan exceed their size (default: "
		   "50); 0: only at the end; events\nthat do not fit are lost"),
    STACKS_OPTION_ROW(struct record_options, request),
    KEYS_OPTION_ROW(struct record_options, request.keys),
    OPTION(struct record_options, labels, "name", .argument = "NAME[:CATEGORY]",
	   .help = "workload_type in a dataset (default: the command's name), and\nits category there (recorded)"),
    {.name = NULL},
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void label_run(struct record_options *values)
{
	struct recording_request *request = &values->request;
	const char *labels = values->labels, *colon = labels ? strchr(labels, ':') : NULL;

	if (labels)
		snprintf(values->name, sizeof(values->name), "%.*s", (int)strcspn(labels, ":"), labels);
	request->name = labels               ? values->name
			: request->command   ? last_part(request->command[0])
			: values->pids.count ? "process"
					     : "machine";
	request->category = colon && colon[1] ? colon + 1 : "recorded";
}

static enum status resolve_request(struct record_options *values, struct error *err)
{
	struct recording_request *request = &values->request;

	if (values->pids.count && request->command)
		return error_set(err, STATUS_USAGE, NULL, "--pid records running processes: give no command with it");
	if (values->conditions.count && request->flight_s == 0)
		return error_set(err, STATUS_USAGE, NULL,
				 "--until needs --flight S, the seconds to keep before and after the wait");
	if (until_parse(&values->conditions, &values->until, err) != STATUS_OK)
		return err->status;
	if (values->until.count)
		request->until = &values->until;
	else if (values->drain && request->flight_s > 0)
		return error_set(err, STATUS_USAGE, NULL, "--drain and --flight are mutually exclusive");
	if (!trace_file_is_clock(request->capture.clock, err))
		return STATUS_USAGE;
	/* A flight recording without --until stays in the kernel's buffer until it is saved. */
	request->drain_ms = request->flight_s > 0 && !request->until ? 0 : RECORDING_DRAIN_MS;
	if (trace_file_parse_drain(values->drain, &request->drain_ms, err) != STATUS_OK)
		return err->status;
	if (request->until && !request->drain_ms)
		return error_set(err, STATUS_USAGE, "--drain",
				 "--until judges waits when it reads: it needs 1 or more");
	if (request->until && !sched_clock_counts_ns(request->capture.clock))
		return error_set(err, STATUS_USAGE, "--clock", "--until needs a clock that counts nanoseconds");
	label_run(values);
	request->capture.overwrite = request->flight_s > 0;
	/* Naming "-" changes standard output. */
	if (output_check_pair(values->output, "--output", request->json, "--json", err) != STATUS_OK ||
	    recording_output_name(&request->output, values->output, err) != STATUS_OK)
		return err->status;
	return recording_output_check(&request->output, values->output, request->json, err);
}

static int record_subject(struct record_options *values, struct error *err)
{
	struct recording_request *request = &values->request;
	struct event_names names = {0};
	struct process_subject processes = {0};
	struct recording_outcome outcome = {.command_code = -1};
	enum status status = capture_choose_events(&request->capture, &values->events, &names, err);

	request->processes = &processes;
	if (status == STATUS_OK && request->until)
		status = until_check_events(&request->capture, err);
	if (status == STATUS_OK)
		status = process_subject_open(&values->pids, &processes, err);
	if (status == STATUS_OK)
		status = file_make_directories(request->output.directory, err);
	/* Checked before the recording instead of after it. */
	if (status == STATUS_OK && access(request->output.directory, W_OK) < 0)
		status = error_system(err, errno, request->output.directory, "cannot write here");
	if (status == STATUS_OK) {
		interrupt_catch();
		status = recording_run(request, &outcome, err);
	}
	process_subject_close(&processes);
	event_names_free(&names);
	/* With -o -, TMPDIR chooses the directory. */
	if (status != STATUS_OK && request->output.to_fd >= 0 && err->errnum == ENOSPC && access(err->where, F_OK) == 0)
		error_remedy(err,
			     "set TMPDIR to a directory with more room; the events that fitted are kept in this file");
	if (status != STATUS_OK)
		return message_error(err);
	if (outcome.by_signal && interrupt_check(err) != STATUS_OK)
		return message_error(err);
	until_free(&values->until);
	if (outcome.is_unmet)
		message_warning("the recording ended before a wait met the condition of --until (exit code %d)",
				EXIT_UNMET);
	if (outcome.is_unmet && outcome.command_code <= 0)
		return EXIT_UNMET;
	return outcome.command_code >= 0 ? outcome.command_code : 0;
}

static int run_record(const struct call *call)
{
	struct record_options *values = call->values;
	struct recording_request *request = &values->request;
	struct error err = {0};

	request->command = call->operands.count ? call->operands.items : NULL;
	if (resolve_request(values, &err) != STATUS_OK)
		return message_error(&err);
	int code = request->command ? command_subject_check(request->command[0], &err) : 0;
	if (code) {
		message_error(&err);
		return code;
	}
	struct recipe recipe = {0};
	if (recipe_make(call->command, call->words, 0, &recipe, &err) != STATUS_OK)
		return message_error(&err);
	if (call->operands.count == 0)
		recipe_forget_directory(&recipe);
	request->recipe = &recipe;
	code = record_subject(values, &err);
	recipe_free(&recipe);
	return code;
}

const struct command command_record = {
    .name = "record",
    .summary = "trace one command, a process or the whole machine (root)",
    .operands = "[-- COMMAND...]",
    .operands_max = SIZE_MAX,
    .details =
	"Traces all CPUs while COMMAND runs, and exits with its exit status (128 + signal if a signal killed it,\n"
	"127 if there is no such program). Without COMMAND it records until Ctrl+C or --duration. A signal ends the\n"
	"recording, which is kept; the exit code is 130 (SIGINT), 143 (SIGTERM) or 129 (SIGHUP, ignored under\n"
	"nohup), and COMMAND is sent the same signal. COMMAND runs as root on the CPUs that picknext was started\n"
	"on, except isolated ones; the tracer runs on the last isolated CPU. The file is in trace-cmd's format:\n"
	"trace-cmd report and KernelShark open it. With -o - the trace is in $TMPDIR (/var/tmp) until it is\n"
	"complete, and the output of COMMAND goes to standard error.\n"
	"--until reads the events while it waits, on disk: so the seconds of --flight are not limited by the buffer.\n"
	"It reports the wait (task, CPU, start, length) and the command that shows it; key until of the JSON. A wait\n"
	"that goes on counts, those of picknext itself and those across lost events do not. If no wait meets a\n"
	"condition, the last seconds are saved and the exit code is 124, or that of a COMMAND that failed.\n"
	"--keys adds events of the system picknext: keys_switch (keys of both tasks of a switch), keys_pick (the\n"
	"queue that a pick is from), keys_enqueue (a task was queued), keys_place (a CPU is chosen), keys_resched,\n"
	"keys_tick, keys_yield and keys_yielded (what asked for a switch) and others: picknext help events. They\n"
	"need KPROBE_EVENTS or FPROBE_EVENTS, and DEBUG_INFO_BTF.\n"
	"Marks: picknext mark TEXT writes one, and COMMAND can write to the file $PICKNEXT_TRACE_MARKER. From Linux\n"
	"6.16 on, the trace also has what other programs write to the machine's own trace_marker.",
    .examples = "  sudo picknext record -- make -j4                          # into picknext.dat\n"
		"  sudo picknext record -o idle --duration 10                # the whole machine\n"
		"  sudo picknext record --pid \"$(pidof postgres)\" -d 5 -o db  # one process\n"
		"  sudo picknext record -e 'sched_*,irq,power:cpu_idle' -- sleep 1\n"
		"  sudo picknext record -o - -- ./server --once | picknext export - >events.txt\n"
		"  sudo picknext record --flight 5 & ...; sudo kill -USR1 $! # the last 5 seconds\n"
		"  sudo picknext record --flight 5 --until 'postgres*: wait > 20ms' --duration 3600\n"
		"  sudo picknext record -o out/raw/mine_run1 --name mine -- ./mine && picknext build -o out",
    .options = options,
    .values_size = sizeof(struct record_options),
    .run = run_record,
};
