#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Traces as every command reads them: a file, a pipe, standard input; and the messages for anything else.

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/tools

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	"$TOOLS/make_trace" trace.dat
	"$PICKNEXT" export trace.dat -o expected 2>/dev/null
}

# refused STATUS TEXT INPUT...: export of each input ends so, and says that.
refused() {
	local wanted=$1 text=$2 name
	shift 2
	for name in "$@"; do
		run "$PICKNEXT" export "$name"
		echo "$name: $status: $output"
		[ "$status" -eq "$wanted" ]
		[[ $output == *"$name"*"$text"* ]]
		run bash -c "cat '$name' | '$PICKNEXT' export -"
		echo "$name: $status: $output"
		[ "$status" -eq "$wanted" ]
		[[ $output == *"standard input"*"$text"* ]]
	done
}

# bats test_tags=slow
@test "input: a file, a file as standard input, a pipe and a named pipe give the same" {
	"$PICKNEXT" export trace.dat 2>/dev/null | cmp - expected
	"$PICKNEXT" export - <trace.dat 2>/dev/null | cmp - expected
	dd if=trace.dat bs=64k status=none | "$PICKNEXT" export - 2>/dev/null | cmp - expected
	"$PICKNEXT" export <(cat trace.dat) 2>/dev/null | cmp - expected
	mkfifo pipe
	cat trace.dat >pipe &
	"$PICKNEXT" export pipe 2>/dev/null | cmp - expected
}

@test "input: of an endless stream that is no trace only the beginning is read" {
	run timeout 20 "$PICKNEXT" stat /dev/zero
	[ "$status" -eq 3 ]
	[[ $output == *"/dev/zero: is neither a trace.dat"* ]]
	run bash -c "yes | timeout 20 '$PICKNEXT' stat -"
	[ "$status" -eq 3 ]
	[[ $output == *"standard input: is neither a trace.dat"* ]]
}

@test "input: two traces in one file are refused, with where the second one begins" {
	cat trace.dat trace.dat >joined.dat
	refused 3 "has a second trace.dat at byte $(stat -c %s trace.dat)" joined.dat
	"$PICKNEXT" export joined.dat 2>&1 | grep -q "head -c $(stat -c %s trace.dat) FILE"
}

# zero PAGE COUNT: so many pages of CPU 0 of trace.dat become zeros in hole.dat
zero() {
	python3 - "$@" <<-'EOF'
		import struct, sys
		page, count = map(int, sys.argv[1:])
		trace = bytearray(open("trace.dat", "rb").read())
		at, size = struct.unpack_from("<QQ", trace, trace.index(b"flyrecord\0") + 10)
		assert (page + count) * 4096 <= size
		trace[at + page * 4096:at + (page + count) * 4096] = bytes(count * 4096)
		open("hole.dat", "wb").write(trace)
	EOF
}

# bats test_tags=slow
@test "input: pages that were never written are refused, and named, wherever they are" {
	for hole in "0 1" "5 1" "19 1" "0 20"; do
		# shellcheck disable=SC2086 # two arguments
		zero $hole
		refused 3 "page ${hole% *} of CPU 0 is a hole of zeros" hole.dat
		run -3 "$PICKNEXT" check hole.dat
		run -3 "$PICKNEXT" check-rule hole.dat
	done
}

# bats test_tags=slow
@test "input: a named pipe among the runs of a directory is refused, and not waited for" {
	mkdir -p set/raw
	cp trace.dat set/raw/w_run0.dat
	mkfifo set/raw/w_run0.json
	for command in compare report; do
		run timeout 20 "$PICKNEXT" "$command" set
		[ "$status" -eq 3 ]
		[[ $output == *"w_run0.json: not a regular file"* ]]
	done
	rm set/raw/w_run0.json
	mkfifo set/raw/w_run1.dat
	for command in compare check report; do
		run timeout 20 "$PICKNEXT" "$command" set
		[ "$status" -eq 3 ]
		[[ $output == *"w_run1.dat: not a regular file"* ]]
	done
}

# bats test_tags=slow
@test "input: a named pipe in place of a record of picknext vm is not waited for" {
	mkdir -p set/raw set/boots set/cells
	cp trace.dat set/raw/w_run1.dat
	mkfifo pipe
	for record in vm.json boots/run1.json cells/run1.json; do
		echo '{"recipe": ["vm"], "runs": [1], "deterministic": {"identity": "'"$(printf %064d 1)"'"}}' >set/vm.json
		rm -f set/boots/run1.json set/cells/run1.json set/"$record"
		mkfifo set/"$record"
		for command in compare check report; do
			run timeout 20 "$PICKNEXT" "$command" set
			[ "$status" -ne 124 ] && [ "$status" -ne 0 ] || { echo "$record $command $status"; return 1; }
			[ "$record" != vm.json ] || [[ $output == *"vm.json: not a regular file"* ]]
		done
		rm set/"$record"
	done
}

