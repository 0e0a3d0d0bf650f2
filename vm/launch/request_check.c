/* SPDX-License-Identifier: MIT */
#include "vm/launch/request_check.h"

#include <string.h>
#include <sys/sysinfo.h>

#include "vm/files/guest_file_request.h"

enum status request_check_deterministic(const struct vm_request *request, struct error *err)
{
	if (request->shell) {
		error_set(err, STATUS_USAGE, "--shell", "an interactive guest is not deterministic");
		return error_remedy(err, "omit --shell or --deterministic");
	}
	if (strcmp(request->accelerator, "kvm") == 0)
		return error_set(err, STATUS_USAGE, "--accelerator",
				 "KVM cannot count instructions: --deterministic needs tcg");
	if (strcmp(request->engine, "vng") == 0)
		return error_set(err, STATUS_USAGE, "--engine", "--deterministic needs plain QEMU");
	if (request->cpus > DETERMINISTIC_CPUS_MAX)
		return error_set(err, STATUS_USAGE, "--cpus", "--deterministic allows at most %d workload CPUs",
				 DETERMINISTIC_CPUS_MAX);
	return STATUS_OK;
}

enum status request_check_append(const struct vm_request *request, struct error *err)
{
	if (request->append && strpbrk(request->append, "\"'`$\\;&|<>()\n"))
		return error_set(err, STATUS_USAGE, NULL,
				 "--append must not contain quotes or special characters of the shell");
	return STATUS_OK;
}

/* QEMU would end at once, or later, when the guest uses it. */
static enum status check_host_memory(const struct vm_request *request, struct error *err)
{
	struct sysinfo host;

	if (request->dry_run || sysinfo(&host) < 0)
		return STATUS_OK;
	uint64_t host_mb = ((uint64_t)host.totalram + host.totalswap) * host.mem_unit >> 20;
	if (request->memory_mb <= host_mb)
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, "--memory", "%llu MB for a guest, but this machine has %llu MB",
		  (unsigned long long)request->memory_mb, (unsigned long long)host_mb);
	return error_remedy(err, "give it less; 1024 MB are enough for the workloads of picknext");
}

enum status request_check_memory(const struct vm_request *request, uint64_t buffer_size_kb, struct error *err)
{
	bool records = !request->shell && !request->untraced;
	uint64_t buffers_mb = records ? buffer_size_kb * ((uint64_t)request->cpus + 1) / 1024 : 0;
	uint64_t files_bytes = request->guest_files ? request->guest_files->bytes : 0;
	uint64_t added_mb = (files_bytes + (1 << 20) - 1) >> 20;
	uint64_t needed_mb = buffers_mb * 2 + added_mb + 128;

	/* The kernel unpacks them into a file system of half the memory that they leave. */
	if (needed_mb < added_mb * 3 + 128)
		needed_mb = added_mb * 3 + 128;

	if (needed_mb <= request->memory_mb || (files_bytes == 0 && !records))
		return check_host_memory(request, err);
	if (added_mb > buffers_mb) {
		error_set(err, STATUS_USAGE, "--add", "%llu MB of files do not fit into %llu MB of memory",
			  (unsigned long long)added_mb, (unsigned long long)request->memory_mb);
		return error_remedy(err, "give the guest more: --memory %llu", (unsigned long long)needed_mb);
	}
	error_set(err, STATUS_USAGE, "--buffer-size", "%llu KB on each of %llu CPUs do not fit into %llu MB of memory",
		  (unsigned long long)buffer_size_kb, (unsigned long long)request->cpus + 1,
		  (unsigned long long)request->memory_mb);
	return error_remedy(err, "give the guest more: --memory %llu", (unsigned long long)needed_mb);
}
