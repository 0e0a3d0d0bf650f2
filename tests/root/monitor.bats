#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext monitor: what it shows, on which terminals, and what it leaves behind.

# shellcheck disable=SC2016 # what shells in the terminal run is in single quotes on purpose

bats_require_minimum_version 1.5.0

load tracefs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	started=
	terminal=
	terminals=0
}

teardown() {
	[ -z "$started" ] || kill -TERM "$started" 2>/dev/null || true
	[ -z "$terminal" ] || tmux -L "$terminal" kill-server 2>/dev/null || true
}

# Something to look at, until it is killed: two tasks that wake each other.
make_switches() {
	"$PICKNEXT" run hackbench_pipe_small --scale 1000 >/dev/null 2>&1 &
	started=$!
	wait_until pgrep -x hackbench-send >/dev/null
}

# in_terminal TERM SHELL-COMMAND: in a terminal of 80 by 24.
in_terminal() {
	command -v tmux >/dev/null || skip "tmux is not installed"
	terminal=pn-$$-$((++terminals))
	tmux -L "$terminal" -f /dev/null new-session -d -x 80 -y 24 "export TERM=$1; $2"
}

keys() {
	tmux -L "$terminal" send-keys "$@"
}

shows() {
	tmux -L "$terminal" capture-pane -p >shown
	grep -q -- "$1" shown
}

# The window's size is what tmux makes it: a line that was too long goes on in the next one, which no line begins like.
fits() {
	shows '^picknext monitor' && [ "$(awk -v most="$1" 'length > most' shown | wc -l)" -eq 0 ] &&
		[ "$(grep -c '^picknext monitor' shown)" -eq 1 ] && shows 'q quits'
}

ended() {
	[ -s code ]
}

@test "monitor: without a terminal, reports follow one another, and nothing stays" {
	need_tracefs
	tracefs_state >before
	make_switches
	"$PICKNEXT" monitor --interval 0.2 --count 3 --top 4 >out 2>err
	[ "$(grep -c '^picknext monitor ' out)" -eq 3 ]
	grep -q 'standard output' err
	[ "$(grep -c '^ \+[0-9]\+ [^0-9 ]' out)" -ge 3 ]
	run -1 grep -q $'\033' out
	# Four tasks at most in each report.
	awk '/^ *PID NAME/ { n = 0; next } /^$/ { n = 0 } /^ +[0-9]+ [^0-9 ]/ { if (++n > 4) exit 1 }' out
	[ "$(awk 'length > 80' out | wc -l)" -eq 0 ]
	diff before <(tracefs_state)
}

@test "monitor: switches of all CPUs and tasks add up" {
	need_tracefs
	make_switches
	"$PICKNEXT" monitor -q --interval 0.5 --count 2 --top 4096 >out 2>err
	[ ! -s err ]
	[ "$(grep -c '^ *[0-9]* hackbench-' out)" -ge 1 ]
	python3 - <<-'END'
		import re
		for report in open("out").read().split("picknext monitor ")[1:]:
		    total = float(re.search(r"^([\d.]+) switches/s", report, re.M).group(1))
		    cpus, tasks = report.split("PID NAME")
		    of_cpus = [line.split() for line in cpus.splitlines() if re.match(r" +\d+ +\d+ +[\d.]+ +[\d.]+ ", line)]
		    assert of_cpus, report
		    assert abs(sum(float(c[1]) for c in of_cpus) - total) <= len(of_cpus), report
		    assert all(float(c[3]) <= 100.1 for c in of_cpus), report
		    shares = [float(line[23:30]) for line in tasks.splitlines()[1:] if line.strip()]
		    assert shares == sorted(shares, reverse=True), report
		    assert abs(sum(shares) - sum(float(c[3]) for c in of_cpus)) <= 0.1 * len(shares) + 0.1, report
	END
}