# bats test_tags=slow
@test "input: a closed standard output is named as that, once" {
	for command in version "stat trace.dat" "check trace.dat"; do
		# shellcheck disable=SC2086 # words
		run bash -c "'$PICKNEXT' $command 2>message >&-"
		[ "$status" -eq 4 ]
		[ "$(grep -c 'standard output: cannot write: Bad file descriptor' message)" -eq 1 ]
		[ "$(wc -l <message)" -eq 1 ]
	done
}

# bats test_tags=slow
@test "input: a pipe can be read twice, as report does it" {
	dd if=trace.dat bs=64k status=none | "$PICKNEXT" report -q -o piped.html -
	"$PICKNEXT" report -q -o read.html - <trace.dat
	cmp piped.html read.html
	dd if=trace.dat bs=64k status=none | "$PICKNEXT" report -q -f svg -o charts -
	[ "$(find charts -name "*-timeline-1.svg" -size +1k | wc -l)" = 1 ]
}

@test "input: what was read of standard input before is not read again" {
	{ printf 'a line\n'; cat trace.dat; } >behind
	python3 - "$PICKNEXT" <<-'PYTHON'
		import os, subprocess, sys
		with open("behind", "rb") as file:
		    os.lseek(file.fileno(), 7, os.SEEK_SET)
		    got = subprocess.run([sys.argv[1], "export", "-"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
		assert got.returncode == 0 and got.stdout == open("expected", "rb").read()
	PYTHON
}

@test "input: what a pipe gives is put where TMPDIR says, and nothing of it stays" {
	mkdir room
	dd if=trace.dat bs=64k status=none | TMPDIR=$PWD/room "$PICKNEXT" export - 2>/dev/null | cmp - expected
	[ -z "$(ls -A room)" ]
	run bash -c "cat trace.dat | TMPDIR=$PWD/nowhere '$PICKNEXT' export -"
	[ "$status" -eq 4 ]
	[[ $output == *nowhere*"No such file"*TMPDIR* ]]
}

@test "input: a disk that is full of what a pipe gives is told of, exit 75" {
	[ "$(id -u)" -eq 0 ] || skip "mounting a small disk needs root"
	mkdir small
	mount -t tmpfs -o size=64k none small 2>/dev/null || skip "this machine mounts nothing"
	run bash -c "cat trace.dat | TMPDIR=$PWD/small '$PICKNEXT' export -"
	umount small
	[ "$status" -eq 75 ]
	[[ $output == *small*"No space left"* ]]
}

# bats test_tags=slow
@test "input: buffers of instances are not read, and every command says so, once" {
	python3 - <<-'PYTHON'
		data = bytearray(open("trace.dat", "rb").read())
		at = data.index(b"options  \0") + 10  # of version 6: the number of an option, the length of its value, the value
		while int.from_bytes(data[at:at + 2], "little") in (1, 2):  # dates and CPU statistics stay
		    at += 6 + int.from_bytes(data[at + 2:at + 6], "little")
		data[at:at + 2] = b"\3\0"  # trace-cmd's BUFFER, of an instance
		open("two.dat", "wb").write(data)
	PYTHON
	for line in "stat two.dat" "check two.dat" "timeline two.dat" "export two.dat" "export -f csv two.dat" \
		"export -f perfetto two.dat" "diff two.dat trace.dat" "compare --as same two.dat trace.dat" "report -o two.html two.dat"; do
		# shellcheck disable=SC2086 # words
		"$PICKNEXT" $line 2>messages >/dev/null || true
		[ "$(grep -c 'two.dat: .*instance.*1' messages)" = 1 ] || {
			echo "$line"
			cat messages
			return 1
		}
	done
}

# bats test_tags=slow
@test "input: memory does not grow with what a pipe gives" {
	python3 - "$PICKNEXT" <<-'PYTHON'
		import resource, subprocess, sys
		# A trace.dat that ends behind its headers, and 200 MB behind: whatever is made of them, they pass through.
		head = open("trace.dat", "rb").read()
		process = subprocess.Popen([sys.argv[1], "export", "-q", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
		                           stderr=subprocess.DEVNULL)
		process.stdin.write(head)
		for _ in range(200):
		    process.stdin.write(bytes(1 << 20))
		process.stdin.close()
		assert process.wait() == 0
		most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
		assert most < 60000, most
	PYTHON
}

@test "input: a stack of 128 KiB is enough (ulimit -s)" {
	bash -c 'ulimit -s 128; exec "$0" export trace.dat' "$PICKNEXT" >small 2>/dev/null
	cmp expected small
	bash -c 'ulimit -s 128; exec "$0" report -q trace.dat -o page' "$PICKNEXT"
	[ -s page ]
}

# bats test_tags=slow
@test "input: a file that is cut while it is read is named, exit 4" {
	python3 -c 'for n in range(20000):
		print(f"a-1 [000] d..2. {n // 1000}.{n % 1000:03}000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120")' >text
	mkfifo events
	"$PICKNEXT" export -f csv text >events 2>messages &
	local reader=$! code=0
	exec 4<events
	# The rest is more than the pipe holds.
	head -c 1 <&4 >first
	truncate -s 4096 text
	cat <&4 >rest
	exec 4<&-
	wait "$reader" || code=$?
	cat messages
	[ "$code" -eq 4 ]
	grep -q '^picknext: .*/text: cannot be read any further: another process truncated it, or its disk failed; ' messages
}

# bats test_tags=slow
@test "input: nothing, zero bytes, garbage, other formats and directories are told apart" {
	: >empty
	refused 3 "" empty
	head -c 100000 /dev/zero >zeros
	python3 -c 'import random; open("garbage", "wb").write(random.Random(5).randbytes(50000))'
	printf 'x' >one_byte
	printf 'cpu,time\n1,2\n' >other.csv
	refused 3 trace.dat zeros garbage one_byte other.csv
	gzip -k trace.dat
	refused 3 zcat trace.dat.gz
	printf 'PERFILE2 and so on' >perf.data
	refused 3 perf perf.data
	head -c 5 trace.dat >short
	refused 3 header short
	refused 3 text expected
	run "$PICKNEXT" export .
	[ "$status" -eq 2 ]
	[[ $output == "picknext: .: "* ]]
	run "$PICKNEXT" export - <.
	[ "$status" -eq 2 ]
}

# bats test_tags=slow
@test "output: a reader that has had enough ends every command quietly, as SIGPIPE does" {
	local line
	for line in "export trace.dat" "list" "list --json" "export --help" "--help" "export -f perfetto -o - trace.dat" \
		"export -f csv trace.dat" "stat --json trace.dat" "timeline trace.dat" "latency --csv trace.dat"; do
		for trap in "" "trap '' PIPE;"; do
			run bash -c "$trap '$PICKNEXT' $line 2>messages | true; exit \${PIPESTATUS[0]}"
			echo "$line: $status: $output $(cat messages)"
			# The pipe may take all of it before the reader is gone.
			[ "$status" -eq 141 ] || [ "$status" -eq 0 ]
			[ "$(grep -c 'picknext: [^w]' messages)" -eq 0 ]
		done
		run bash -c "'$PICKNEXT' $line >/dev/full 2>messages"
		[ "$status" -eq 75 ]
		grep -q 'standard output: .*No space left on device' messages
	done
}

# bats test_tags=slow
@test "input: of a directory of sets the sets are named, by every command that reads traces" {
	mkdir -p out/cfs/raw out/eevdf/raw out/other
	cp trace.dat out/cfs/raw/work_run0.dat
	cp trace.dat out/eevdf/raw/work_run0.dat
	for line in stat latency timeline migrations affinity inversions idle-waiting check-rule check "build -o new"; do
		# shellcheck disable=SC2086 # words
		run "$PICKNEXT" $line out
		[ "$status" -eq 3 ]
		[[ $output == *"out/cfs, out/eevdf"* ]] || { echo "$line: $output"; return 1; }
	done
}

# bats test_tags=slow
@test "input: of a missing file the trace of record -o is named, and an empty name is quoted" {
	for command in stat check compare "export -f csv" build timeline; do
		# shellcheck disable=SC2086 # a command and an option
		run "$PICKNEXT" $command trace
		[[ $status = 4 && $output == *"trace: cannot open: No such file or directory; trace.dat exists" ]] || { echo "$command: $output"; return 1; }
		# shellcheck disable=SC2086
		run "$PICKNEXT" $command ''
		[[ $status = 2 && $output == "picknext: '' is no name"* ]] || { echo "$command: $output"; return 1; }
	done
	run "$PICKNEXT" stat nothing
	[[ $status = 4 && $output != *exists* ]]
}
