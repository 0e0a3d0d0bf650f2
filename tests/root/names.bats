#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# As tests/cli/names.bats, with names of tasks of this machine.

bats_require_minimum_version 1.5.0
load tracefs
load ../support/hostile_names

@test "names: of real tasks too" {
	need_tracefs
	# With another task on its CPU: some kernels leave out the switch to a task that was just woken, none to one whose
	# turn has come.
	"$PICKNEXT" record -q -o real.dat -- python3 -c '
import ctypes, os, resource
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
libc = ctypes.CDLL(None)
hog = os.fork()
if hog == 0:
    libc.prctl(1, 9, 0, 0, 0)  # it does not outlive its parent
while hog == 0:
    pass
def preempted():
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
for name in (b"a,b", b"=cmd", b"\"", b"two\nlines", b" prev_pid=1", b"<script>", b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xc0\xc1\xf5\x80\x81\xed\xa0"):
    libc.prctl(15, name, 0, 0, 0)
    until = preempted() + 4
    while preempted() < until:
        pass
os.kill(hog, 9)
'
	"$PICKNEXT" export -f csv real.dat -o real.csv
	"$PICKNEXT" export real.dat -o real.txt
	"$PICKNEXT" export -f csv real.txt -o again.csv
	names same real.csv again.csv
	python3 - <<-'EOF'
		import csv
		rows = list(csv.reader(open("real.csv", encoding="latin-1", newline=""), strict=True))
		wanted = {"a,b", "=cmd", '"', "two\nlines", " prev_pid=1", "<script>",
		          "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xc0\xc1\xf5\x80\x81\xed\xa0"}
		for column in 2, 6:
		    missing = wanted - {row[column] for row in rows}
		    assert not missing, (rows[0][column], missing)
	EOF
}