@test "monitor: scrolling events are switches, as many as wanted, and none of its own" {
	need_tracefs
	make_switches
	"$PICKNEXT" monitor --events --count 3000 >out 2>err &
	local own=$!
	wait "$own"
	[ ! -s err ]
	[ "$(grep -c ' | .* | .*\[ *[0-9]*\]$' out)" -eq 3000 ]
	run -1 grep -q "\[ *$own\]" out
	head -n 1 out | grep -q 'TIME(ms) | CPU | PREV '
	"$PICKNEXT" monitor --events --count 50 --comm 'hackbench-s*' >out
	[ "$(grep -c hackbench-s out)" -eq 50 ]
	"$PICKNEXT" monitor --count 1 --comm 'hackbench-s*' >out
	[ "$(sed '1,/ PID /d' out | awk 'NF { print $2 }' | sort -u)" = hackbench-send ]
	grep -q 'worst wakeup latency: .* hackbench-send\[' out
	# A reader that has had enough ends it.
	(set +e; "$PICKNEXT" monitor --events; echo $? >code) | head -n 5 >out
	[ "$(wc -l <out)" -eq 5 ]
	wait_until test -s code
	[ "$(cat code)" -eq 141 ]
	[ -z "$(ownerless_instances)" ]
}

@test "monitor: a task that starves after a preemption is shown with its wait" {
	need_tracefs
	chrt -f 1 true || skip "no real-time tasks here"
	# The kernel leaves the others a twentieth of a CPU beside a real-time task.
	cat >spin.sh <<-'END'
		printf "$1" >/proc/self/comm
		taskset -pc 0 $$ >/dev/null
		: >"$1"
		while :; do :; done
	END
	timeout 5 bash -c '. ./spin.sh starving' &
	wait_until test -e starving # else it may never run before the other one, and not be preempted
	timeout 4 chrt -f 1 bash -c '. ./spin.sh preempting' &
	"$PICKNEXT" monitor -q --interval 0.5 --count 4 --top 4096 >out
	wait
	python3 - <<-'END'
		import re
		unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
		reports = open("out").read().split("picknext monitor ")[1:]
		lines = [re.search(r"^longest wait after preemption: +([\d.]+)(\w+)(| so far), starving", r, re.M) for r in reports]
		seconds = [float(line.group(1)) * unit[line.group(2)] for line in lines if line]
		assert seconds and max(seconds) > 0.2, open("out").read()
		# It is listed with its wait in each of these intervals, also if it did not run.
		for report, line in zip(reports, lines):
		    row = re.search(r"^ *\d+ starving .*$", report, re.M)
		    assert not line or row and row.group().split()[-1] != "-", report
	END
}

@test "monitor: a signal ends it though nobody reads what it writes" {
	need_tracefs
	make_switches
	mkfifo pipe
	exec 9<>pipe
	"$PICKNEXT" monitor --events >pipe &
	local monitor=$!
	wait_until is_recording "$monitor"
	sleep 1 # for the pipe to be full
	kill -INT "$monitor"
	local code=0
	wait "$monitor" || code=$?
	exec 9<&-
	[ "$code" -eq 130 ]
	[ -z "$(ownerless_instances)" ]
}

marked() {
	"$PICKNEXT" mark 'second phase' && sleep 0.1 && grep -q -- '--- mark: second phase' out
}

@test "monitor: marks stand between the switches" {
	need_tracefs
	"$PICKNEXT" monitor --events >out 2>&1 &
	local monitor=$!
	wait_until is_recording "$monitor"
	wait_until marked # a busy machine's monitor may miss one
	kill -INT "$monitor"
	wait "$monitor" || [ $? -eq 130 ]
	run -1 grep -q 'is watching' out
}

