#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Guests that die, hang and misbehave, and hosts that do: one clear message each, nothing left behind.
# seconds: 190

# shellcheck disable=SC2016 # what runs in a guest or another shell is in single quotes on purpose

bats_require_minimum_version 1.5.0
load vm

setup() {
	make_short_tmpdir
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	out=$BATS_TEST_TMPDIR/out
}

teardown() {
	rm -rf "$TMPDIR"
}

only() {
	find "$out" -mindepth 1 -maxdepth 1 -type d
}

whole_traces() {
	find "$out" -path '*/raw/*.dat' | wc -l
}

# wait_for PATTERN FILE: until a line of the file matches; the test's own timeout is the limit.
wait_for() {
	local tries=0
	until grep -q "$1" "$2" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] && [ -e "/proc/$pid" ] || return 1
		sleep 0.1
	done
}

# Boots in the background, with messages in $BATS_TEST_TMPDIR/log; $pid is picknext itself.
start() {
	"$PICKNEXT" vm --mode tcg -o "$out" "$@" >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	pid=$!
}

# Until so many processes of guests are there, as long as picknext is.
wait_for_guests() {
	until [ "$(guests_left | wc -l)" -ge "$1" ]; do
		[ -e "/proc/$pid" ] || return 1
		sleep 0.1
	done
}

# Sets code to the exit code of a child.
wait_exit() {
	code=0
	wait "$1" || code=$?
}

@test "a kernel that panics at boot: its words, the console's end, exit 6" {
	need_vm 6.12
	run vm -k "$(kernel 6.12)" --guest engine=qemu --guest append="rdinit=/none panic_on_oops=1" -w cpu_bound_4p -o "$out"
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"Kernel panic - not syncing: "* ]]
	[[ "$output" == *$'\n  | '* ]]
	grep -q 'Kernel panic' "$(only)/console/run1.log"
	[ "$(boots "$(only)" 'd[0]["end"]')" = panicked ]
	# It was started once more, and both are reported.
	[[ "$(boots "$(only)" 'd[0]["died_before"]')" == *"Kernel panic - not syncing: "* ]]
	[ "$(grep 'warning: ' <<<"$output" | grep -c 'Kernel panic - not syncing: ')" -eq 2 ]
	grep -q ' dies: .*boots' <<<"$output"
	[ "$(grep -c 'Linux version' "$(only)/console/run1.log")" -eq 2 ]
	check_nothing_left
}

@test "a guest that panics in the middle of the work: what came out is kept, and the next boot goes on" {
	local engine=qemu
	need_vm 6.12
	# The test before has the panic of a guest of plain QEMU.
	if have_vng; then engine=vng; fi
	initramfs_with "$BATS_TEST_TMPDIR/ird" 'if ! grep -q first_run=2 /job/settings; then until [ -s /tmp/share/manifest ] && [ "$(grep -c dat /tmp/share/manifest)" -ge 2 ]; do usleep 20000; done; echo c >/proc/sysrq-trigger; fi'
	run vm -k "$(kernel 6.12)" --guest engine=$engine --guest initramfs="$BATS_TEST_TMPDIR/ird" \
		-w hackbench_pipe_small,cpu_bound_4p,cpu_bound_8p,io_mixed --scale 0.01 -r 2 -o "$out"
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *", run 1: "*"Kernel panic - not syncing: sysrq triggered crash"* ]]
	[[ "$output" == *" dies: Kernel panic - not syncing: sysrq triggered crash, 1 of 2 boots;"* ]]
	[[ "$output" == *$'\n  | '* ]]
	[[ "$output" == *"picknext build -o $(only)"* ]]
	grep -q 'Kernel panic' "$(only)/console/run1.log"
	[ "$(boots "$(only)" '[(boot["run"], boot["end"], boot["traces"] == 4) for boot in d]')" = \
		"[(1, 'panicked', False), (2, 'done', True)]" ]
	[ "$(whole_traces)" -ge 6 ]
	[ "$(boots "$(only)" 'sum(boot["traces"] for boot in d)')" -eq "$(whole_traces)" ]
	[ "$(boots "$(only)" 'd[0]["died_before"]')" = None ]
	# what is kept can be built from
	"$PICKNEXT" build -q -o "$(only)"
	[ "$(json "$(only)/dataset_meta.json" 'd["num_traces"]')" -eq "$(whole_traces)" ]
	check_nothing_left
}

