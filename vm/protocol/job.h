/* SPDX-License-Identifier: MIT
 *
 * The job of a guest. The launcher writes it into a second cpio archive (vm/files/guest_archive.h), which is appended
 * to the base initramfs; the guest reads it from /job. It is never on the kernel's command line.
 *
 *   /modules/order   files of /modules in load order, one per line, each with its module's parameters
 *   /modules/NAME.ko
 *   /job/settings    KEY=VALUE, one per line: the members of struct job. /init reads it too.
 *   /job/words       the recipe's words that matter in the guest (runs/recipe.h), NUL-separated
 *   the files of vm/files/guest_files.h
 *   /job/complete    the last entry: missing if the guest's memory was too small for all files
 *
 * The kernel command line of both engines carries vng's guest protocol: virtme_initmountN=PATH mounts 9p tag
 * virtme.initmountN (else virtiofs of that tag) at PATH, virtme.exec=`BASE64` is run by sh with stdio on the
 * virtio-serial ports virtme.stdin, virtme.stdout, virtme.stderr (without such ports: /dev/null and the console), and
 * its status is written to port virtme.ret as a line. The job's command is JOB_COMMAND; shell=1 in /job/settings makes
 * /init start a shell on the console instead. The guest also needs the kernel arguments tsc=reliable panic=-1. */
#ifndef VM_PROTOCOL_JOB_H
#define VM_PROTOCOL_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

#define JOB_DIRECTORY "/job"
#define JOB_COMPLETE  "complete"
/* An absolute path, because a picknext of --add comes first in PATH. */
#define JOB_COMMAND       "/bin/picknext guest"
#define JOB_SHARE         "/tmp/share"        /* mount point of the share; vng accepts it */
#define JOB_PROGRESS_PORT "picknext.progress" /* lines of vm/protocol/guest_progress.h */
#define JOB_WORDS_MAX     1024

/* The scratch device /dev/nullb0: a timer completes requests after 100 us, so writers sleep as on a fast disk. It
 * stores no data, so it leaves memory for traces. The module gets these parameters from /modules/order; a built-in
 * driver has its own. */
#define JOB_NULL_BLOCK_PARAMETERS "queue_mode=2 irqmode=2 completion_nsec=100000 gb=16 bs=4096"

/* Exit status of JOB_COMMAND: picknext's own (0, 2 ... 6, 130) or one of these. */
enum {
	JOB_EXIT_FULL = 28,    /* the share or the guest's memory is full */
	JOB_EXIT_COMMAND = 29, /* the user's command failed: see the last problem line */
	JOB_EXIT_EJECTED = 30, /* the kernel ejected the scheduler: see the last problem line */
};

/* Shared memory: for deterministic guests, which have no virtio device, and for kernels without a shared directory.
 * Traces and progress lines leave through vm/protocol/shared_memory.h. */
enum job_transport { JOB_TRANSPORT_SHARE, JOB_TRANSPORT_SHARED_MEMORY };
const char *job_transport_name(enum job_transport transport);

struct job {
	enum job_transport transport;
	unsigned int first_run;  /* number of the first run; a deterministic guest's is its seed */
	bool fixed_work;         /* timed workloads do a fixed amount of work */
	const char *share;       /* transport share: the directory in the guest; NULL means JOB_SHARE */
	const char *accelerator; /* "tcg" or "kvm": recorded with each trace */
	const char *engine;      /* "vng" or "qemu": recorded */
	bool probe;              /* send hello on the progress port, then power off */
	bool shell;              /* an interactive shell on the console instead of a collection */
	const char *scheduler;   /* of sched_ext: "none", or as picknext collect takes it; or NULL */
	const char *topology;    /* that the kernel must show (vm/protocol/topology.h), or NULL */
	const char *identity;    /* deterministic: hash of everything but the seed, recorded with each trace; or NULL */
	/* Used by /init only, and by programs of the guest: directories added to PATH and to LD_LIBRARY_PATH, separated
	 * by ':', and the directory in which the job starts; or NULL. */
	const char *path, *library_path, *directory;
	bool isolated_by_affinity; /* the last CPU is the tracer's, although the kernel does not isolate it */
	const char *configuration; /* of the kernel, for /boot/config-RELEASE: not in the settings; or NULL */
	size_t configuration_length;
	const char *release;
	const char *const *words; /* "vm", "--workload=cpu_bound_4p", ...; NULL-terminated */
};

/* Appends the contents of /job/settings and /job/words. */
enum status job_format(const struct job *job, struct buffer *settings, struct buffer *words, struct error *err);

/* A job read by the guest. */
struct job_read {
	struct job job;
	struct buffer settings, words; /* job points into them */
	const char *word_list[JOB_WORDS_MAX + 1];
};
enum status job_read(const char *directory, struct job_read *read, struct error *err);
void job_read_free(struct job_read *read);

#endif
