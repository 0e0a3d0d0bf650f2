/* SPDX-License-Identifier: MIT
 *
 * The two programs that can boot a guest, and the command lines that make them boot the same one. */
#ifndef VM_ENGINE_ENGINE_H
#define VM_ENGINE_ENGINE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/error.h"

enum engine_kind { ENGINE_QEMU, ENGINE_VNG };
enum accelerator { ACCELERATOR_TCG, ACCELERATOR_KVM };
enum share_kind { SHARE_NONE, SHARE_9P, SHARE_VIRTIOFS };

struct engine {
	enum engine_kind kind;
	char qemu[PATH_MAX]; /* qemu-system-x86_64; vng needs it too */
	char qemu_version[64];
	unsigned int qemu_major;
	char vng[PATH_MAX]; /* ENGINE_VNG */
	char vng_version[64];
};

/* name is "vng", "qemu" or "auto"; qemu is --qemu or NULL for PATH. vng is looked for in PATH and in vng/vng beside
 * the binary, and started once to see that it works. STATUS_SYSTEM names the Debian package that is missing. */
enum status engine_find(const char *name, const char *qemu, struct engine *engine, struct error *err);
/* The same for a deterministic guest: plain QEMU of version ENGINE_DETERMINISTIC_MAJOR or later; where that of PATH is
 * older, the one that vm/fetch-qemu put into qemu/ beside the binary. */
enum status engine_find_deterministic(const char *qemu, struct engine *engine, struct error *err);
const char *engine_name(enum engine_kind kind);
const char *accelerator_name(enum accelerator accelerator);

/* One boot, as both engines need it. Paths of the kernel, the initramfs, the sockets and the share lie in directory,
 * so that no letter in them can be taken apart by QEMU's option parser or vng's shell. */
struct machine {
	const struct engine *engine;
	enum accelerator accelerator;
	const char *directory; /* of the guest: kernel, initrd, share, scratch and the sockets */
	unsigned int cpus;     /* workload CPUs; CPU number cpus is one more, isolated */
	bool no_isolated_cpu;  /* there is none: the tracer shares the workload's */
	uint64_t memory_mb;
	bool nohz_full, rcu_nocbs; /* the kernel has them */
	enum share_kind share;
	bool data_port;
	bool scratch_disk;  /* DIRECTORY/scratch as a virtio-blk disk */
	bool deterministic; /* QEMU counts instructions; neither virtio nor the share, the ports and the disk above */
	uint64_t seed;      /* of it */
	bool shell;
	unsigned int rows, columns; /* of the shell's terminal */
	const char *append;         /* further kernel arguments, or NULL */
};

#define MACHINE_KERNEL        "kernel"
#define MACHINE_INITRD        "initrd"
#define MACHINE_SHARE         "share"
#define MACHINE_SCRATCH       "scratch"
#define MACHINE_PID_FILE      "qemu.pid"
#define MACHINE_VIRTIOFSD     "virtiofsd"
#define MACHINE_SHARED_MEMORY "window"
#define MACHINE_LOCKSTEP      "lockstep.so"

#define MACHINE_SHARED_MEMORY_BYTES (4ull << 30) /* sparse; of vm/launch/shared_memory.h */
#define ENGINE_DETERMINISTIC_MAJOR  10           /* QEMU's version that runs several CPUs so */

unsigned int machine_all_cpus(const struct machine *machine);
/* The kernel's own arguments, one an item, without those that carry the guest protocol. */
void machine_kernel_arguments(const struct machine *machine, struct arguments *out);
/* The QEMU options that both engines get: CPU, accelerator, progress and data ports, disks. */
void machine_common_options(const struct machine *machine, struct arguments *out);
/* One virtio-serial port of controller bus, joined to the socket of channel. */
void machine_port(const struct machine *machine, const char *bus, int channel, struct arguments *out);
/* Sockets to listen on, as bits of enum channel. */
unsigned int machine_channels(const struct machine *machine);

/* The whole command line, and what is added to the environment. */
void engine_qemu_command(const struct machine *machine, struct arguments *command);
void engine_vng_command(const struct machine *machine, struct arguments *command, struct arguments *environment);
/* Makes what vng wants to find in directory: a home with a configuration that changes nothing. */
enum status engine_vng_prepare(const char *directory, struct error *err);

#endif
