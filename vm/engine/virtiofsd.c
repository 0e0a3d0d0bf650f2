/* SPDX-License-Identifier: MIT */
#include "vm/engine/virtiofsd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/program_path.h"
#include "vm/engine/emulator.h"

#define START_MS 5000
/* A daemon of root must not set owners or file capabilities, or make device nodes. */
#define DROPPED_CAPABILITIES "-chown:-fsetid:-mknod:-setfcap:-setgid:-setuid"

bool virtiofsd_find(char *path, size_t size, bool *old)
{
	static const char *const places[] = {"/usr/libexec/virtiofsd", "/usr/lib/virtiofsd"};

	*old = false;
	if (program_find("virtiofsd", path, size))
		return true;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (program_find(places[i], path, size))
			return true;
	*old = true;
	return geteuid() == 0 && program_find("/usr/lib/qemu/virtiofsd", path, size);
}

static enum status wait_for_socket(struct emulator_process *process, const char *socket, struct error *err)
{
	for (int waited_ms = 0; waited_ms < START_MS && !emulator_process_ended(process); waited_ms += 20) {
		if (access(socket, F_OK) == 0)
			return STATUS_OK;
		enum status status = interrupt_sleep(20, err);
		if (status != STATUS_OK)
			return status;
	}
	char said[256];
	ssize_t got = read(process->output, said, sizeof(said) - 1);
	said[got > 0 ? got : 0] = '\0';
	error_set(err, STATUS_SYSTEM, "virtiofsd", "does not start: %s", said);
	return err->status;
}

enum status virtiofsd_start(struct emulator_process *process, const char *directory, struct error *err)
{
	char path[PATH_MAX], share[PATH_MAX], socket[PATH_MAX], real[PATH_MAX];
	struct arguments command = {0};
	bool old;

	if (!virtiofsd_find(path, sizeof(path), &old)) {
		error_set(err, STATUS_SYSTEM, "virtiofsd", "is not installed");
		return error_remedy(err, "as root: apt-get install virtiofsd");
	}
	snprintf(share, sizeof(share), "%s/" MACHINE_SHARE, directory);
	if (!realpath(share, real))
		return error_system(err, errno, share, "cannot find the shared directory");
	snprintf(socket, sizeof(socket), "%s/" MACHINE_VIRTIOFSD, directory);
	arguments_add(&command, "%s", path);
	arguments_add(&command, "--socket-path=%s", socket);
	if (old) {
		arguments_option(&command, "-o", "source=%s", real);
		arguments_option(&command, "-o", "modcaps=" DROPPED_CAPABILITIES);
		arguments_add(&command, "-f");
	} else {
		arguments_add(&command, "--shared-dir=%s", real);
		arguments_add(&command, "--modcaps=" DROPPED_CAPABILITIES);
		arguments_add(&command, "--sandbox=none");
	}
	const struct emulator_start start = {.arguments = &command, .working_directory = directory};
	enum status status = emulator_process_start(process, &start, err);
	if (status == STATUS_OK)
		status = wait_for_socket(process, socket, err);
	arguments_free(&command);
	return status;
}
