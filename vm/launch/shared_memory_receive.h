/* SPDX-License-Identifier: MIT
 *
 * The host's end of the memory of vm/protocol/shared_memory.h: a file. */
#ifndef VM_LAUNCH_SHARED_MEMORY_RECEIVE_H
#define VM_LAUNCH_SHARED_MEMORY_RECEIVE_H

#include <stdint.h>

#include "base/error.h"
#include "vm/launch/receive.h"

/* Creates a sparse file. */
enum status shared_memory_create(const char *path, uint64_t size, struct error *err);
/* Passes the frames that a guest wrote to receiver; call it after the guest's end. Errors are the host's own. */
enum status shared_memory_receive(const char *path, struct transfer_receiver *receiver, struct error *err);

#endif
