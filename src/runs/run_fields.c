/* SPDX-License-Identifier: MIT */
#include "runs/run_fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arguments.h"
#include "base/build.h"
#include "base/cpu_list.h"
#include "base/memory.h"
#include "runs/cpu_levels.h"
#include "runs/metadata.h"

/* --- Facts whose text is not the value --- */

static void describe_preemption(const struct run_metadata *metadata, struct buffer *text)
{
	const char *preemption = metadata->host.preemption;

	if (preemption)
		buffer_text(text, strcmp(preemption, "dynamic") == 0 ? "chosen at boot, not known" : preemption);
}

/* The sysfs names of mitigations, else the last mitigations= of the kernel's command line. */
static void describe_mitigations(const struct run_metadata *metadata, struct buffer *text)
{
	static const char argument[] = "mitigations=";
	const char *line = metadata->host.command_line;
	const char *found = NULL;

	if (metadata->host.mitigations || !line) {
		buffer_text(text, metadata->host.mitigations ? metadata->host.mitigations : "");
		return;
	}
	for (const char *at = strstr(line, argument); at; at = strstr(at + 1, argument))
		if (at == line || at[-1] == ' ')
			found = at + strlen(argument);
	if (found)
		buffer_add(text, found, strcspn(found, " "));
	else
		buffer_text(text, "default");
}

static bool is_null(const struct run_metadata *metadata, const char *key)
{
	const struct json_value *value = json_member(metadata->document, key);

	return value && value->kind == JSON_NULL;
}

static void describe_tracer_cpu(const struct run_metadata *metadata, struct buffer *text)
{
	if (metadata->host.tracer_cpu >= 0)
		buffer_printf(text, "%d", metadata->host.tracer_cpu);
	else if (is_null(metadata, "cpu_tracer"))
		buffer_text(text, "none of its own");
}

/* Leaves out the domains: some kernels do not show them, and their names differ between kernels. Equal capacities are
 * left out too: some kernels do not show any. */
static void describe_topology(const struct run_metadata *metadata, struct buffer *text)
{
	const struct run_topology *topology = &metadata->host.topology;
	const struct {
		const char *name, *groups;
	} rows[] = {{"SMT", topology->smt},
		    {"LLC", topology->llc},
		    {"nodes", topology->node},
		    {"capacities", cpu_capacities_differ(topology) ? topology->capacity : NULL}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].groups)
			buffer_printf(text, "%s%s %s", text->length ? ", " : "", rows[i].name, rows[i].groups);
}

static void describe_scheduler(const struct run_metadata *metadata, struct buffer *text)
{
	const struct run_scheduler *scheduler = &metadata->scheduler;
	bool is_own = !scheduler->ops && (!scheduler->given || strcmp(scheduler->given, "none") == 0);

	if (scheduler->is_known)
		buffer_text(text, is_own ? "the kernel's own" : scheduler->given ? scheduler->given : scheduler->ops);
}

static void describe_accelerator(const struct run_metadata *metadata, struct buffer *text)
{
	if (metadata->work.accelerator)
		buffer_text(text, metadata->work.accelerator);
	else if (is_null(metadata, "accelerator"))
		buffer_text(text, "none, not a guest");
}

static void describe_deterministic(const struct run_metadata *metadata, struct buffer *text)
{
	buffer_text(text, metadata->is_deterministic ? "yes" : "no");
}

static void describe_scratch(const struct run_metadata *metadata, struct buffer *text)
{
	const struct run_work *work = &metadata->work;
	const char *system = work->scratch.file_system;

	if (work->scratch.kind)
		buffer_printf(text, "%s%s%s", work->scratch.kind, system ? " on " : "", system ? system : "");
}

static void describe_command(const struct run_metadata *metadata, struct buffer *text)
{
	struct arguments words = {0};

	for (char *const *word = metadata->command.arguments; word && *word; word++)
		arguments_add(&words, "%s", *word);
	if (words.count)
		arguments_quote(&words, " ", text);
	arguments_free(&words);
}

