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
	local host port node_port
	host=$(hostname -s)
	# Free ports: with those of another Slurm here, its daemons would answer, and run the jobs.
	read -r port node_port < <(python3 -c 'import socket
free = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in free))')
	SLURM=$(mktemp -d /tmp/pns.XXXX)
	mkdir -p "$SLURM/state" "$SLURM/spool" /run/munge
	chown munge: /run/munge
	export SLURM_CONF=$SLURM/slurm.conf
	cat >"$SLURM_CONF" <<-END
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$port
		SlurmdPort=$node_port
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
	local name pid
	[ -n "${SLURM:-}" ] || return 0
	scancel --full --user root || true
	until_true 300 has_no_jobs || true
	for name in slurmd slurmctld; do
		[ -e "$SLURM/$name.pid" ] || continue
		pid=$(cat "$SLURM/$name.pid")
		kill "$pid"
		until_true 600 has_ended "$pid" # it saves its state until then
	done
	[ ! -e "$SLURM/munge" ] || kill "$(cat /run/munge/munged.pid)"
	rm -rf "$SLURM"
}

has_ended() { # PID
	! kill -0 "$1" 2>/dev/null
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
