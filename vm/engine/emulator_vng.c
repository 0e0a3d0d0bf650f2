/* SPDX-License-Identifier: MIT
 *
 * virtme-ng with picknext's initramfs. vng has no option for an initramfs, but QEMU uses the last -initrd, and vng
 * appends the options that it passes on unchanged. vng builds a shell line from its arguments with little quoting, so
 * no argument here has characters that a shell interprets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/program_path.h"
#include "vm/engine/channels.h"
#include "vm/engine/emulator.h"
#include "vm/protocol/job.h"

#define ROOT "root" /* an empty directory */
#define BIN  "bin"  /* before PATH if the host has no strings(1), by which vng reads the release of a kernel */

static bool host_has_strings(void)
{
	char path[PATH_MAX];

	return program_find("strings", path, sizeof(path));
}

static enum status write_strings(const char *directory, const char *release, struct error *err)
{
	static const char program[] = "#!/bin/sh\nexec cat \"${0%/*}/release\"\n";
	char path[PATH_MAX], text[128];

	snprintf(path, sizeof(path), "%s/" BIN, directory);
	enum status status = file_make_directories(path, err);
	snprintf(path, sizeof(path), "%s/" BIN "/release", directory);
	const int length = snprintf(text, sizeof(text), "Linux version %.100s \n", release);
	if (status == STATUS_OK)
		status = file_replace(path, text, (size_t)length, err);
	snprintf(path, sizeof(path), "%s/" BIN "/strings", directory);
	if (status == STATUS_OK)
		status = file_replace(path, program, sizeof(program) - 1, err);
	if (status == STATUS_OK && chmod(path, 0700) < 0)
		status = error_system(err, errno, path, "cannot make it a program");
	return status;
}

enum status emulator_vng_prepare(const char *directory, const char *release, struct error *err)
{
	char path[PATH_MAX];

	/* With this configuration vng ignores /etc/virtme-ng.conf and the user's. */
	snprintf(path, sizeof(path), "%s/home/.config/virtme-ng", directory);
	enum status status = file_make_directories(path, err);
	if (status != STATUS_OK)
		return status;
	snprintf(path, sizeof(path), "%s/home/.config/virtme-ng/virtme-ng.conf", directory);
	status = file_replace(path, "{}\n", 3, err);
	if (status != STATUS_OK)
		return status;
	snprintf(path, sizeof(path), "%s/" ROOT, directory);
	status = file_make_directories(path, err);
	return status == STATUS_OK && !host_has_strings() ? write_strings(directory, release, err) : status;
}

/* vng sends the serial port to /dev/null. A later QEMU option redefines its character device. A second port would not
 * help, because Linux has only one serial console. */
static void add_qemu_options(const struct machine *machine, struct arguments *command)
{
	struct arguments options = {0};
	struct buffer line = {0};

	arguments_option(&options, "-initrd", "%s/" MACHINE_INITRD, machine->directory);
	arguments_option(&options, "-set", "chardev.console.backend=%s",
			 machine_console_is_file(machine) ? "file" : "socket");
	arguments_option(&options, "-set", "chardev.console.path=%s/%s", machine->directory,
			 channel_file(CHANNEL_CONSOLE));
	machine_common_options(machine, &options);
	for (size_t i = 0; i < options.count; i++)
		buffer_printf(&line, "%s%s", i ? " " : "", options.items[i]);
	arguments_add(command, "--qemu-opts=%s", line.data);
	arguments_free(&options);
	buffer_free(&line);
}

static void add_kernel_arguments(const struct machine *machine, struct arguments *command)
{
	struct buffer line = {0};

	machine_kernel_line(machine, &line);
	if (machine->share != SHARE_NONE)
		buffer_text(&line, " virtme_initmount0=" JOB_SHARE);
	arguments_option(command, "--append", "%s", line.data);
	buffer_free(&line);
}

void emulator_vng_command(const struct machine *machine, struct arguments *command, struct arguments *environment)
{
	struct buffer processors = {0};

	arguments_add(environment, "HOME=%s/home", machine->directory);
	arguments_add(environment, "TMPDIR=%s", machine->directory);
	if (!host_has_strings())
		arguments_add(environment, "PATH=%s/" BIN ":%s", machine->directory,
			      getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	arguments_add(command, "%s", machine->engine->vng);
	arguments_option(command, "--run", "%s/" MACHINE_KERNEL, machine->directory);
	arguments_option(command, "--name", "picknext");
	/* With vng's default root, the guest could read all files of the host that this user can read. */
	arguments_option(command, "--root", "%s/" ROOT, machine->directory);
	arguments_add(command, "--skip-modules");
	arguments_add(command, "--disable-kvm"); /* the accelerator is chosen below, by the probe's result */
	arguments_add(command, "--force-9p");
	arguments_add(command, "--disable-monitor");
	arguments_option(command, "--qemu", "%s/qemu", machine->directory);
	machine_processors(machine, &processors);
	arguments_option(command, "--cpus", "%s", processors.data);
	buffer_free(&processors);
	arguments_option(command, "--memory", "%lluM", (unsigned long long)machine->memory_mb);
	add_kernel_arguments(machine, command);
	arguments_option(command, "--exec", JOB_COMMAND);
	add_qemu_options(machine, command);
}