static void describe_version(const struct run_metadata *metadata, struct buffer *text)
{
	const struct run_host *host = &metadata->host;

	if (host->picknext_version)
		buffer_printf(text, "%s%s%s", host->picknext_version, host->picknext_commit ? " " : "",
			      host->picknext_commit ? host->picknext_commit : "");
}

/* --- Rows --- */

/* The first columns of a row: where the value is, in struct run_metadata or in an item of an array. */
#define FIELD(key_, kind_, section_, member)                                                                           \
	.key = (key_), .kind = RUN_FIELD_##kind_, .section = RUN_SECTION_##section_,                                   \
	.offset = offsetof(struct run_metadata, member)
#define ITEM_FIELD(key_, kind_, type, member) .key = (key_), .kind = RUN_FIELD_##kind_, .offset = offsetof(type, member)
#define LIST(member, count_)                                                                                           \
	.count = offsetof(struct run_metadata, count_), .item_size = sizeof(*((struct run_metadata *)0)->member)
#define KNOWN(member)                .known = offsetof(struct run_metadata, member)
#define FACT(fact_, title_, effect_) .fact = (fact_), .title = (title_), .effect = FACT_##effect_

static const struct run_field loss_rows[] = {
    {ITEM_FIELD("cpu", CPU, struct loss, cpu), .help = HELP("number of the CPU")},
    {ITEM_FIELD("events", COUNT, struct loss, events), .help = HELP("events lost")},
    {ITEM_FIELD("after", TIME, struct loss, after_ns), .help = HELP("start of the gap, trace clock in seconds")},
    {ITEM_FIELD("before", TIME, struct loss, before_ns), .help = HELP("end of the gap; 0: unknown")},
    {0},
};

static const struct run_field buffer_rows[] = {
    {ITEM_FIELD("cpu", CPU, struct ring_stats, cpu), .help = HELP("number of the CPU")},
    {ITEM_FIELD("entries", COUNT, struct ring_stats, entries), .help = HELP("events recorded")},
    {ITEM_FIELD("overrun", COUNT, struct ring_stats, overrun), .is_checked = true,
     .help = HELP("lost: overwritten by newer ones")},
    {ITEM_FIELD("overwritten", COUNT, struct ring_stats, overwritten),
     .known = offsetof(struct ring_stats, has_overwritten), .is_optional = true,
     .help = HELP("older than a flight recording, so not lost")},
    {ITEM_FIELD("commit_overrun", COUNT, struct ring_stats, commit_overrun), .is_checked = true,
     .help = HELP("lost: interrupts nested too deep for the buffer")},
    {ITEM_FIELD("dropped_events", COUNT, struct ring_stats, dropped_events), .is_checked = true,
     .help = HELP("lost: the buffer was full")},
    {0},
};

static const struct run_field role_rows[] = {
    {ITEM_FIELD("name", TEXT, struct run_role, name), .help = HELP("name of its tasks")},
    {ITEM_FIELD("tasks", UINT, struct run_role, tasks), .help = HELP("their number")},
    {ITEM_FIELD("policy", TEXT, struct run_role, policy), .help = HELP("other, batch, idle, fifo, rr or deadline")},
    {ITEM_FIELD("nice", EXIT_CODE, struct run_role, nice), .help = HELP("nice value")},
    {ITEM_FIELD("priority", UINT, struct run_role, priority), .zero_is_null = true,
     .help = HELP("priority of fifo and rr")},
    {ITEM_FIELD("slice_ns", COUNT, struct run_role, slice_ns), .zero_is_null = true,
     .help = HELP("custom slice; null: the kernel's")},
    {ITEM_FIELD("cgroup", TEXT, struct run_role, cgroup), .help = HELP("path of its cgroup; null: that of picknext")},
    {ITEM_FIELD("cpus", CPUS, struct run_role, cpus), .is_optional = true,
     .help = HELP("CPUs that its tasks are bound to; empty: not bound")},
    {0},
};

static const struct run_field function_rows[] = {
    {ITEM_FIELD("name", TEXT, struct run_function, name), .help = HELP("as --count names it")},
    {ITEM_FIELD("symbol", TEXT, struct run_function, symbol),
     .help = HELP("symbol of the kernel that was probed, such as a copy by the compiler (NAME.isra.0)")},
    {ITEM_FIELD("executed", COUNT, struct run_function, executed), .known = offsetof(struct run_function, is_counted),
     .help = HELP("how often it was executed, on all CPUs; null: not known")},
    {ITEM_FIELD("reason", TEXT, struct run_function, reason), .is_optional = true,
     .help = HELP("why the kernel cannot count it")},
    {0},
};

