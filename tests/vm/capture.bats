#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recording where nobody else traces: what it does to the machine's own trace settings, and who runs on which
# CPU. tests/vm/guest/capture says what is looked at.
# seconds: 25

load vm

findings=(
	"private: records"
	"private: leaves a fresh machine as it was"
	"isolation: the tracer has CPU 2, the workload the others"
	"isolation: the trace can be built from"
	"isolation: CPU 2 ran no task of the workload"
	"isolation: the other CPUs ran no task of the tracer"
	"drain: records"
	"drain: loses nothing"
	"drain: the tracer reads on its own CPU"
	"record: passes the exit status on"
	"record: the tracer has CPU 2, the command the others"
	"record: has the command and the mark"
	"record: a signal keeps what was recorded"
	"record: --flight keeps the last stretch"
	"record: counts what was lost on each CPU as the kernel does"
	"record: says between which times it was lost"
	"monitor: shows who runs"
	"monitor: does not show itself, on the tracer's CPU"
	"monitor: leaves nothing"
	"record: leaves the settings as they were"
	"private: records beside another's trace"
	"private: takes marks where the machine's own buffer does not"
	"private: takes no stacks where the machine's own buffer does"
	"private: leaves another's settings"
)

# collection.bats and export.bats record on this kernel, too.
# bats test_tags=long
@test "capture: kernel 6.1 keeps its trace settings, and the tracer its CPU" {
	boot_and_look capture 6.1 3 "" "isolcpus=managed_irq,domain,2 irqaffinity=0-1" "${findings[@]}"
}

@test "capture: kernel 6.12 keeps its trace settings, and the tracer its CPU" {
	boot_and_look capture 6.12 3 "" "isolcpus=managed_irq,domain,2 irqaffinity=0-1" "${findings[@]}"
}
