/* SPDX-License-Identifier: MIT */
#include "vm/files/initramfs.h"

#include "base/interrupt.h"
#include "base/message.h"
#include "base/output_file.h"
#include "cmd/commands.h"

static const struct option options[] = {
    OPTION(struct initramfs_request, manifest, "manifest", .argument = "FILE",
	   .help = "list of its entries, one per line", .fallback = "initramfs/manifest"),
    OPTION(struct initramfs_request, busybox, "busybox", .argument = "FILE",
	   .help = "a statically linked BusyBox (Debian: busybox-static)", .fallback = "/bin/busybox"),
    OPTION(struct initramfs_request, guest, "guest", .argument = "FILE",
	   .help = "a statically linked picknext-guest (default: beside picknext)"),
    OPTION(struct initramfs_request, output, "output", .letter = 'o', .argument = "FILE",
	   .help = "the archive; - is standard output", .fallback = "initramfs.cpio.gz"),
    {0},
};

static int run_initramfs(const struct call *call)
{
	struct initramfs_request *given = call->values;
	struct error err = {0};

	interrupt_catch();
	return output_check(given->output, &err) == STATUS_OK && initramfs_make(given, &err) == STATUS_OK
		   ? 0
		   : message_error(&err);
}

const struct command command_initramfs = {
    .name = "initramfs",
    .summary = "make the initramfs of the virtual machines",
    .operands = "",
    .details = "Packs BusyBox, picknext-guest and /init into a cpio archive and compresses it with gzip. Both\n"
	       "programs may be for another architecture than this machine's. Needs no root: device nodes are\n"
	       "entries of the archive. The same input gives the same bytes.",
    .examples = "  picknext initramfs --busybox /bin/busybox -o FILE   # what make does",
    .options = options,
    .values_size = sizeof(struct initramfs_request),
    .run = run_initramfs,
};