static const struct run_field cgroup_rows[] = {
    {ITEM_FIELD("path", TEXT, struct run_cgroup, path), .help = HELP("path below the group of the run")},
    {ITEM_FIELD("weight", UINT, struct run_cgroup, weight), .help = HELP("cpu.weight")},
    {ITEM_FIELD("quota_ns", COUNT, struct run_cgroup, quota_ns), .zero_is_null = true,
     .help = HELP("CPU time per period (cpu.max); null: no limit")},
    {ITEM_FIELD("period_ns", COUNT, struct run_cgroup, period_ns), .zero_is_null = true, .help = HELP("the period")},
    {0},
};

static const struct run_field scheduler_rows[] = {
    {FIELD("given", TEXT, SCHEDULER, scheduler.given), .help = HELP("the value of --scheduler")},
    {FIELD("ops", TEXT, SCHEDULER, scheduler.ops),
     .help = HELP("the kernel's name of the scheduler; null: the kernel's own")},
    {FIELD("sub_ops", TEXT, SCHEDULER, scheduler.subs), .help = HELP("schedulers of single cgroups")},
    {FIELD("state", TEXT, SCHEDULER, scheduler.state), .help = HELP("state after the run, such as enabled")},
    {FIELD("enable_seq", COUNT, SCHEDULER, scheduler.enable_seq),
     .help = HELP("the kernel's count of enabled schedulers, before the run")},
    {FIELD("enable_seq_after", COUNT, SCHEDULER, scheduler.enable_seq_after), .help = HELP("the same after the run")},
    {FIELD("switch_all", BOOL, SCHEDULER, scheduler.switch_all), .help = HELP("whether it scheduled all normal tasks")},
    {FIELD("nr_rejected", COUNT, SCHEDULER, scheduler.nr_rejected),
     .help = HELP("tasks that it refused during the run")},
    {FIELD("isolation", TEXT, SCHEDULER, scheduler.isolation), FACT(FACT_ISOLATION, "isolation", MATTERS),
     .help = HELP("isolation of the tracer's CPU: none, domain, affinity")},
    {FIELD("tracer_policy", TEXT, SCHEDULER, scheduler.tracer_policy),
     .help = HELP("policy of the tracer: fifo, normal")},
    {FIELD("ejection", TEXT, SCHEDULER, scheduler.ejection),
     .help = HELP("why it was not enabled throughout the run; else null")},
    {FIELD("events", COUNT_MAP, SCHEDULER, scheduler.events), LIST(scheduler.events, scheduler.event_count),
     .help = HELP("counters of sched_ext during the run")},
    {0},
};

static const struct run_field moment_rows[] = {
    {FIELD("condition", TEXT, RECORDING, recording.moment.condition), .help = HELP("the condition that was met")},
    {FIELD("task", CHARS, RECORDING, recording.moment.task), .help = HELP("name of the task that waited")},
    {FIELD("pid", PID, RECORDING, recording.moment.pid), .help = HELP("its PID")},
    {FIELD("cpu", CPU, RECORDING, recording.moment.cpu), .help = HELP("CPU that it waited for")},
    {FIELD("after", TEXT, RECORDING, recording.moment.after),
     .help = HELP("why it waited: wakeup, new, preempted, runnable (preempted or yielded)")},
    {FIELD("since", TIME, RECORDING, recording.moment.since_ns), .help = HELP("start of the wait, trace clock")},
    {FIELD("end", TIME, RECORDING, recording.moment.end_ns), .help = HELP("its end, or when it was noticed")},
    {FIELD("goes_on", BOOL, RECORDING, recording.moment.goes_on), .help = HELP("whether it was not over then")},
    {0},
};