# The kernel waits 10 ms for its serial port, and then overwrites what that has not taken.
@test "nothing of a console is lost while picknext gets no CPU" {
	need_vm 6.12
	start -k "$(kernel 6.12)" --guest engine=qemu -w cpu_bound_4p --scale 0.01 -r 1
	while [ -e "/proc/$pid" ]; do
		mapfile -t all < <(pgrep -x picknext -P "$pid")
		kill -STOP "$pid" "${all[@]}" || true
		sleep 0.3
		kill -CONT "$pid" "${all[@]}" || true
		sleep 0.02
	done
	wait_exit "$pid"
	[ "$code" -eq 0 ]
	# Each of the kernel's messages is a line, with its time.
	tr -d '\r' <"$(only)/console/run1.log" >"$BATS_TEST_TMPDIR/console"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/console")" -gt 200 ]
	if grep -avE '^\[ *[0-9]+\.[0-9]{6}\] ' "$BATS_TEST_TMPDIR/console"; then return 1; fi
	none_of '.\[ +[0-9]+\.[0-9]{6}\] ' "$BATS_TEST_TMPDIR/console"
}

@test "a guest whose work stands still: silence is noticed" {
	need_vm 6.12
	initramfs_with "$BATS_TEST_TMPDIR/ird" 'until pidof picknext; do usleep 50000; done >/dev/null; sleep 1; kill -STOP $(pidof picknext)'
	run vm -k "$(kernel 6.12)" --guest engine=qemu --guest initramfs="$BATS_TEST_TMPDIR/ird" -w hackbench_pipe_small -r 1 \
		--guest silence-timeout=6 -o "$out"
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *" 6 s"*silence-timeout* ]]
	[ "$(boots "$(only)" 'd[0]["end"]')" = silent ]
	check_nothing_left
}

@test "a machine that stands still before it is up: the boot's limit" {
	need_vm 6.12
	start -k "$(kernel 6.12)" --guest engine=qemu -w cpu_bound_4p --guest boot-timeout=5
	until guest=$(pgrep -f "qemu-system.*$TMPDIR/picknext-vm-"); do [ -e "/proc/$pid" ] || return 1; sleep 0.05; done
	kill -STOP "$guest"
	wait_exit "$pid"
	cat "$BATS_TEST_TMPDIR/log"
	[ "$code" -eq 6 ]
	grep -q '\<5 s\>' "$BATS_TEST_TMPDIR/log"
	check_nothing_left
}

# warned LOG SECONDS TEXT: there is one warning of silence, and it has the text.
warned() {
	[ "$(grep -c 'warning: .*written nothing for ' "$1")" -eq 1 ]
	grep "warning: .*written nothing for $2 s" "$1" | grep -qF -e "$3"
}

# boots_silently NAME ARGUMENTS...: in the background, into a directory of its own; messages are in NAME.log, the process in $pid.
boots_silently() {
	timeout -k 20 600 "$PICKNEXT" vm --mode tcg --guest engine=qemu -w cpu_bound_4p -r 1 -o "$out/$1" "${@:2}" >"$BATS_TEST_TMPDIR/$1.log" 2>&1 3>&- &
	pid=$!
}

