# SPDX-License-Identifier: MIT
# For tests that record on this machine; load with: load tracefs

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
tracefs=/sys/kernel/tracing

load ../support/json

# Skips, saying why, where this machine cannot record.
need_tracefs() {
	[ "$(id -u)" = 0 ] || skip "recording needs root"
	[ -e $tracefs/tracing_on ] || skip "tracefs is not mounted at $tracefs"
	[ -d $tracefs/events/sched/sched_switch ] || skip "this kernel has no sched events"
	mkdir $tracefs/instances/picknext-test-$$ 2>/dev/null || skip "this machine refuses trace instances"
	rmdir $tracefs/instances/picknext-test-$$
}

# Instances that no running picknext owns: other tests may be recording at the same time, or look whether they can
# (picknext-test-PID), or be somebody else (someone-else-PID).
ownerless_instances() {
	local directory owner
	for directory in "$tracefs"/instances/*; do
		owner=${directory##*-}
		case ${directory##*/} in
		picknext-test-* | someone-else-*) [ ! -e "/proc/$owner" ] || continue ;;
		*) [[ $(cat "/proc/$owner/comm" 2>/dev/null) != picknext* ]] || continue ;;
		esac
		# It may have been on its way out.
		[ ! -e "$directory" ] || echo "${directory##*/}"
	done
}

# Everything that a recording could change in the machine's own trace settings, as one text.
tracefs_state() {
	local file
	for file in tracing_on current_tracer buffer_size_kb buffer_total_size_kb trace_options trace_clock set_event \
		set_event_pid set_ftrace_filter set_ftrace_pid tracing_cpumask events/enable events/sched/enable; do
		[ ! -e $tracefs/$file ] || echo "$file: $(cat $tracefs/$file 2>&1)"
	done
	grep . $tracefs/events/sched/*/enable $tracefs/events/sched/*/filter $tracefs/per_cpu/cpu*/buffer_size_kb
	echo "instances: $(ownerless_instances)"
}

# Waits, ten seconds at most, until a command succeeds.
wait_until() {
	local try
	for try in $(seq 1000); do
		"$@" && return 0
		sleep 0.01
	done
	echo "after $try looks still not so: $*" >&2
	return 1
}

# A new instance has tracing_on set until its first step of set-up, so the events are looked at first.
is_recording() {
	grep -q 1 "$tracefs/instances/picknext-$1/events/sched/sched_migrate_task/enable" 2>/dev/null &&
		[ "$(cat "$tracefs/instances/picknext-$1/tracing_on" 2>/dev/null)" = 1 ]
}
