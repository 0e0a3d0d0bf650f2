/* SPDX-License-Identifier: MIT
 *
 * Limits how the programs that serve files to a guest (QEMU, vng, virtiofsd) can change the host's files. */
#ifndef VM_ENGINE_CONFINE_H
#define VM_ENGINE_CONFINE_H

/* Restricts this process and its children, for good: files that they create are private to their owner (umask 077),
 * and the kernel refuses mode bits set-uid and set-gid, device nodes, other owners and extended attributes (thus file
 * capabilities and ACLs). set-uid programs get no privileges. Descriptors above 2 are closed at the next execve().
 * Without seccomp filters in the host's kernel, only the umask and the descriptors are restricted. */
void confine_process(void);

#endif
