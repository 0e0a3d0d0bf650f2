# SPDX-License-Identifier: MIT
# Shared by the VM tests; sourced by `load vm`.

PICKNEXT=${PICKNEXT:-$(readlink -f "$BATS_TEST_DIRNAME/../..")/build/picknext}
TOP=$(readlink -f "$BATS_TEST_DIRNAME/../..")
KERNELS=${PICKNEXT_KERNELS:-$TOP/build/kernels}

load ../support/json

# kernel LINE: the image of Debian's kernel of that line, or nothing.
kernel() {
	find -L "$KERNELS/$1/boot" "$KERNELS/$1/usr/lib/modules" -maxdepth 2 -name 'vmlinuz*' -type f 2>/dev/null |
		sort | head -n 1
}

# need_vm LINE...: skips where a guest of these kernels cannot be booted here.
need_vm() {
	local line
	command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64 (apt-get install qemu-system-x86)"
	local beside=${PICKNEXT%/*}
	[ -e "$beside/initramfs-x86_64.cpio.gz" ] || [ -e "$beside/../lib/picknext/initramfs-x86_64.cpio.gz" ] || skip "no initramfs beside $PICKNEXT (make)"
	for line in "$@"; do
		[ -n "$(kernel "$line")" ] || skip "no kernel $line (picknext fetch kernel $line -o build/kernels)"
	done
}

have_vng() {
	command -v vng >/dev/null || [ -x "$(dirname "$PICKNEXT")/vng/vng" ]
}

need_vng() {
	have_vng || skip "no vng (picknext fetch vng -o build/vng)"
}

# Skips where no QEMU runs a deterministic guest of several CPUs.
need_new_qemu() {
	local version
	[ ! -x "$(dirname "$PICKNEXT")/qemu/qemu-system-x86_64" ] || return 0
	version=$(qemu-system-x86_64 --version | sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p')
	[ "${version:-0}" -ge 10 ] || skip "no QEMU 10 (picknext fetch qemu -o build/qemu)"
}

need_trace_cmd() {
	command -v trace-cmd >/dev/null || skip "no trace-cmd (apt-get install trace-cmd)"
}

# vm ARGUMENTS...: boots on wall-clock time without probing KVM, which has a test of its own; never for longer than a test may take.
vm() {
	timeout -k 20 "${vm_seconds:-600}" "$PICKNEXT" vm --mode tcg "$@"
}

# ring_buffer_gave_up MESSAGES: on a starved host the ring buffer of 6.1 may wait for a writer in vain: it warns, and takes no
# more events. Such a guest is to be booted again.
ring_buffer_gave_up() {
	grep -q 'reports: .* at kernel/trace/ring_buffer' "$1"
}

# A guest with an /init that also runs SHELL_COMMANDS in the background, $SECONDS_AFTER seconds after its start:
# initramfs_with FILE SHELL_COMMANDS
initramfs_with() {
	local directory=$BATS_TEST_TMPDIR/initramfs
	mkdir -p "$directory"
	cp "$TOP/initramfs/manifest" "$directory/manifest"
	awk -v extra="$2" '{ print } /^load_modules$/ { print "{ " extra "; } &" }' "$TOP/initramfs/init" >"$directory/init"
	chmod 755 "$directory/init"
	"$PICKNEXT" initramfs --manifest "$directory/manifest" --busybox "$(command -v busybox)" -o "$1"
}

# The workloads of collect. Without -w vm runs mixes.
# shellcheck disable=SC2034 # used by the files that load this one
collected=cpu_bound_4p,cpu_bound_8p,hackbench_pipe_large,hackbench_pipe_small,hackbench_socket_large,hackbench_socket_small,io_mixed,sysbench_cpu_4t,sysbench_cpu_8t,sysbench_memory_4t,sysbench_threads_16t,sysbench_threads_8t

# A workload that lasts, and leaves the CPUs idle: 10 s with --scale 0.01.
# shellcheck disable=SC2034
naps='mix: for 1000s; 1 napper run=1ms sleep=50ms'

# For initramfs_with: a guest that leaves in its share what must never appear on the host, while its job goes on.
# shellcheck disable=SC2034 # used by the files that load this one
plant='until [ -s /tmp/share/manifest ]; do usleep 20000; done; cd /tmp/share; cp /bin/busybox su.dat; chmod 4755 su.dat; cp /bin/busybox sg.dat; chown 12:12 sg.dat; chmod 2755 sg.dat; mknod node.dat c 1 3; mkfifo fifo.dat; ln -s /etc/passwd link.dat; mkdir deep; touch deep/x; chmod 0 deep; touch planted.dat'

# Before that: a guest that dies before its job starts, the first time.
# shellcheck disable=SC2034
die_once='mkdir -p /mnt; mount -t 9p -o version=9p2000.L,trans=virtio virtme.initmount0 /mnt && { [ -s /mnt/manifest ] || { echo >/mnt/manifest; echo c >/proc/sysrq-trigger; }; umount /mnt; }; }; {'

# check_planted OUT: waits until a guest of $pid has done so, and looks at what the host has of it. Only picknext's user
# gets in, and all belongs to that user, without special modes.
check_planted() {
	local tries=0 user staging
	until staging=$(find "$1" -path '*/.guest-*/share/planted.dat') && [ -n "$staging" ]; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] && [ -e "/proc/$pid" ] || return 1
		sleep 0.1
	done
	staging=${staging%/share/planted.dat}
	user=$(stat -c %u "/proc/$pid")
	find "$staging" "$TMPDIR"/picknext-vm-* -printf '%M %U %p\n'
	[ "$(stat -c '%a %u' "$staging" "$staging/share" "$TMPDIR"/picknext-vm-* | sort -u)" = "700 $user" ]
	[ -n "$(find "$staging" -name su.dat -size +100k)" ]
	[ -z "$(find "$staging" '(' -perm /7000 -o -type b -o -type c -o ! -uid "$user" ')')" ]
	[ -z "$(find "$TMPDIR"/picknext-vm-* '(' -perm /7000 -o ! -uid "$user" ')')" ]
}

# boot_and_look SCRIPT LINE CPUS TOOL WORDS FINDING...: boots a guest that runs tests/vm/guest/SCRIPT, with TOOL of
# build/guest-tools (or none), and WORDS on the kernel's command line. The script must print "ok FINDING" for each, and
# no "not ok".
boot_and_look() {
	local script=$1 line=$2 cpus=$3 tool=$4 words=$5 finding code
	shift 5
	need_vm "$line"
	[ -x /bin/busybox ] || skip "no /bin/busybox (apt-get install busybox-static)"
	cd "$BATS_TEST_TMPDIR" || return
	cp "$BATS_TEST_DIRNAME"/guest/{init,manifest} .
	cp "$BATS_TEST_DIRNAME/guest/$script" look
	if [ -n "$tool" ]; then
		cp "$TOP/build/guest-tools/$tool" .
		echo "file bin/$tool 0755 $tool" >>manifest
	fi
	"$PICKNEXT" initramfs --manifest manifest -o initramfs -q
	# Far longer than it takes, on a machine with other work too. A kernel that gets no CPU while it checks its timer panics.
	timeout 1800 qemu-system-x86_64 -M q35 -accel tcg,thread=single -cpu qemu64,-cx16 -smp "$cpus" -m 512M -nodefaults \
		-no-user-config -display none -no-reboot -kernel "$(kernel "$line")" -initrd initramfs \
		-append "console=ttyS0 quiet panic=-1 tsc=reliable no_timer_check $words" -serial stdio </dev/null 2>&1 | tr -d '\r' | tee console
	code=${PIPESTATUS[0]}
	grep -q '^finished' console || { echo "not finished; exit code of QEMU: $code (124: it took too long)"; return 1; }
	for finding in "$@"; do
		grep -qxF "ok $finding" console || { echo "not so: $finding"; return 1; }
	done
	none_of '^not ok' console
}

# Whether this machine's kernel says how long threads waited for a CPU: "yes" or "no".
host_counts() {
	local run=0
	read -r run _ 2>/dev/null <"/proc/$$/schedstat" || run=0 # of a shell that is older than this one
	if [ "$run" -gt 0 ]; then echo yes; else echo no; fi
}

# The processes of this test's guests: those that have its private directory among their arguments or their files.
guests_left() {
	pgrep -f "$TMPDIR/picknext-vm-" || true
}

# Each test has a temporary directory of its own for sockets and the like, short as a socket's path must be.
make_short_tmpdir() {
	TMPDIR=$(mktemp -d /tmp/pnt.XXXX)
	export TMPDIR
	unset XDG_RUNTIME_DIR
}

# Nothing may be left behind, however a guest ended.
check_nothing_left() {
	[ -z "$(guests_left)" ]
	[ -z "$(find "$TMPDIR" -name 'picknext-vm-*')" ]
	[ -z "$(find "${1:-$BATS_TEST_TMPDIR}" -name '.guest-*')" ]
}

# none_of PATTERN FILE: fails where a line matches, and shows it.
none_of() {
	if grep -E "$1" "$2"; then
		return 1
	fi
}