static const struct run_field topology_rows[] = {
    {FIELD("smt", TEXT, CPUS, host.topology.smt), .help = HELP("hardware threads of each core")},
    {FIELD("llc", TEXT, CPUS, host.topology.llc), .help = HELP("CPUs of each last-level cache")},
    {FIELD("node", TEXT, CPUS, host.topology.node), .help = HELP("CPUs of each NUMA node")},
    {FIELD("capacity", TEXT, CPUS, host.topology.capacity),
     .help = HELP("CPUs of each capacity, such as 0-1=512 2-4=1024; null: not shown")},
    {FIELD("domains", TEXT, CPUS, host.topology.domains),
     .help = HELP("scheduling domains of CPU 0, the smallest first; null: not shown")},
    {0},
};

static const struct run_field scratch_rows[] = {
    {FIELD("kind", TEXT, WORK, work.scratch.kind), .help = HELP("file or device")},
    {FIELD("path", TEXT, WORK, work.scratch.path), .help = HELP("its path")},
    {FIELD("file_system", TEXT, WORK, work.scratch.file_system), .help = HELP("such as ext4; null for a device")},
    {0},
};

static const struct run_field deterministic_rows[] = {
    {FIELD("seed", COUNT, DETERMINISTIC, seed), .help = HELP("seed of the guest; the number of the run")},
    {FIELD("identity", TEXT, DETERMINISTIC, identity), FACT(FACT_IDENTITY, "identity", OF_BUILD),
     .help = HELP("hash of all inputs of the run; with the same identity and seed, the trace is the same")},
    {0},
};

