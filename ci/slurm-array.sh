#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
set -euo pipefail

usage() {
	cat <<'END'
slurm-array.sh [-t TASKS] [-p AT_ONCE] [-s SBATCH_OPTIONS] [-c COMPARE_OPTIONS] OUT VM_OPTIONS...

Makes the boots of picknext vm VM_OPTIONS -o OUT as an array of Slurm tasks, and then, in a job after it, checks
that OUT is complete and compares its sets; the comparison is OUT/slurm/compare.txt. OUT is on a file system that all
nodes share, and so are the kernels.

The same command continues: it submits only boots that are not there. If none is missing, it checks and compares at once.

  -t  at most so many tasks; each makes every so-manieth boot (default: 1000)
  -p  at most so many tasks at a time (default: as many as fit)
  -s  options for sbatch, such as '--partition=short --time=30'
  -c  options for picknext compare, such as gates

A task whose host has no room (exit code 75) is requeued up to three times. PICKNEXT is the program, if it is not in PATH.
END
}

tasks=1000
at_once=
sbatch_options=()
compare_options=()
while getopts t:p:s:c:h option; do
	case $option in
	t) tasks=$OPTARG ;;
	p) at_once=%$OPTARG ;;
	s) read -ra sbatch_options <<<"$OPTARG" ;;
	c) mapfile -t compare_options < <(xargs -n 1 printf '%s\n' <<<"$OPTARG") ;;
	h) usage && exit 0 ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { usage >&2; exit 2; }
out=$(realpath -m "$1")
shift
picknext=${PICKNEXT:-$(command -v picknext)}

mkdir -p "$out/slurm"
list=$(mktemp "$out/slurm/boots.XXXXXX")
"$picknext" vm "$@" -o "$out" --plan >"$list"
count=$(wc -l <"$list")

# Run by the last job.
cat >"$out/slurm/finish.sh" <<END
#!/usr/bin/env bash
set -euo pipefail
$(printf '%q ' "$picknext" check "$out")
$(printf '%q ' "$picknext" compare "${compare_options[@]}" "$out") >$(printf %q "$out/slurm/compare.txt")
END
chmod +x "$out/slurm/finish.sh"

if [ "$count" -eq 0 ]; then
	rm "$list"
	echo "all boots are there"
	exec "$out/slurm/finish.sh"
fi
[ "$count" -ge "$tasks" ] || tasks=$count

# A task makes boots K, K+TASKS, K+2*TASKS... One that fails does not keep it from the others.
cat >"$list.sh" <<END
#!/usr/bin/env bash
set -u
code=0
while read -r command <&3; do
	status=0
	bash -c "\$command" </dev/null 3<&- || status=\$?
	[ \$status -eq 0 ] || [ \$code -eq 75 ] || code=\$status
done 3< <(awk -v task="\$SLURM_ARRAY_TASK_ID" -v tasks=$tasks '(NR - task) % tasks == 0' $(printf %q "$list"))
if [ \$code -eq 75 ] && [ "\${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
	scontrol requeue "\${SLURM_ARRAY_JOB_ID}_\$SLURM_ARRAY_TASK_ID"
fi
exit \$code
END
array=$(sbatch --parsable --requeue --array="1-$tasks$at_once" --output="$out/slurm/%A_%a.log" --open-mode=append \
	"${sbatch_options[@]}" "$list.sh")
finish=$(sbatch --parsable --dependency="afterany:${array%%;*}" --output="$out/slurm/%j.finish.log" "${sbatch_options[@]}" \
	"$out/slurm/finish.sh")
echo "$count boots in $tasks tasks: job ${array%%;*}; then job ${finish%%;*} checks and compares"
