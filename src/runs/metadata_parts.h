/* SPDX-License-Identifier: MIT
 *
 * What the JSON beside every trace tells alike: buffers, CPUs, machine. */
#ifndef RUNS_METADATA_PARTS_H
#define RUNS_METADATA_PARTS_H

#include <sys/types.h>

#include "base/error.h"
#include "base/json.h"
#include "capture/cpus.h"
#include "capture/machine.h"
#include "capture/session.h"

/* collected_at, hostname, kernel, num_cpus: the last of the original tool's keys. */
void metadata_add_origin(struct json_writer *json, const struct cpu_layout *cpus);
/* "command": its arguments; none of NULL. */
void metadata_add_command(struct json_writer *json, char *const *command);
/* Whether process ids here are those of the trace: not so in a PID namespace of a container's. */
bool metadata_has_kernels_pids(void);
/* "command_pid": that of its first task as the trace has it; null where there is none (0), or in a PID namespace whose
 * numbers are not the trace's. */
void metadata_add_command_pid(struct json_writer *json, pid_t pid);
/* "buffers": the kernel's counters, of a session that is stopped. */
void metadata_add_buffers(struct json_writer *json, const struct capture_session *session);
void metadata_add_cpus(struct json_writer *json, const struct cpu_layout *cpus);
/* From the kernel's version to its tunables. */
void metadata_add_machine(struct json_writer *json, const struct machine *machine);
void metadata_add_version(struct json_writer *json);
/* Replaces path by the text; frees it. */
enum status metadata_write_file(struct buffer *text, const char *path, struct error *err);

#endif