@test "monitor: a VT100 is drawn on, changes its size, and is as before after q" {
	need_tracefs
	make_switches
	in_terminal vt100 'stty -a >tty.before; '"$PICKNEXT"' monitor --interval 0.2; echo $? >code; stty -a >tty.after; sleep 60'
	wait_until shows 'worst wakeup latency: [0-9]'
	shows 'q quits'
	tmux -L "$terminal" resize-window -x 50 -y 12
	wait_until fits 50
	tmux -L "$terminal" resize-window -x 80 -y 24
	keys q
	wait_until ended
	[ "$(cat code)" = 0 ]
	wait_until test -s tty.after
	# tmux may not have told of the second size yet.
	diff <(sed 's/rows [0-9]*; columns [0-9]*//' tty.before) <(sed 's/rows [0-9]*; columns [0-9]*//' tty.after)
	[ -z "$(ownerless_instances)" ]
}

@test "monitor: only what a VT100 knows goes to it" {
	need_tracefs
	make_switches
	TERM=vt100 script -qec "'$PICKNEXT' monitor --interval 0.1 --count 3" typescript </dev/null >/dev/null
	grep -q $'\033\[H' typescript
	# Home, erase to the end of the line, of the screen; nothing else.
	sed -e $'s/\033\\[[HKJ]//g' typescript >rest
	run -1 grep -q $'\033' rest
}

@test "monitor: Ctrl+C, SIGTERM and SIGHUP put the terminal back and say so by the exit code" {
	need_tracefs
	local signal
	for signal in INT:130 TERM:143 HUP:129; do
		rm -f code pid tty.*
		in_terminal xterm 'stty -a >tty.before; '"$PICKNEXT"' monitor -q & echo $! >pid; fg >/dev/null 2>&1 || wait $!; echo $? >code; stty -a >tty.after; sleep 60'
		wait_until test -s pid
		wait_until is_recording "$(cat pid)"
		kill "-${signal%:*}" "$(cat pid)"
		wait_until ended
		[ "$(cat code)" = "${signal#*:}" ]
		wait_until test -s tty.after
		diff tty.before tty.after
		tmux -L "$terminal" kill-server
	done
	in_terminal xterm "$PICKNEXT"' monitor; echo $? >code.c; sleep 60'
	wait_until shows 'q quits'
	keys C-c
	wait_until test -s code.c
	[ "$(cat code.c)" = 130 ]
	[ -z "$(ownerless_instances)" ]
}

@test "monitor: Ctrl+Z gives the terminal to the shell, fg takes it back" {
	need_tracefs
	in_terminal vt100 'exec bash --norc --noprofile -i'
	keys "PS1='ready: '; $PICKNEXT monitor --interval 0.2" Enter
	wait_until shows 'q quits'
	keys C-z
	wait_until shows 'Stopped'
	keys 'clear; stty -a | grep -o " icanon\| echo "' Enter
	wait_until shows '^ icanon'
	keys 'clear; fg' Enter
	wait_until shows 'worst wakeup latency'
	keys q
	keys 'echo code $?' Enter
	wait_until shows '^code 0'
}

@test "monitor: a dumb terminal gets plain reports and is told why" {
	need_tracefs
	TERM=dumb script -qec "'$PICKNEXT' monitor --interval 0.1 --count 2" typescript </dev/null >/dev/null
	grep -q 'dumb.*0\.1 s' typescript
	run -1 grep -q $'\033' typescript
	TERM='' script -qec "'$PICKNEXT' monitor --interval 0.1 --count 2" typescript </dev/null >/dev/null
	grep -q TERM typescript
}

@test "monitor: what it refuses" {
	run -2 "$PICKNEXT" monitor --interval 0
	[[ $output == *--interval*0.1*86400*"'0'"* ]]
	run -2 "$PICKNEXT" monitor trace.dat
	run -2 "$PICKNEXT" monitor --events --pid me
	[[ $output == *--pid*"'me'"* ]]
	[ "$(id -u)" = 0 ] || skip "the rest needs root"
	run -4 setpriv --reuid=65534 --clear-groups "$PICKNEXT" monitor
	[[ $output == *root* ]]
}
