#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A guest of another architecture than the host's: chosen by its kernel, deterministic, with keys that rules judge.
# seconds: 80

bats_require_minimum_version 1.5.0
load vm

setup_file() {
	make_short_tmpdir
}

teardown_file() {
	rm -rf "$TMPDIR"
}

need_arm64() {
	local beside=${PICKNEXT%/*} version
	[ -n "$(kernel 6.12-arm64)" ] || skip "no kernel 6.12-arm64 (picknext fetch kernel --arch arm64 6.12 -o build/kernels)"
	[ -e "$beside/initramfs-arm64.cpio.gz" ] || [ -e "$beside/../lib/picknext/initramfs-arm64.cpio.gz" ] ||
		skip "no initramfs for arm64 beside $PICKNEXT (make guests)"
	[ ! -x "$beside/qemu-arm64/qemu-system-aarch64" ] || return 0
	version=$(qemu-system-aarch64 --version 2>/dev/null | sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p')
	[ "${version:-0}" -ge 10 ] || skip "no QEMU 10 for arm64 (picknext fetch qemu --arch arm64 -o build/qemu-arm64)"
}

@test "arm64: a deterministic guest records what its seed decides, and rules judge all of its picks" {
	need_arm64
	cd "$BATS_TEST_TMPDIR"
	timeout -k 20 600 "$PICKNEXT" vm --seeds 1 -k "$(kernel 6.12-arm64)" --cpus 2 --keys --scale 0.004 \
		-w hackbench_pipe_small,cpu_bound_4p --no-results -o out 2>messages || { cat messages; return 1; }
	cat messages
	raw=$(echo out/*/raw)
	[ "$(find "$raw" -name "*.dat" | wc -l)" -eq 2 ]
	python3 - "$raw" <<-'END'
		import glob, json, sys
		for path in glob.glob(sys.argv[1] + "/*_run1.json"):
		    run = json.load(open(path))
		    assert (run["architecture"], run["clocksource"]) == ("aarch64", "arch_sys_counter"), run
	END
	# Most picks are judged, and all of these follow the rule: the keys precede their switch.
	"$PICKNEXT" check-rule --json "$raw"/*.dat >rules.json
	python3 - <<-'END'
		import json
		causes = json.load(open("rules.json"))["causes"]
		decisions, judged, explained = (sum(cause[key] for cause in causes) for key in ("decisions", "judged", "explained"))
		assert judged > 100 and judged > 0.98 * decisions and explained == judged, causes
	END
	run timeout -k 20 600 "$PICKNEXT" verify out
	echo "$output"
	[ "$status" -eq 0 ]
	grep -x '2 identical, 0 different' <<<"$output"
}

@test "arm64: big and little CPUs have their capacities in the kernel, the metadata and what is judged, and seeds of their own" {
	need_arm64
	cd "$BATS_TEST_TMPDIR"
	timeout -k 20 600 "$PICKNEXT" vm --seeds 1 -k "$(kernel 6.12-arm64)" --cpus 2 --topology big=1,little=1 --keys \
		--scale 0.004 -w hackbench_pipe_small,cpu_bound_4p --no-results -o out 2>messages || { cat messages; return 1; }
	cat messages
	raw=$(echo out/*/raw)
	# The tracer's CPU is a big one, with a frequency of its own.
	grep "starting EAS" "$raw"/../console/run1.log
	"$PICKNEXT" check-rule --json "$raw"/*.dat >rules.json
	python3 - "$raw" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1] + "/cpu_bound_4p_run1.json"))
		assert run["topology"]["capacity"] == "0=512 1-2=1024", run["topology"]
		rules = json.load(open("rules.json"))
		unequal = {row["invariant"] for row in rules["invariants_not_judged"] if row["needs"].startswith("equal_cpus")}
		assert {"busy_cpus_balance", "woken_on_idle", "new_on_idle", "rt_spread"} <= unequal, unequal
		judged, explained = (sum(cause[key] for cause in rules["causes"]) for key in ("judged", "explained"))
		assert judged > 100 and explained == judged, rules["causes"]
	END
	# Metrics of such CPUs, of four hogs that are always more than the CPUs, and those of the reference.
	"$TOP/build/tools/show_metrics" "$raw/cpu_bound_4p_run1.dat" >metrics.json
	python3 - <<-'END'
		import json
		(run,), = (runs["runs"] for runs in json.load(open("metrics.json")))
		print({name: run["steady"]["metrics"][name] for name in ("largest_cpus_share", "capacity_used_share", "idle_share")})
		assert 30 < run["steady"]["metrics"]["largest_cpus_share"] < 70 and run["steady"]["metrics"]["capacity_used_share"] > 95
	END
	python3 "$TOP/tests/support/metrics_agree.py" "$PICKNEXT" "$TOP/build/tools/show_metrics" "$raw"
	run timeout -k 20 600 "$PICKNEXT" verify out
	echo "$output"
	[ "$status" -eq 0 ]
	grep -x '2 identical, 0 different' <<<"$output"
}

@test "arm64: what such guests cannot have is refused by name before any boot" {
	need_arm64
	cd "$BATS_TEST_TMPDIR"
	refused() { # STATUS WORDS OPTIONS...
		local status_wanted=$1 words=$2
		shift 2
		run "$PICKNEXT" vm -k "$(kernel 6.12-arm64)" --dry-run -o out "$@"
		echo "$output"
		[ "$status" -eq "$status_wanted" ]
		[[ $output == *$words* ]]
	}
	refused 3 --topology*arm64*llc --topology llc=2 --cpus 4
	"$PICKNEXT" vm -k "$(kernel 6.12-arm64)" --dry-run -o out --cpus 4 --topology little=3,big=1 >line
	grep -- ' -smp 5 .* -dtb [^ ]*/device-tree' line
	refused 3 vng*arm64 --guest engine=vng
	refused 3 "is a program for x86-64*arm64" --add "$PICKNEXT:/bin/other" -- true
}

