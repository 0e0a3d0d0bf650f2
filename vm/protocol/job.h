/* SPDX-License-Identifier: MIT
 *
 * The job that a guest does: written by the launcher into a second cpio archive, which is appended to the base
 * initramfs, and read in the guest from /job. It never travels on the kernel's command line.
 *
 *   /modules/order   files of /modules in load order, one a line, each with its module's parameters
 *   /modules/NAME.ko
 *   /job/settings    KEY=VALUE, one a line: what follows in struct job. /init reads it too.
 *   /job/arguments   the collection's arguments, NUL-separated
 *   what vm/files/guest_files.h says
 *   /job/complete    the last entry: it is not there where the guest's memory did not hold all
 *
 * The kernel command line of both engines carries vng's guest protocol: virtme_initmountN=PATH mounts 9p tag
 * virtme.initmountN (else virtiofs of that tag) at PATH, virtme.exec=`BASE64` is run by sh with stdio on the
 * virtio-serial ports virtme.stdin, virtme.stdout, virtme.stderr (where there is none: on nothing, and the console),
 * and its status is written to port virtme.ret as a line. The job's command is JOB_COMMAND, and "/job/settings" with
 * shell=1 makes /init give a shell on the console instead. Further kernel arguments that the guest counts on:
 * tsc=reliable panic=-1. */
#ifndef VM_PROTOCOL_JOB_H
#define VM_PROTOCOL_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/files/guest_files.h"
#include "vm/kernel/modules.h"

#define JOB_DIRECTORY      "/job"
#define JOB_COMPLETE       "complete"
#define JOB_COMMAND        "picknext guest"
#define JOB_SHARE          "/tmp/share"        /* where the share is mounted; vng only takes some places, this is one */
#define JOB_PROGRESS_PORT  "picknext.progress" /* lines of vm/protocol/guest_progress.h */
#define JOB_DATA_PORT      "picknext.data"     /* frames of vm/launch/transfer.h; transport port only */
#define JOB_ARGUMENTS_MOST 1024

#define JOB_PROGRESS_IO_PORT 0xe9

/* The scratch device /dev/nullb0: requests complete by a timer after 100 us, so that writers sleep as they would on a
 * fast disk. It keeps nothing: its memory would be missing for traces, and nobody reads back. /modules/order carries
 * these for the module; the kernel command line may carry them for a kernel that has it built in. */
#define JOB_NULL_BLOCK_PARAMETERS "queue_mode=2 irqmode=2 completion_nsec=100000 gb=16 bs=4096"
#define JOB_NULL_BLOCK_KERNEL_ARGUMENTS                                                                                \
	"null_blk.queue_mode=2 null_blk.irqmode=2 null_blk.completion_nsec=100000 null_blk.gb=16 null_blk.bs=4096"

/* Exit status of JOB_COMMAND, which is picknext's own (0, 2 ... 6, 130) or: */
enum {
	JOB_EXIT_FULL = 28,    /* no room left in the share, or in the guest's memory */
	JOB_EXIT_COMMAND = 29, /* the user's command failed: the last problem says how */
};

/* window: a deterministic guest, which has no virtio device: traces leave through vm/launch/shared_memory.h, progress
 * lines through JOB_PROGRESS_IO_PORT (isa-debugcon, one byte a write, which the CPU waits for), also the hello. */
enum job_transport { JOB_TRANSPORT_SHARE, JOB_TRANSPORT_PORT, JOB_TRANSPORT_WINDOW };
const char *job_transport_name(enum job_transport transport);

struct job {
	enum job_transport transport;
	unsigned int first_run;  /* number of the first run; a deterministic guest's is its seed */
	bool fixed_work;         /* timed workloads do a fixed amount of work */
	const char *share;       /* transport share: the directory in the guest; NULL means JOB_SHARE */
	const char *accelerator; /* "tcg" or "kvm": recorded with each trace */
	const char *engine;      /* "vng" or "qemu": recorded */
	bool probe;              /* say hello on the progress port, then power off */
	bool shell;              /* an interactive shell on the console instead of a collection */
	bool untraced;           /* the command is run, and nothing recorded */
	/* To go into the guest, or NULL; its settings are for /init alone: path (what PATH gets in front), library_path
	 * (LD_LIBRARY_PATH), directory (where the job starts). */
	const struct additions *additions;
	/* options of `picknext collect` without -o, NULL-terminated: "-w", "cpu_bound_4p", "--runs", "1" */
	const char *const *arguments;
};

/* Adds the archive to out, which is to be written after the base archive (whose length must be a multiple of 4:
 * `picknext initramfs` sees to that). modules may be NULL. */
enum status job_write(const struct job *job, const struct module_set *modules, struct buffer *out, struct error *err);

/* What the guest reads. */
struct job_read {
	struct job job;
	struct buffer settings, arguments; /* texts that job points into */
	const char *argument_list[JOB_ARGUMENTS_MOST + 1];
};
enum status job_read(const char *directory, struct job_read *read, struct error *err);
void job_read_free(struct job_read *read);

#endif