# The three guests wait most of the time, so they do it side by side.
@test "a damaged kernel image, and a guest that stops while it boots, show it after 20 s; slow ones are not silent" {
	local damaged stopped slow
	need_vm 6.12
	# Half-way in the compressed kernel.
	python3 - "$(kernel 6.12)" "$BATS_TEST_TMPDIR/damaged" <<-'PYTHON'
		import sys
		image = bytearray(open(sys.argv[1], "rb").read())
		middle = len(image) // 2
		image[middle:middle + 2000] = bytes(byte ^ 0x5a for byte in image[middle:middle + 2000])
		open(sys.argv[2], "wb").write(image)
	PYTHON
	initramfs_with "$BATS_TEST_TMPDIR/stops" ':; } & echo the last words; sleep 900; { :'
	initramfs_with "$BATS_TEST_TMPDIR/slow" ':; } & for i in 1 2 3 4 5; do sleep 6; echo "slow $i"; done; { :'
	boots_silently damaged -k bad="$BATS_TEST_TMPDIR/damaged" --guest boot-timeout=25
	damaged=$pid
	boots_silently stopped -k "$(kernel 6.12)" --guest initramfs="$BATS_TEST_TMPDIR/stops" --guest boot-timeout=600
	stopped=$pid
	boots_silently slow -k "$(kernel 6.12)" --guest initramfs="$BATS_TEST_TMPDIR/slow" --scale 0.01
	slow=$pid
	wait_exit "$damaged"
	cat "$BATS_TEST_TMPDIR/damaged.log"
	[ "$code" -eq 6 ]
	warned "$BATS_TEST_TMPDIR/damaged.log" 20 "$out/damaged/bad/console/run1.log is empty"
	grep "within 25 s and wrote nothing" "$BATS_TEST_TMPDIR/damaged.log"
	wait_exit "$slow"
	cat "$BATS_TEST_TMPDIR/slow.log"
	[ "$code" -eq 0 ]
	none_of 'written nothing' "$BATS_TEST_TMPDIR/slow.log"
	# In a log, progress has lines of its own: after 20 s, and after each minute.
	grep -E '^[^ ]+ 1: booting' "$BATS_TEST_TMPDIR/slow.log"
	# On a busy machine 20 s last longer, since the time in which the guest gets no CPU does not count.
	pid=$stopped
	wait_for 'written nothing' "$BATS_TEST_TMPDIR/stopped.log"
	kill -TERM "$stopped"
	wait_exit "$stopped"
	cat "$BATS_TEST_TMPDIR/stopped.log"
	[ "$code" -eq 143 ]
	warned "$BATS_TEST_TMPDIR/stopped.log" 20 "ends in: "
	check_nothing_left
}

@test "a guest that takes too long in all" {
	need_vm 6.12
	# On a busy machine it takes longer to come to its work.
	for limit in 16 32 64; do
		run vm -k "$(kernel 6.12)" --guest engine=qemu -w "$naps" --guest timeout=$limit -o "$out"
		echo "$output"
		[ "$status" -eq 6 ]
		[[ "$output" == *" $limit s"* ]]
		check_nothing_left
		[[ "$output" != *" $limit s "*mix*"run 1"* ]] || break
	done
	[[ "$output" == *" $limit s "*mix*"run 1"* ]]
	check_nothing_left
}

@test "a guest that powers off before its work is done" {
	need_vm 6.12
	initramfs_with "$BATS_TEST_TMPDIR/ird" 'until pidof picknext; do usleep 50000; done >/dev/null; sleep 1; poweroff -f'
	run vm -k "$(kernel 6.12)" --guest engine=qemu --guest initramfs="$BATS_TEST_TMPDIR/ird" -w cpu_bound_4p --duration 30 -o "$out"
	echo "$output"
	[ "$status" -eq 6 ]
	[ "$(boots "$(only)" 'd[0]["end"]')" = "left early" ]
}

@test "a guest in which no process can be made any more powers off, without a panic" {
	need_vm 6.12
	run vm -k "$(kernel 6.12)" --guest engine=qemu --no-trace -r 1 -o "$out" -- \
		sh -c 'echo 20 >/proc/sys/kernel/threads-max; cat /proc/version'
	echo "$output"
	[ "$status" -eq 6 ]
	grep "can't fork" "$(only)/console/run1.log"
	grep 'reboot: Power down' "$(only)/console/run1.log"
	[ "$(grep -c 'Kernel panic' "$(only)/console/run1.log")" -eq 0 ]
}

@test "a guest whose job is killed says how it died" {
	need_vm 6.12
	initramfs_with "$BATS_TEST_TMPDIR/ird" 'until pidof picknext; do usleep 50000; done >/dev/null; sleep 1; kill -KILL $(pidof picknext)'
	run vm -k "$(kernel 6.12)" --guest engine=qemu --guest initramfs="$BATS_TEST_TMPDIR/ird" -w cpu_bound_4p --duration 30 -o "$out"
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *137* ]]
}

