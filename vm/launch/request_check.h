/* SPDX-License-Identifier: MIT
 *
 * The rules of a request that need no files: they are checked before any boot. Errors name the option of picknext vm.
 */
#ifndef VM_LAUNCH_REQUEST_CHECK_H
#define VM_LAUNCH_REQUEST_CHECK_H

#include "vm/launch/vm.h"

#define DETERMINISTIC_CPUS_MAX 4 /* workload CPUs */

/* What a deterministic guest cannot have. */
enum status request_check_deterministic(const struct vm_request *request, struct error *err);
/* The kernel arguments: an engine passes them through a shell. */
enum status request_check_append(const struct vm_request *request, struct error *err);
/* Whether the guest's memory can hold its files and the trace buffers. buffer_size_kb: of each CPU. */
enum status request_check_memory(const struct vm_request *request, uint64_t buffer_size_kb, struct error *err);

#endif
