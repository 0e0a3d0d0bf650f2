# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Traces made of trace.txt: what is different in each is all that is.
recipe() {
	case $1 in
	renumbered) sed -e 's/-50\([0-9]\)/-90\1/' -e 's/pid=50\([0-9]\)/pid=90\1/g' -e 's/-31 /-77 /' -e 's/pid=31 /pid=77 /g' \
		-e 's,kworker/0:1,kworker/0:7,g' trace.txt ;;
	later) sed 's/ 100\.000/ 207.123/' trace.txt ;;
	slower) sed 's/ 100\.000\([1-9]\)/ 100.001\1/' trace.txt ;;
	missing) grep -v -e '100\.000300' -e '100\.000320' trace.txt ;;
	other) sed '/100\.000500/s/comm=worker next_pid=503/comm=kworker\/0:1 next_pid=31/' trace.txt ;;
	swapped) awk '/100\.000300/ { held = $0; next } { print } /100\.000320/ { sub("000300", "000320", held); print held }' trace.txt ;;
	one_cpu) grep -v '\[001\]' trace.txt ;;
	stopped) head -n 18 trace.txt ;;
	woken_elsewhere) sed '/100\.000060/s/target_cpu=001/target_cpu=000/' trace.txt ;;
	lossy) sed '/100\.000320/iCPU:0 [LOST 3 EVENTS]' trace.txt ;;
	esac
}
