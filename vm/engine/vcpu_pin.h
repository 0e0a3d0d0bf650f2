/* SPDX-License-Identifier: MIT
 *
 * Host CPUs for the CPUs of a guest on KVM: each of its cores has a core of the host. QEMU has a thread for each CPU
 * of such a guest (vm/engine/host_wait.h). */
#ifndef VM_ENGINE_VCPU_PIN_H
#define VM_ENGINE_VCPU_PIN_H

#include <sched.h>

#include "base/cpu_topology.h"
#include "base/error.h"

#define VCPUS_MAX 65

/* Starts zeroed. */
struct vcpu_pin {
	unsigned int count; /* CPUs of the guest; 0: none is bound */
	unsigned int cpus[VCPUS_MAX];
	cpu_set_t siblings; /* other hardware threads of these cores: what runs there shows in the guest */
};

/* Takes the first cores of the host with threads CPUs that picknext may use: as many as the guest has for count CPUs.
 * STATUS_SYSTEM if there are fewer. */
enum status vcpu_pin_choose(const struct cpu_topology *host, const cpu_set_t *allowed, unsigned int count,
			    unsigned int threads, struct vcpu_pin *pin, struct error *err);
/* The same for this machine. */
enum status vcpu_pin_choose_here(unsigned int count, unsigned int threads, struct vcpu_pin *pin, struct error *err);
/* Binds the threads in a directory /proc/PID/task. STATUS_SYSTEM if one is missing. */
enum status vcpu_pin_bind(const struct vcpu_pin *pin, const char *directory, struct error *err);
/* "0,2,4": in the order of the guest's CPUs. */
void vcpu_pin_text(const struct vcpu_pin *pin, char *text, size_t size);

#endif
