/* SPDX-License-Identifier: MIT */
#include "live/monitor.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "measure/task_choice.h"
#include "print/print.h"

static const struct option options[] = {
    OPTION(struct monitor_choice, events, "events", .letter = 'e',
	   .help = "print one line per context switch, as picknext timeline does"),
    OPTION(struct monitor_choice, interval_s, "interval", .letter = 'i', .argument = "S", .unit = "s",
	   .help = "time between reports", .fallback = "1", .real_min = 0.1, .real_max = 86400),
    OPTION(struct monitor_choice, count, "count", .letter = 'n', .argument = "N",
	   .help = "stop after N reports (with --events: N switches)", .min = 1),
    OPTION(struct monitor_choice, rows, "top", .argument = "N", .help = "list N tasks; a terminal lists as many as fit",
	   .fallback = "20", .max = 4096),
    TASK_CHOICE_ROWS(struct monitor_choice, tasks, "list only "),
    OPTION(struct monitor_choice, buffer_size_kb, "buffer-size", .letter = 'b', .argument = "KB", .unit = "KB",
	   .help = "trace buffer per CPU, read every 50 ms", .fallback = "8192", .min = 64, .max = 1ull << 32),
    {.name = NULL},
};

static int run_monitor(const struct call *call)
{
	struct monitor_choice *values = call->values;
	struct error err = {0};

	if (task_choice_check(&values->tasks, NULL, &err) != STATUS_OK)
		return message_error(&err);
	interrupt_catch();
	enum status status = monitor_run(values, &err);
	if (status != STATUS_OK)
		return print_failure(&err);
	/* A signal is the normal end, so there is no message. */
	return interrupt_signal() ? 128 + interrupt_signal() : 0;
}

const struct command command_monitor = {
    .name = "monitor",
    .summary = "watch the scheduler live: rates, tasks, worst latency (root)",
    .operands = "",
    .details =
	"Shows in every interval the activity of each CPU, the tasks that used most CPU time, the longest wakeup\n"
	"latency, and the longest wait of a task that was preempted. Waits include those that go on at the end of\n"
	"the interval (so far). --events prints every context switch instead. q, Ctrl+C or --count ends it.\n"
	"--comm and --pid limit the list of tasks, the longest waits and the switches, not the lines of CPUs.\n\n"
	"The switches, wakeups and CPU time of picknext itself are left out, but not those that its output causes\n"
	"in other tasks, such as the terminal. A plain VT100 is enough; if standard output is not a terminal, the\n"
	"reports follow one another. Nothing is stored: events are counted as they are read. Lost events are\n"
	"reported.",
    .examples = "  sudo picknext monitor\n"
		"  sudo picknext monitor --interval 5 --count 12 | tee report.txt     # for a minute\n"
		"  sudo picknext monitor --comm 'kworker*'\n"
		"  sudo picknext monitor --events --count 2000 > switches.txt",
    .options = options,
    .values_size = sizeof(struct monitor_choice),
    .run = run_monitor,
};