@test "a kernel that has turned its trace buffer off: exit 6, and what came until then is brought out" {
	need_vm 6.12
	# An open file trace with this option makes the kernel refuse events, as after a fault of its own.
	run vm -k "$(kernel 6.12)" --guest engine=qemu -r 1 -o "$out" -- sh -c '
		cd /sys/kernel/tracing/instances/picknext-*
		echo pause-on-trace >trace_options
		setsid sh -c "exec sleep 30 <trace" &
		sleep 0.2'
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"trace buffer"*dmesg*.dat.partial* ]]
	[ "$(whole_traces)" -eq 0 ]
	"$PICKNEXT" check "$(only)"/raw/sh_run1.dat.partial
}

@test "a kernel without ftrace: told by name, once, exit 6" {
	need_vm 6.12
	initramfs_with "$BATS_TEST_TMPDIR/ird" 'mount -t tmpfs none /sys/kernel; sleep 100'
	run vm -k "$(kernel 6.12)" --guest engine=qemu --guest initramfs="$BATS_TEST_TMPDIR/ird" -w cpu_bound_4p --scale 0.01 -o "$out"
	echo "$output"
	[ "$status" -eq 6 ]
	[ "$(grep -c "no trace event sched_switch" <<<"$output")" -eq 1 ]
}

@test "lockdown that closes tracefs is refused before any boot, exit 3; a word that only begins like it is not" {
	need_vm 6.12
	for keys in "" --keys; do
		run vm -k "$(kernel 6.12)" $keys --guest "append=quiet lockdown=confidentiality" -w cpu_bound_4p --scale 0.01 -o "$out"
		echo "$output"
		[ "$status" -eq 3 ]
		[[ "$output" == *lockdown=confidentiality*tracefs* ]]
		[ ! -e "$out" ]
	done
	run vm -k "$(kernel 6.12)" --guest "append=nolockdown=confidentiality" -w cpu_bound_4p --scale 0.01 --dry-run -o "$out"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a kernel whose modules are missing: the message says what was assumed" {
	need_vm 6.1
	cp "$(kernel 6.1)" "$BATS_TEST_TMPDIR/bzImage"
	[ ! -e "/lib/modules/$(basename "$(kernel 6.1)" | cut -d- -f2-)" ] || skip "this machine has modules for that kernel"
	run vm -k "$BATS_TEST_TMPDIR/bzImage" --guest engine=qemu -w cpu_bound_4p --scale 0.01 -o "$out"
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"--guest modules=DIR"* ]]
	[ "$(boots "$(only)" 'd[0]["died_before"]')" = None ] # it powered off
}

@test "an image that is no kernel, one cut short, one that is not there: exit 3 and 4 before any boot" {
	need_vm 6.12
	head -c 100000 /dev/urandom >"$BATS_TEST_TMPDIR/noise"
	run vm -k "$BATS_TEST_TMPDIR/noise" -o "$out"
	[ "$status" -eq 3 ]
	[[ "$output" == *"noise: "* ]]
	head -c 100000 "$(kernel 6.12)" >"$BATS_TEST_TMPDIR/short"
	run vm -k "$BATS_TEST_TMPDIR/short" -o "$out"
	[ "$status" -eq 3 ]
	run vm -k "$BATS_TEST_TMPDIR/none" -o "$out"
	[ "$status" -eq 4 ]
	[[ "$output" == *none*"No such file"* ]]
	[ ! -e "$out" ]
}