@test "arm64: kernels as Image.gz, EFI zboot and a tree, and a program with the libraries of a cross compiler" {
	need_arm64
	[ -e /usr/aarch64-linux-gnu/lib/libc.so.6 ] || skip "no libraries of arm64 (apt-get install libc6-dev-arm64-cross)"
	cd "$BATS_TEST_TMPDIR"
	image=$(kernel 6.12-arm64)
	mkdir -p tree/arch/arm64/boot
	ln -s "$image" tree/arch/arm64/boot/Image
	# The header of drivers/firmware/efi/libstub/zboot-header.S: where the compressed kernel is, and how.
	python3 - "$image" <<-'END'
		import gzip, struct, sys
		packed = gzip.compress(open(sys.argv[1], "rb").read(), 1)
		open("Image.gz", "wb").write(packed)
		header = struct.pack("<4s4sII8x8s", b"MZ", b"zimg", 4096, len(packed), b"gzip").ljust(4096, b"\0")
		open("vmlinuz.efi", "wb").write(header + packed)
	END
	printf '#include <stdio.h>\nint main(void) { return puts("hello of arm64") < 0; }\n' >hello.c
	aarch64-linux-gnu-gcc -o hello hello.c
	modules=$(dirname "$image")/../lib/modules
	[ -d "$modules" ] || modules=$(dirname "$image")/../usr/lib/modules
	for form in Image.gz vmlinuz.efi tree; do
		run env LD_LIBRARY_PATH=/usr/aarch64-linux-gnu/lib timeout -k 20 600 "$PICKNEXT" vm -r 1 -k of="$form" \
			--guest modules="$(echo "$modules"/*)" --no-results -o "out-$form" -- ./hello
		echo "$form: $output"
		[ "$status" -eq 0 ]
		grep -q "hello of arm64" "out-$form"/of/raw/*.log
	done
	run -4 "$PICKNEXT" vm -r 1 -k "$image" -o other -- ./hello
	[[ $output == *"LD_LIBRARY_PATH"* ]]
}

@test "arm64: a panic is reported by its words" {
	need_arm64
	command -v aarch64-linux-gnu-gcc || skip "no compiler for arm64 (apt-get install gcc-aarch64-linux-gnu)"
	cd "$BATS_TEST_TMPDIR"
	printf '#include <fcntl.h>\n#include <unistd.h>\nint main(void) { return write(open("/proc/sysrq-trigger", O_WRONLY), "c", 1) != 1; }\n' >crash.c
	aarch64-linux-gnu-gcc -static -o crash crash.c
	run timeout -k 20 600 "$PICKNEXT" vm -r 1 -k "$(kernel 6.12-arm64)" --no-results -o out -- ./crash
	echo "$output"
	[ "$status" -eq 6 ]
	[[ $output == *"the guest's kernel panicked: Kernel panic - not syncing: sysrq triggered crash"* ]]
}