const struct run_field run_fields[] = {
    {FIELD("trace_id", TEXT, RUN, trace_id), .help = HELP("name of the run: the trace's name without .dat")},
    {FIELD("workload_name", TEXT, RUN, workload_name), .is_checked = true, .help = HELP("name of the workload")},
    {FIELD("category", TEXT, RUN, category), .is_checked = true, .help = HELP("its category")},
    {FIELD("description", TEXT, RUN, description), .help = HELP("what it does")},
    {FIELD("start_time", REAL, RUN, start_s), .decimals = 6, .help = HELP("start of the recording, Unix time")},
    {FIELD("end_time", REAL, RUN, end_s), .decimals = 6, .help = HELP("its end; always start_time plus its length")},
    {FIELD("duration_seconds", REAL, RUN, duration_s), .decimals = 2, .help = HELP("its length")},
    {FIELD("sched_switch_events", COUNT, RUN, switches), .help = HELP("sched_switch events in the trace")},
    {FIELD("buffer_size_kb", COUNT, RUN, buffer_size_kb), .help = HELP("size of the trace buffer of each CPU")},
    {FIELD("collected_at", TEXT, ORIGIN, host.collected_at), .help = HELP("time of the recording, UTC")},
    {FIELD("hostname", TEXT, ORIGIN, host.hostname), .help = HELP("name of the machine")},
    {FIELD("kernel", TEXT, ORIGIN, host.kernel), FACT(FACT_KERNEL, "kernel", OF_BUILD),
     .help = HELP("release of the kernel")},
    {FIELD("num_cpus", UINT, ORIGIN, host.cpu_count), .help = HELP("number of CPUs online")},
    {FIELD("command", TEXTS, COMMAND, command.arguments), .item_size = sizeof(char *),
     FACT(FACT_COMMAND, "command", IF_KNOWN), .describe = describe_command,
     .help = HELP("command that was traced, with its arguments")},
    {FIELD("command_sha256", CHARS, COMMAND, command.program_sha256),
     .item_size = sizeof(((struct run_metadata *)0)->command.program_sha256), .zero_is_null = true,
     FACT(FACT_PROGRAM, "command's program", IF_KNOWN), .help = HELP("hash of the program of the command")},
    {FIELD("command_pid", PID, COMMAND, command.pid), .help = HELP("PID of its first task, as in the trace")},
    {FIELD("command_exit_code", EXIT_CODE, COMMAND, command.exit_code), KNOWN(command.has_exit_code),
     .help = HELP("its exit code; 128 + N: killed by signal N")},
    {FIELD("parameters", TEXT, WORK, work.parameters), .help = HELP("parameters of the workload")},
    {FIELD("scale", REAL, WORK, work.scale), .decimals = 6, FACT(FACT_SCALE, "scale", MATTERS),
     .help = HELP("share of the workload's full amount of work")},
    {FIELD("loops", COUNT, WORK, work.loops), .zero_is_null = true,
     .help = HELP("amount of work; null: it ran for a time")},
    {FIELD("timed_seconds", REAL, WORK, work.timed_s), .decimals = 6, .help = HELP("run time of a timed workload")},
    {FIELD("tasks", COUNT, WORK, work.tasks), .help = HELP("number of its tasks")},
    {FIELD("work_done", COUNT, WORK, work.work_done), .help = HELP("units of work done")},
    {FIELD("work_unit", TEXT, WORK, work.work_unit), .help = HELP("the unit, such as messages")},
    {FIELD("elapsed_seconds", REAL, WORK, work.elapsed_s), .decimals = 9, .help = HELP("time that the work took")},
    {FIELD("work_per_second", REAL, WORK, work_per_second), .decimals = 9, .is_checked = true,
     .real_max = (double)INFINITY, .help = HELP("throughput: work_done / elapsed_seconds")},
    {FIELD("voluntary_switches", COUNT, WORK, work.voluntary_switches),
     .help = HELP("of the workload's tasks, counted by the kernel")},
    {FIELD("involuntary_switches", COUNT, WORK, work.involuntary_switches), .help = HELP("the same")},
    {FIELD("roles", ARRAY, WORK, work.roles), LIST(work.roles, work.role_count), .zero_is_null = true,
     .is_optional = true, .rows = role_rows, .help = HELP("roles of a mix (picknext help mixes)")},
    {FIELD("cgroups", ARRAY, WORK, work.cgroups), LIST(work.cgroups, work.cgroup_count), .zero_is_null = true,
     .is_optional = true, .rows = cgroup_rows, .help = HELP("cgroups of a mix")},
    {FIELD("threads", PIDS, RECORDING, recording.threads), LIST(recording.threads, recording.thread_count),
     .help = HELP("threads given with --pid")},
    {FIELD("cgroups_before", TEXT_MAP, RECORDING, recording.cgroups_before),
     LIST(recording.cgroups_before, recording.cgroup_count_before), .zero_is_null = true, .is_optional = true,
     .help = HELP("before the recording, the PIDs (1-3,17) in each cgroup of the cpu controller")},
    {FIELD("cgroups_after", TEXT_MAP, RECORDING, recording.cgroups_after),
     LIST(recording.cgroups_after, recording.cgroup_count_after), .zero_is_null = true, .is_optional = true,
     .help = HELP("the same after it")},
    {FIELD("processes_before", TEXT_MAP, RECORDING, recording.processes_before),
     LIST(recording.processes_before, recording.process_count_before), .zero_is_null = true, .is_optional = true,
     .help = HELP("before the recording, the threads (1-3,17) of each process, PID NAME; or single-threaded")},
    {FIELD("processes_after", TEXT_MAP, RECORDING, recording.processes_after),
     LIST(recording.processes_after, recording.process_count_after), .zero_is_null = true, .is_optional = true,
     .help = HELP("the same after it")},
    {FIELD("ended_by", TEXT, RECORDING, recording.ended_by),
     .help = HELP("end of the recording: command, processes, duration, signal, condition, failure")},
    {FIELD("event_names", TEXTS, RECORDING, recording.event_names), LIST(recording.event_names, recording.event_count),
     .help = HELP("kinds of events recorded")},
    {FIELD("trace_clock", TEXT, RUN, trace_clock), FACT(FACT_TRACE_CLOCK, "trace clock", MATTERS),
     .help = HELP("clock of the time stamps")},
    {FIELD("keys", TEXT, RUN, keys), FACT(FACT_KEYS, "scheduling keys", MATTERS),
     .help = HELP("recorded, not recorded (picknext help events)")},
    {FIELD("key_misses", COUNT_MAP, RUN, key_misses), LIST(key_misses, key_miss_count), .zero_is_null = true,
     .is_optional = true,
     .help = HELP("key events that the kernel's probes missed, by event; absent: none, or a kernel before 5.14, which "
		  "does not count them apart")},
    {FIELD("functions", ARRAY, RUN, functions), LIST(functions, function_count), .zero_is_null = true,
     .is_optional = true, .rows = function_rows, .help = HELP("functions of the kernel that --count asked for")},
    {FIELD("drain_ms", UINT, RUN, drain_ms), .zero_is_null = true,
     .help = HELP("interval of readout; null: read out after the end")},
    {FIELD("drain_realtime", BOOL, RUN, drain_realtime),
     .help = HELP("whether the tracer had to use real-time priority")},
    {FIELD("flight_seconds", REAL, RECORDING, recording.flight_s), .decimals = 6, .zero_is_null = true,
     .help = HELP("length of a flight recording")},
    {FIELD("complete_from", TIME, RECORDING, recording.complete_ns), .zero_is_null = true,
     .help = HELP("time from which it has all events, trace clock")},
    {FIELD("until", OBJECT, RECORDING, recording.moment), .zero_is_null = true, .is_optional = true,
     .rows = moment_rows, .help = HELP("the wait that met a condition of record --until")},
    {FIELD("events", COUNT, RUN, events), .help = HELP("events in the trace")},
    {FIELD("marks", COUNT, RECORDING, recording.marks), .help = HELP("marks in the trace (picknext mark)")},
    {FIELD("lost_events", COUNT, RUN, lost_events), .is_checked = true, .help = HELP("events lost")},
    {FIELD("losses", ARRAY, RUN, losses.items), LIST(losses.items, losses.count), .rows = loss_rows,
     .help = HELP("where events were lost, by time")},
    {FIELD("buffers", ARRAY, RUN, buffers), LIST(buffers, buffer_count), .is_checked = true, .rows = buffer_rows,
     .help = HELP("the kernel's counts of the buffer of each CPU")},
    {FIELD("cpus_online", CPUS, CPUS, host.cpus_online), .help = HELP("CPUs online, such as 0-2")},
    {FIELD("cpus_isolated", CPUS, CPUS, host.cpus_isolated), .help = HELP("CPUs isolated at boot")},
    {FIELD("cpus_workload", CPUS, CPUS, host.cpus_workload), FACT(FACT_CPUS, "CPUs of the workload", MATTERS),
     .help = HELP("CPUs that the workload may use")},
    {FIELD("cpu_tracer", NATURAL, CPUS, host.tracer_cpu), FACT(FACT_TRACER_CPU, "CPU of the tracer", MATTERS),
     .describe = describe_tracer_cpu, .help = HELP("CPU that the tracer is pinned to")},
    {FIELD("topology", OBJECT, CPUS, host.topology), .zero_is_null = true, .rows = topology_rows,
     FACT(FACT_TOPOLOGY, "CPU topology", IF_KNOWN), .describe = describe_topology,
     .help = HELP("groups of CPUs, such as 0-1 2-3, as the kernel shows them")},
    {FIELD("kernel_version", TEXT, MACHINE, host.kernel_version), FACT(FACT_KERNEL_VERSION, "kernel build", OF_BUILD),
     .help = HELP("build of the kernel")},
    {FIELD("kernel_build_id", TEXT, MACHINE, host.kernel_build_id),
     FACT(FACT_KERNEL_BUILD_ID, "kernel build ID", OF_BUILD),
     .help = HELP("hash of its image by the linker, from /sys/kernel/notes")},
    {FIELD("architecture", TEXT, MACHINE, host.architecture), FACT(FACT_ARCHITECTURE, "architecture", MATTERS),
     .help = HELP("such as x86_64")},
    {FIELD("cpu_model", TEXT, MACHINE, host.cpu_model), FACT(FACT_CPU_MODEL, "CPU model", MATTERS),
     .help = HELP("as in /proc/cpuinfo; a guest on KVM has that of its host")},
    {FIELD("kernel_command_line", TEXT, MACHINE, host.command_line),
     FACT(FACT_COMMAND_LINE, "kernel command line", NEUTRAL), .help = HELP("/proc/cmdline")},
    {FIELD("preemption", TEXT, MACHINE, host.preemption), FACT(FACT_PREEMPTION, "preemption mode", OF_KERNEL),
     .describe = describe_preemption,
     .help = HELP("none, voluntary, full, lazy, full or lazy (not known which); dynamic: chosen at boot, not known")},
    {FIELD("hz", UINT, MACHINE, host.hz), .zero_is_null = true, FACT(FACT_HZ, "HZ", OF_KERNEL),
     .help = HELP("frequency of the timer tick")},
    {FIELD("clocksource", TEXT, MACHINE, host.clocksource), FACT(FACT_CLOCKSOURCE, "clock source", OF_KERNEL),
     .help = HELP("such as tsc, kvm-clock")},
    {FIELD("mitigations", TEXT, MACHINE, host.mitigations), FACT(FACT_MITIGATIONS, "mitigations", OF_KERNEL),
     .describe = describe_mitigations, .help = HELP("active mitigations of CPU vulnerabilities")},
    {FIELD("scheduler_tunables", TEXT_MAP, MACHINE, host.tunables), LIST(host.tunables, host.tunable_count),
     .zero_is_null = true, FACT(FACT_TUNABLES, "scheduler tunables", NEUTRAL),
     .help = HELP("scheduler settings in debugfs and sysctl, such as base_slice_ns and features")},
    {FIELD("scheduler", OBJECT, SCHEDULER, scheduler), KNOWN(scheduler.is_known), .rows = scheduler_rows,
     FACT(FACT_SCHEDULER, "scheduler", MATTERS), .describe = describe_scheduler, .help = HELP("sched_ext scheduler")},
    {FIELD("scratch", OBJECT, WORK, work.scratch), .zero_is_null = true, .rows = scratch_rows,
     FACT(FACT_SCRATCH, "scratch device", IF_KNOWN), .describe = describe_scratch,
     .help = HELP("target of block I/O; null: none")},
    {FIELD("accelerator", TEXT, WORK, work.accelerator), FACT(FACT_ACCELERATOR, "accelerator", MATTERS),
     .describe = describe_accelerator, .help = HELP("of a guest: kvm, tcg; null: not a guest")},
    {FIELD("deterministic", OBJECT, DETERMINISTIC, is_deterministic), KNOWN(is_deterministic),
     .rows = deterministic_rows, FACT(FACT_DETERMINISTIC, "deterministic", MATTERS), .describe = describe_deterministic,
     .help = HELP("deterministic guest")},
    {FIELD("values", REAL_MAP, ADDED, values), LIST(values, value_count), .is_optional = true,
     .help = HELP("numbers in the command's output, by name (vm --value); null: the output has none")},
    {FIELD("host_wait_share", REAL, ADDED, host_wait_share), .decimals = 6, .real_max = 1,
     .help = HELP("share of the time of the guest's CPUs spent waiting for a host CPU")},
    {FIELD("kernel_sha256", TEXT, ADDED, guest_inputs.kernel), FACT(FACT_KERNEL_IMAGE, "kernel image", OF_BUILD),
     .help = HELP("of a guest: hash of the kernel image; in vm.json, like the following fields")},
    {FIELD("qemu_version", TEXT, ADDED, guest_inputs.qemu_version), FACT(FACT_QEMU_VERSION, "QEMU", NEUTRAL),
     .help = HELP("QEMU's version")},
    {FIELD("qemu_sha256", TEXT, ADDED, guest_inputs.qemu), FACT(FACT_QEMU, "QEMU's program", IF_KNOWN),
     .help = HELP("hash of QEMU's program")},
    {FIELD("firmware_sha256", TEXT, ADDED, guest_inputs.firmware), FACT(FACT_FIRMWARE, "QEMU's firmware", IF_KNOWN),
     .help = HELP("hash of its firmware")},
    {FIELD("machine_sha256", TEXT, ADDED, guest_inputs.machine),
     FACT(FACT_MACHINE, "QEMU's options or the kernel's command line", IF_KNOWN),
     .help = HELP("hash of the options of the machine and the kernel's command line")},
    {FIELD("initramfs_sha256", TEXT, ADDED, guest_inputs.initramfs),
     FACT(FACT_INITRAMFS, "initramfs with picknext's program", IF_KNOWN), .help = HELP("hash of the initramfs")},
    {FIELD("added_sha256", TEXT, ADDED, guest_inputs.added_files), FACT(FACT_ADDED_FILES, "added files", IF_KNOWN),
     .help = HELP("hash of the files of --add and of the command")},
    {FIELD("picknext_version", TEXT, VERSION, host.picknext_version), .is_optional = true,
     FACT(FACT_PICKNEXT, "picknext", NEUTRAL), .describe = describe_version,
     .help = HELP("version of picknext that recorded the run; in vm.json for guests")},
    {FIELD("picknext_commit", TEXT, VERSION, host.picknext_commit), .is_optional = true, .help = HELP("its commit")},
    {FIELD("recipe", TEXTS, RUN, recipe.words.items), LIST(recipe.words.items, recipe.words.count),
     .zero_is_null = true, .is_optional = true, .help = HELP("the request, as words of a picknext command")},
    {FIELD("recipe_directory", TEXT, RUN, recipe.directory), .is_optional = true,
     .help = HELP("directory that relative paths of the recipe refer to")},
    {0},
};