@test "a full disk on the host: exit 75" {
	need_vm 6.12
	{ [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; } || skip "needs root to mount a small tmpfs"
	mkdir -p "$BATS_TEST_TMPDIR/small"
	run unshare -m sh -c 'mount -t tmpfs -o size=1200k none "$1" && shift && exec timeout 300 "$@"' \
		sh "$BATS_TEST_TMPDIR/small" "$PICKNEXT" vm --mode tcg -k "$(kernel 6.12)" --guest engine=qemu \
		-w sysbench_threads_8t,sysbench_threads_16t --scale 0.2 -r 1 -o "$BATS_TEST_TMPDIR/small/out"
	echo "$output"
	[ "$status" -eq 75 ]
	[[ "$output" == *"No space left on device"* ]]
	check_nothing_left
}

# The guest does not notice: its memory for traces is not on this disk.
@test "a disk that becomes full while the host takes over the traces of a deterministic guest: exit 75, -o is named" {
	need_vm 6.12
	need_new_qemu
	{ [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; } || skip "needs root to mount a small tmpfs"
	mkdir -p "$BATS_TEST_TMPDIR/small"
	run unshare -m sh -c 'mount -t tmpfs -o size=400k none "$1" && shift && exec timeout 300 "$@"' \
		sh "$BATS_TEST_TMPDIR/small" "$PICKNEXT" vm -k "$(kernel 6.12)" --mode deterministic --keys \
		--cpus 1 -w cpu_bound_4p -r 1 -o "$BATS_TEST_TMPDIR/small/out"
	echo "$output"
	[ "$status" -eq 75 ]
	[[ "$output" == *small/out*"No space left on device"*"-o"* ]]
	check_nothing_left
}

@test "vm: a KVM that does not work is no failure of picknext: the first line says what is used instead" {
	need_vm 6.12
	need_new_qemu
	[ -w /dev/kvm ] || skip "no /dev/kvm that could be tried"
	"$PICKNEXT" vm -k "$(kernel 6.12)" -r 1 -o "$out" -- true >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	pid=$!
	# Until the guest boots, after everything about the choice.
	until [ -s "$(only)/console/run1.log" ] || [ ! -e "/proc/$pid" ]; do sleep 0.1; done
	kill -TERM "$pid"
	wait_exit "$pid"
	run cat "$BATS_TEST_TMPDIR/log"
	[[ "${lines[0]}" == "deterministic guests: "* ]] || skip "KVM works here"
	[[ "${lines[0]}" == *KVM*"-v"*"--mode wall-clock"* && "$output" != *"was tried"* ]]
}

@test "Ctrl+C: exit 130, what came out is kept, no process is left, and nobody got at the guest's own files" {
	local engine=qemu
	need_vm 6.12
	# The test below has plain QEMU.
	if have_vng; then engine=vng; fi
	initramfs_with "$BATS_TEST_TMPDIR/ird" "$plant"
	umask 077
	start -k "$(kernel 6.12)" --guest engine=$engine --guest initramfs="$BATS_TEST_TMPDIR/ird" \
		-w "cpu_bound_4p,hackbench_pipe_small,io_mixed,$naps" --scale 0.01 -r 2 -v
	umask 022
	wait_for ' done (3 of 4)' "$BATS_TEST_TMPDIR/log"
	wait_for_guests 1
	check_planted "$out"
	kill -INT "$pid"
	wait_exit "$pid"
	cat "$BATS_TEST_TMPDIR/log"
	[ "$code" -eq 130 ]
	[ "$(whole_traces)" -ge 3 ]
	[ "$(boots "$(only)" 'd[0]["end"]')" = interrupted ]
	[ "$(stat -c %a "$(only)/raw/su.dat.incomplete")" = 600 ]
	check_nothing_left
}

@test "SIGTERM with two guests: exit 143, a trace on its way is marked or not there; files by the user's umask" {
	need_vm 6.12
	initramfs_with "$BATS_TEST_TMPDIR/ird" "if grep -q first_run=2 /job/settings; then $plant; fi"
	umask 0
	start -k "$(kernel 6.12)" --guest engine=qemu --guest initramfs="$BATS_TEST_TMPDIR/ird" \
		-w "cpu_bound_4p,hackbench_pipe_small,$naps" --scale 0.01 -r 3 --jobs 2 -v
	umask 022
	wait_for ' done (2 of 3)' "$BATS_TEST_TMPDIR/log"
	wait_for_guests 2
	check_planted "$out"
	kill -TERM "$pid"
	wait_exit "$pid"
	cat "$BATS_TEST_TMPDIR/log"
	[ "$code" -eq 143 ]
	[ "$(whole_traces)" -ge 2 ]
	[ "$(boots "$(only)" '[(boot["run"], boot["end"]) for boot in d]')" = "[(1, 'interrupted'), (2, 'interrupted')]" ]
	[ "$(stat -c %a "$(only)/raw/su.dat.incomplete")" = 666 ]
	[ "$(boots "$(only)" 'sum(boot["traces"] for boot in d)')" -eq "$(whole_traces)" ]
	check_nothing_left
}

@test "SIGKILL: the guest goes with picknext, its directory too" {
	need_vm 6.12
	for engine in qemu vng; do
		[ $engine = qemu ] || have_vng || continue
		start -k "$(kernel 6.12)" --guest engine=$engine -w cpu_bound_4p --duration 100
		until pgrep -f "qemu-system.*$TMPDIR/picknext-vm-|qemu .*$TMPDIR/picknext-vm-" >/dev/null; do [ -e "/proc/$pid" ] || return 1; sleep 0.1; done
		kill -KILL "$pid"
		for _ in $(seq 200); do
			[ -n "$(guests_left)$(find "$TMPDIR" -name 'picknext-vm-*')" ] || break
			sleep 0.1
		done
		[ -z "$(guests_left)" ]
		[ -z "$(find "$TMPDIR" -name 'picknext-vm-*')" ]
		run "$PICKNEXT" check "$out"
		echo "$output"
		[[ $output == *"was killed"* && $output != *SIGTERM* ]]
	done
	# The next start removes what killed boots have in the output directory.
	mkdir "$(only)/.guest-4194305-killed"
	start -k "$(kernel 6.12)" --guest engine=qemu -w cpu_bound_4p --duration 100
	wait_for_guests 1
	[ ! -e "$(only)/.guest-4194305-killed" ]
	[ "$(find "$out" -name '.guest-*' | wc -l)" -eq 1 ]
	kill -TERM "$pid"
	wait_exit "$pid"
	[ "$code" -eq 143 ]
	check_nothing_left
}

@test "nothing from a guest lands outside the output directory" {
	need_vm 6.12
	initramfs_with "$BATS_TEST_TMPDIR/ird" 'until [ -s /tmp/share/manifest ]; do usleep 20000; done; cd /tmp/share; ln -s /etc/passwd evil.dat; ln -s / evil.json; mkdir deep; echo x >deep/x.dat; echo x >../evil; mknod node.dat c 1 3; echo x >.hidden.dat; echo "4 00000000 ../../../evil.dat" >>manifest; echo "4 00000000 evil.dat" >>manifest'
	run vm -k "$(kernel 6.12)" --guest engine=qemu --guest initramfs="$BATS_TEST_TMPDIR/ird" -w cpu_bound_4p,cpu_bound_8p,io_mixed --scale 0.01 -r 1 -o "$out"
	echo "$output"
	[ "$status" -eq 6 ]
	[ "$(find "$BATS_TEST_TMPDIR" -name '*evil*' ! -path "$out/*/raw/evil.*.incomplete" -o -name 'node.dat' -o -name '.hidden*')" = "" ]
	[ -z "$(find "$out" ! -type f ! -type d)" ]
	# on the host a link is a file with the name of its target
	[ "$(cat "$(only)/raw/evil.dat.incomplete")" = /etc/passwd ]
	[ "$(whole_traces)" -eq 3 ]
}

# The guest's first boot says more than the kernel lacks.
@test "a kernel that has none of what the workloads need: each is skipped, and that is no success; some boots skip more" {
	need_vm 6.1
	initramfs_with "$BATS_TEST_TMPDIR/ird" 'if grep -q first_run=1 /job/settings; then problem "odd_run1 is skipped: why"; fi'
	line=(-k "k=$(kernel 6.1)" --guest engine=qemu --guest initramfs="$BATS_TEST_TMPDIR/ird" -w "custom_slices,cgroup_slices" -j 1 -o "$out")
	run -3 vm "${line[@]}" -r 2
	echo "$output"
	[[ $output == *": each workload was skipped, for the reasons that its boot warns of"* ]]
	[[ $output == *": custom_slices is skipped: "*": cgroup_slices is skipped: "* ]]
	# Once for both boots; the last line has the number of boots, if not all skip a workload.
	[ "$(grep -c "_slices is skipped: " <<<"$output")" = 2 ]
	[ "$(grep "odd is skipped" <<<"$output" | sed 's/^picknext: warning: //')" = $'k: odd is skipped: why\nk: in 1 of 2 boots odd is skipped: why' ]
	[ "$(whole_traces)" = 0 ]
	run -3 vm "${line[@]}" -r 1
	echo "$output"
	[[ $output == *": each workload was skipped, for the reasons that its boot warns of"* ]]
	[ "$(whole_traces)" = 0 ]
}
