# SPDX-License-Identifier: MIT
# A real Slurm on this machine, of Debian's slurm-wlm and munge: sourced by tests. All of it but munge's socket is in a
# private directory.

need_slurm() {
	local program
	[ "$(id -u)" -eq 0 ] || skip "Slurm's daemons are started as root"
	for program in slurmctld slurmd sbatch munged; do
		command -v $program >/dev/null || skip "no $program (apt-get install slurm-wlm munge)"
	done
}

start_slurm() { # CPUS
	local host
	host=$(hostname -s)
	SLURM=$(mktemp -d /tmp/pns.XXXX)
	mkdir -p "$SLURM/state" "$SLURM/spool" /run/munge
	chown munge: /run/munge
	export SLURM_CONF=$SLURM/slurm.conf
	cat >"$SLURM_CONF" <<-END
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=17817
		SlurmdPort=17818
		AuthType=auth/munge
		SlurmUser=root
		SlurmdUser=root
		StateSaveLocation=$SLURM/state
		SlurmdSpoolDir=$SLURM/spool
		SlurmctldPidFile=$SLURM/slurmctld.pid
		SlurmdPidFile=$SLURM/slurmd.pid
		SlurmctldLogFile=$SLURM/slurmctld.log
		SlurmdLogFile=$SLURM/slurmd.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		ReturnToService=2
		KillWait=20
		NodeName=$host NodeAddr=127.0.0.1 CPUs=$1 RealMemory=1024 State=UNKNOWN
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	# One that runs already serves as well.
	munge -n >/dev/null 2>&1 || {
		runuser -u munge -- munged --force --pid-file="/run/munge/munged.pid"
		echo munge >"$SLURM/munge"
	}
	slurmctld -f "$SLURM_CONF"
	slurmd -f "$SLURM_CONF"
	until_true 600 node_is_idle || { tail "$SLURM"/*.log; return 1; }
}

node_is_idle() {
	[[ $(sinfo -h -o %T) == idle ]]
}

stop_slurm() {
	local name
	[ -n "${SLURM:-}" ] || return 0
	scancel --full --user root || true
	until_true 300 has_no_jobs || true
	for name in slurmd slurmctld; do
		[ ! -e "$SLURM/$name.pid" ] || kill "$(cat "$SLURM/$name.pid")"
	done
	[ ! -e "$SLURM/munge" ] || kill "$(cat /run/munge/munged.pid)"
	rm -rf "$SLURM"
}

has_no_jobs() {
	[ -z "$(squeue -h)" ]
}

# until_true TENTHS COMMAND...: of a second, at most.
until_true() {
	local left=$1
	shift
	until "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.1
	done
}