const char *run_section_name(enum run_section section)
{
	static const char *const names[] = {
	    [RUN_SECTION_WORK] = "collect",
	    [RUN_SECTION_RECORDING] = "record",
	    [RUN_SECTION_SCHEDULER] = "sched_ext",
	    [RUN_SECTION_DETERMINISTIC] = "vm --mode deterministic",
	    [RUN_SECTION_ADDED] = "vm",
	};

	return (size_t)section < sizeof(names) / sizeof(names[0]) && names[section] ? names[section] : "";
}

/* --- Facts --- */

static const struct run_field *find_fact(const struct run_field *rows, enum environment_fact fact)
{
	for (const struct run_field *row = rows; row->key; row++) {
		const struct run_field *found = row->title && row->fact == fact ? row
						: row->kind == RUN_FIELD_OBJECT ? find_fact(row->rows, fact)
										: NULL;
		if (found)
			return found;
	}
	return NULL;
}

const struct run_field *environment_field(enum environment_fact fact)
{
	return find_fact(run_fields, fact);
}

/* Writes the value without trailing zeros. */
static void add_real(double value, int decimals, struct buffer *text)
{
	if (isnan(value))
		return;
	buffer_printf(text, "%.*f", decimals, value);
	while (text->data[text->length - 1] == '0')
		text->data[--text->length] = '\0';
	if (text->data[text->length - 1] == '.')
		text->data[--text->length] = '\0';
}

