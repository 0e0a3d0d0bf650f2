#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The lines of vm about the rules while guests run. failures.bats has a line of progress.
# seconds: 90

load vm

setup() {
	make_short_tmpdir
	need_vm 6.12 7
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	check_nothing_left
	rm -rf "$TMPDIR"
}

boot() {
	timeout -k 20 900 "$PICKNEXT" vm --mode deterministic --keys --guest append=noautogroup --seeds 1 "$@"
}

line_of() {
	grep -nm 1 -e "$1" "$2" | cut -d : -f 1
}

# 6.12 has a fault that chaos_weights shows and 7.3 has not (src/rules/README.md). On kernels without fprobes probes may be
# missed, and the trace is then not judged; with autogroups weights are shares, and that rule is not judged on 7.3.
@test "vm: what a kernel breaks and the first one keeps is said when its trace arrives, with check-rule's lines" {
	boot -v --jobs 2 -k "new=$(kernel 7)" -k "old=$(kernel 6.12)" -w chaos_weights,signals -o out >results 2>log
	cat log
	cp -r out/old "$BATS_FILE_TMPDIR"
	said=$(line_of '^old breaks a rule that new keeps so far:' log)
	[ "$said" -gt "$(line_of '^old: chaos_weights_run1 done' log)" ]
	[ "$said" -lt "$(grep -n 'signals_run1 done' log | tail -n 1 | cut -d : -f 1)" ]
	[ "$(grep -c '^old breaks a rule that new keeps' log)" -le 2 ]
	grep '^seed 1: old breaks [0-9]* rules* that new keeps, in 2 traces' log
	# The same lines as of check-rule, and the command that shows the first place works.
	grep -A 2 -e '^old: deadline_in_slice is broken' log >words
	"$PICKNEXT" check-rule out/old/raw/chaos_weights_run1.dat >found || [ $? = 1 ]
	diff <(sed 's/^old: //' words) <(grep -A 2 '^deadline_in_slice is broken' found)
	read -r -a why < <(sed -n 's/^  picknext //p' words)
	"$PICKNEXT" "${why[@]}" >shown
	[ -s shown ]
	# The comparison names them too, and of the first kernel none of them.
	sed -n 's/^old: \([a-z_]*\) is broken.*/\1/p' log | sort >named
	sed -n 's/^old: \([a-z_]*\) is broken.*/\1/p' results | sort >compared
	[ -s named ]
	[ -z "$(comm -23 named compared)" ]
	[ -z "$(sed -n 's/^new: \([a-z_]*\) is broken.*/\1/p' results | sort | comm -12 named -)" ]
	# Whatever is there already is said again, without a boot.
	boot -k "new=$(kernel 7)" -k "old=$(kernel 6.12)" -w chaos_weights,signals -o out >again 2>log
	diff results again
	none_of ' boots' log
	diff named <(sed -n 's/^old: \([a-z_]*\) is broken.*/\1/p' log | sort)
	boot -q -k "new=$(kernel 7)" -k "old=$(kernel 6.12)" -w chaos_weights,signals -o out >again 2>log
	[ ! -s log ]
}

@test "vm: what the first kernel breaks too is no news" {
	# Both have the run of the test before, if it was there.
	mkdir out
	[ ! -d "$BATS_FILE_TMPDIR/old" ] || for set in a b; do cp -r "$BATS_FILE_TMPDIR/old" out/$set; done
	boot --jobs 1 -k "a=$(kernel 6.12)" -k "b=$(kernel 6.12)" -w chaos_weights,signals -o out >results 2>log
	cat log
	grep '^a: deadline_in_slice is broken' results
	none_of 'breaks a rule' log
	grep '^seed 1: b breaks no rule that a keeps, in 2 traces with [1-9][0-9]* judged decisions; the comparison follows' log
}

# A guest that is killed leaves what it had sent, and the run is not there.
@test "vm: traces are in raw while the guest runs on; without a record they are no run" {
	line=(timeout -k 20 900 "$PICKNEXT" vm --mode deterministic --keys --seeds 1 -k "k=$(kernel 6.12)" --cpus 1 -w 'signals,hackbench_pipe_large' --scale 1 -o out)
	"${line[@]}" >log 2>&1 3>&- &
	pid=$!
	until [ -e out/k/raw/signals_run1.json ]; do
		[ -e "/proc/$pid" ]
		sleep 0.2
	done
	[ ! -e out/k/boots/run1.json ]
	"$PICKNEXT" check-rule out/k/raw/signals_run1.dat >found
	kill "$pid"
	wait "$pid" || true
	[ -e out/k/raw/signals_run1.dat ]
	grep -q interrupted out/k/boots/run1.json
	"${line[@]}" --plan >plan
	[ "$(wc -l <plan)" = 1 ]
}
