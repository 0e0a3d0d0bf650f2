/* SPDX-License-Identifier: MIT
 *
 * The two programs that can boot a guest, and the command lines that make both boot the same guest. */
#ifndef VM_ENGINE_EMULATOR_H
#define VM_ENGINE_EMULATOR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/buffer.h"
#include "base/error.h"
#include "vm/kernel/architecture.h"
#include "vm/protocol/topology.h"

enum emulator_kind { ENGINE_QEMU, ENGINE_VNG };
enum accelerator { ACCELERATOR_TCG, ACCELERATOR_KVM };
enum share_kind { SHARE_NONE, SHARE_9P, SHARE_VIRTIOFS };

struct emulator {
	enum emulator_kind kind;
	const struct architecture *architecture;
	char qemu[PATH_MAX]; /* qemu-system-x86_64; vng needs it too */
	char qemu_version[64];
	unsigned int qemu_major;
	char vng[PATH_MAX]; /* ENGINE_VNG */
	char vng_version[64];
};

/* Finds what boots guests of an architecture. name is "vng", "qemu" or "auto"; qemu is a program, or NULL for that of
 * PATH, else the one that picknext fetch qemu got. vng is searched in PATH, as vng/vng beside the binary, and in the
 * cache of picknext fetch, and started once as a check. STATUS_SYSTEM names the Debian package that is missing,
 * STATUS_UNSUPPORTED vng if it boots no such guests.
 */
enum status emulator_find(const struct architecture *architecture, const char *name, const char *qemu,
			  struct emulator *engine, struct error *err);
/* The same for a deterministic guest: plain QEMU of version ENGINE_DETERMINISTIC_MAJOR or later. If the QEMU of PATH is
 * older, uses qemu/ beside the binary, else the one that picknext fetch qemu got. */
enum status emulator_find_deterministic(const struct architecture *architecture, const char *qemu,
					struct emulator *engine, struct error *err);
const char *emulator_name(enum emulator_kind kind);
const char *accelerator_name(enum accelerator accelerator);

/* The description of one boot for both engines. Paths of kernel, initramfs, sockets and share are within directory,
 * whose name has no character that QEMU's option parser or vng's shell interprets. */
struct machine {
	const struct emulator *engine;
	enum accelerator accelerator;
	const char *directory; /* private to the guest: kernel, initrd, share, scratch and sockets */
	unsigned int cpus;     /* workload CPUs; one more CPU, number cpus, is isolated */
	struct topology topology;
	bool no_isolated_cpu; /* no isolated CPU: the tracer shares the workload CPUs */
	bool keeps_domain;    /* the isolated CPU stays in the scheduler's domains: /init keeps tasks from it */
	uint64_t memory_mb;
	bool nohz_full, rcu_nocbs; /* supported by the kernel */
	enum share_kind share;
	bool shared_memory;         /* instead of a share and of virtio-serial ports; always if deterministic */
	bool scratch_disk;          /* DIRECTORY/scratch as a virtio-blk disk */
	bool deterministic;         /* QEMU counts instructions; no virtio, so no share, ports or disk */
	uint64_t seed;              /* deterministic */
	unsigned int code_cache_mb; /* deterministic: size of QEMU's cache of translated code; 0: QEMU's default */
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
#define MACHINE_SHARED_MEMORY "shared-memory"
#define MACHINE_LOCKSTEP      "lockstep.so"
#define MACHINE_DEVICE_TREE   "device-tree" /* vm/engine/cpu_kinds.h; if the topology has kinds */

/* Size of QEMU's cache of translated code. A full cache is flushed, which ends the turn of a CPU. QEMU's default
 * depends on the host's memory; it is this size on hosts of 8 GB or more. */
#define MACHINE_CODE_CACHE_MB       1024
#define MACHINE_SHARED_MEMORY_BYTES (4ull << 30) /* sparse; for vm/launch/shared_memory_receive.h */
#define ENGINE_DETERMINISTIC_MAJOR  10           /* first QEMU version that runs several CPUs deterministically */

/* True if vCPUs have to wait for each other: under KVM each has a thread, and the host has fewer CPUs. */
bool machine_exceeds(const struct machine *machine, unsigned int host_cpus);
unsigned int machine_all_cpus(const struct machine *machine);
/* The value of QEMU's -smp, which vng passes on. */
void machine_processors(const struct machine *machine, struct buffer *out);
/* The kernel's command line without the arguments of the guest protocol. */
void machine_kernel_line(const struct machine *machine, struct buffer *out);
/* QEMU options that its device tree depends on: CPU, accelerator, seed. */
void machine_tree_options(const struct machine *machine, struct arguments *out);
/* QEMU options of both engines: CPU, accelerator, progress, transport of the traces, disks. */
void machine_common_options(const struct machine *machine, struct arguments *out);
/* One virtio-serial port of controller bus, connected to the socket of channel. */
void machine_port(const struct machine *machine, const char *bus, int channel, struct arguments *out);
/* True if QEMU writes the console to a file. QEMU's serial port drops bytes that a full socket does not take, which
 * even a deterministic guest could observe. A shell needs a socket, because QEMU also reads from it. */
bool machine_console_is_file(const struct machine *machine);
/* Sockets to listen on: a bit (1 << channel) for each. */
unsigned int machine_channels(const struct machine *machine);

/* The complete command line, and additions to the environment. */
void emulator_qemu_command(const struct machine *machine, struct arguments *command);
/* A command that only writes the device tree of the machine to a file. */
void emulator_qemu_tree_command(const struct machine *machine, const char *path, struct arguments *command);
void emulator_vng_command(const struct machine *machine, struct arguments *command, struct arguments *environment);
/* Creates in directory a home for vng with an empty configuration, an empty root file system for its guest, and, if the
 * host has no strings(1), a replacement that prints the kernel's release. */
enum status emulator_vng_prepare(const char *directory, const char *release, struct error *err);

#endif