static void add_value(const struct run_field *field, const struct run_metadata *metadata, struct buffer *text)
{
	const void *at = (const char *)metadata + field->offset;
	char list[4096];

	if (field->kind == RUN_FIELD_TEXT) {
		const char *const *value = at;
		buffer_text(text, *value ? *value : "");
	} else if (field->kind == RUN_FIELD_CHARS) {
		buffer_text(text, at);
	} else if (field->kind == RUN_FIELD_UINT) {
		const unsigned int *value = at;
		if (*value)
			buffer_printf(text, "%u", *value);
	} else if (field->kind == RUN_FIELD_REAL) {
		const double *value = at;
		add_real(*value, field->decimals, text);
	} else if (field->kind == RUN_FIELD_CPUS) {
		cpu_list_text(at, list, sizeof(list));
		buffer_text(text, list);
	} else if (field->kind == RUN_FIELD_TEXT_MAP) {
		const struct run_tunable *const *items = at;
		const size_t *count = (const void *)((const char *)metadata + field->count);
		for (size_t i = 0; i < *count; i++)
			buffer_printf(text, "%s%s=%s", i ? " " : "", (*items)[i].name, (*items)[i].value);
	}
}

void environment_describe(const struct run_metadata *metadata, char *facts[FACT_COUNT])
{
	struct buffer text = {0};

	for (enum environment_fact fact = 0; fact < FACT_COUNT && metadata->document; fact++) {
		const struct run_field *field = environment_field(fact);
		buffer_clear(&text);
		if (field->describe)
			field->describe(metadata, &text);
		else
			add_value(field, metadata, &text);
		if (text.length)
			facts[fact] = xstrdup(text.data);
	}
	buffer_free(&text);
}
