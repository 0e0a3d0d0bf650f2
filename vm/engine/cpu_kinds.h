/* SPDX-License-Identifier: MIT
 *
 * CPUs of different capacities (big.LITTLE) for a guest that a device tree describes: capacities, operating points and
 * the coefficients of an energy model, which make the kernel's scheduling domains asymmetric and let it start
 * energy-aware scheduling (EAS).
 *
 * The tree is QEMU's own, dumped for the same machine options and seed, with additions. A tree written from nothing
 * would have to repeat QEMU's memory map, interrupts and PCI windows, which change between its versions. The dump also
 * has rng-seed and kaslr-seed, which QEMU derives from its -seed: so they are those of the run. */
#ifndef VM_ENGINE_CPU_KINDS_H
#define VM_ENGINE_CPU_KINDS_H

#include "base/buffer.h"
#include "base/error.h"

struct machine;

/* As QEMU describes the CPUs: the first ones are little, then the big ones. The tracer's CPU, the last one, is big, and
 * in a frequency domain of its own. */
struct cpu_kinds {
	unsigned int little, big;
	bool has_tracer;
};

/* Capacities relative to each other; the kernel makes the largest one 1024. */
#define CPU_KIND_LITTLE_CAPACITY 512u
#define CPU_KIND_BIG_CAPACITY    1024u

/* Appends the tree with the kinds added to out. STATUS_CORRUPT or STATUS_UNSUPPORTED names where: it is no device tree,
 * or has other CPUs. Pure. */
enum status cpu_kinds_add(const void *tree, size_t length, const struct cpu_kinds *kinds, const char *where,
			  struct buffer *out, struct error *err);
/* Appends the tree of this machine, whose topology has kinds, to out. QEMU writes a file in directory. */
enum status cpu_kinds_tree(const struct machine *machine, const char *directory, struct buffer *out, struct error *err);

#endif
