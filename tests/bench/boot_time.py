# SPDX-License-Identifier: MIT
"""From the start of the kernel to the first event, against a bare boot of the same kernel whose /init does nothing."""
import re
import statistics
import subprocess

from bench_support import NotHere, PICKNEXT, TOOLS, kernel_image

MACHINE = ["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-M", "q35", "-smp", "3", "-m", "1024M",
           "-accel", "tcg,thread=single", "-cpu", "qemu64,-cx16", "-serial", "stdio"]
KERNEL_LINE = "console=ttyS0 loglevel=7 panic=-1 tsc=reliable"


def bare_archive(bench):
    manifest = bench.scratch / "bare.manifest"
    archive = bench.scratch / "bare.cpio.gz"
    (bench.scratch / "bare_init").write_bytes((TOOLS / "bare_init").read_bytes())
    manifest.write_text("directory dev 0755\ndevice dev/console 0600 5 1\nfile init 0755 bare_init\n")
    done = subprocess.run([PICKNEXT, "initramfs", "-q", "--manifest", manifest, "-o", archive], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise NotHere(done.stderr.strip())
    return archive


def bare_boot(image, archive):
    done = subprocess.run(["qemu-system-x86_64"] + MACHINE + ["-kernel", image, "-initrd", archive, "-append",
                                                               KERNEL_LINE + " quiet"],
                          capture_output=True, text=True, check=False, timeout=300, stdin=subprocess.DEVNULL)
    found = re.search(r"bare init after ([\d.]+) s", done.stdout)
    if not found:
        raise NotHere("the bare guest did not reach its /init")
    return float(found[1])


def our_boot(bench, image, number):
    out = bench.scratch / f"boot{number}"
    done = subprocess.run([PICKNEXT, "vm", "-q", "--engine", "qemu", "--accelerator", "tcg", "-k", image, "-o", out, "-w",
                           "cpu_bound_4p", "--runs", "1", "--duration", "0.1"], capture_output=True, text=True, check=False)
    traces = sorted(out.glob("*/raw/*.dat"))
    if not traces:
        raise NotHere("the guest left no trace: " + " ".join(done.stderr.strip().splitlines()[-1:]))
    text = subprocess.run([PICKNEXT, "export", "-q", "--format", "text", "--ns", "-o", "-", traces[0]],
                          capture_output=True, check=True).stdout.decode(errors="replace")
    return float(re.search(r"^[^#].*? (\d+\.\d{9}): ", text, re.M)[1])


def run(bench):
    """boot"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    for line in "6.1", "6.12":
        bench.attempt(one_kernel, line)


def one_kernel(bench, line):
    """boot of a kernel"""
    image = kernel_image(line)
    archive = bare_archive(bench)
    bare, ours = [], []
    for number in range(3):
        bare.append(bare_boot(image, archive))
        ours.append(our_boot(bench, image, f"{line}-{number}"))
    bench.add(f"kernel start to first event, {line} in the VM (TCG)", f"{statistics.median(ours):.2f} s",
              f"bare boot to an empty /init: {statistics.median(bare):.2f} s",
              statistics.median(bare) / statistics.median(ours), samples=ours, bare_s=bare, ours_s=ours)
