/* SPDX-License-Identifier: MIT */
#include "vm/kernel/architecture.h"

#include <elf.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

const struct architecture architectures[] = {
    {
	.name = "x86-64",
	.uname = "x86_64",
	.debian = "amd64",
	.libraries = "x86_64-linux-gnu",
	.initramfs = "initramfs-x86_64.cpio.gz",
	.elf_machine = EM_X86_64,
	.images = {"arch/x86/boot/bzImage", "arch/x86_64/boot/bzImage"},
	.boots_elf = true,
	.qemu = "qemu-system-x86_64",
	.qemu_package = "qemu-system-x86",
	.fetched_qemu = "qemu/qemu-system-x86_64",
	/* No guest uses these devices. Firmware waits for each SATA port (1 s of CPU time), kernels calibrate the HPET
	 * (0.5 s). */
	.machine = "q35,sata=off,hpet=off",
	/* With migratable=on the guest has no invariant TSC and uses kvm-clock instead. With steal time the kernel
	 * treats some idle CPUs as busy when it selects a CPU for a woken task.
	 * QEMU 7.2 emulates cmpxchg16b incorrectly at times, which crashes a 6.12 kernel.
	 * On an AMD host the guest sees shared caches only with topoext. qemu64 shows them only as an Intel CPU. */
	.processors = {[PROCESSOR_KVM] = {"host,migratable=off,kvm-steal-time=off", ",topoext=on"},
		       [PROCESSOR_TCG_OLD] = {"qemu64,-cx16", ",vendor=GenuineIntel"},
		       [PROCESSOR_TCG] = {"qemu64", ",vendor=GenuineIntel"},
		       [PROCESSOR_DETERMINISTIC] = {"qemu64,+rdrand,+rdseed", ",vendor=GenuineIntel"}},
	.firmware = {"seabios/bios-256k.bin", "qemu/bios-256k.bin", "qemu/pvh.bin", "qemu/linuxboot_dma.bin"},
	.has_topology = true,
	.has_vng = true,
	.lacks_cmpxchg16b = true,
	.console = "ttyS0",
	/* Otherwise the kernel marks the TSC of a TCG guest, and so the trace clock, as unstable. Its timer check
	 * panics if a busy host does not run the guest for some ticks, and costs a deterministic guest 0.7 s of CPU
	 * time. */
	.arguments = " tsc=reliable no_timer_check",
	.deterministic_arguments = "",
    },
    {
	.name = "arm64",
	.uname = "aarch64",
	.debian = "arm64",
	.libraries = "aarch64-linux-gnu",
	.initramfs = "initramfs-arm64.cpio.gz",
	.elf_machine = EM_AARCH64,
	.images = {"arch/arm64/boot/Image", "arch/arm64/boot/Image.gz", "arch/arm64/boot/vmlinuz.efi"},
	.qemu = "qemu-system-aarch64",
	.qemu_package = "qemu-system-arm",
	.fetched_qemu = "qemu-arm64/qemu-system-aarch64",
	.machine = "virt,gic-version=3",
	.has_device_tree = true,
	/* It has pages of 4, 16 and 64 KiB. A timer of 1 GHz counts nanoseconds. */
	.processors = {[PROCESSOR_KVM] = {"host", ""},
		       [PROCESSOR_TCG_OLD] = {"neoverse-n1,cntfrq=1000000000", ""},
		       [PROCESSOR_TCG] = {"neoverse-n1,cntfrq=1000000000", ""},
		       [PROCESSOR_DETERMINISTIC] = {"neoverse-n1,cntfrq=1000000000", ""}},
	.console = "ttyAMA0",
	.arguments = "",
	.deterministic_arguments = " kpti=off",
    },
};

const unsigned int architecture_count = sizeof(architectures) / sizeof(architectures[0]);

const struct architecture *architecture_of_elf(unsigned int machine)
{
	for (unsigned int i = 0; i < architecture_count; i++)
		if (architectures[i].elf_machine == machine)
			return &architectures[i];
	return NULL;
}

bool kernel_tree_above(const char *image, char *tree)
{
	const size_t length = strlen(image);

	for (unsigned int i = 0; i < architecture_count; i++)
		for (const char *const *name = architectures[i].images; *name; name++) {
			const size_t end = strlen(*name);
			if (length <= end || length - end > PATH_MAX || image[length - end - 1] != '/' ||
			    strcmp(image + length - end, *name) != 0)
				continue;
			memcpy(tree, image, length - end - 1);
			tree[length - end - 1] = '\0';
			return true;
		}
	return false;
}

bool architecture_is_host(const struct architecture *architecture)
{
	struct utsname host;

	return uname(&host) == 0 && strcmp(host.machine, architecture->uname) == 0;
}
