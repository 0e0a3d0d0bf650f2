/* SPDX-License-Identifier: MIT
 *
 * Plain QEMU: the same guest as under vng, set up for vng's guest protocol. */
#include <string.h>

#include "base/buffer.h"
#include "vm/engine/channels.h"
#include "vm/engine/emulator.h"
#include "vm/protocol/job.h"

static void encode_base64(const char *text, struct buffer *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i += 3) {
		size_t left = length - i;
		unsigned int bits = (unsigned int)(unsigned char)text[i] << 16;
		if (left > 1)
			bits |= (unsigned int)(unsigned char)text[i + 1] << 8;
		if (left > 2)
			bits |= (unsigned char)text[i + 2];
		char piece[4] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
				 left > 2 ? digits[bits & 63] : '='};
		buffer_add(out, piece, sizeof(piece));
	}
}

static void add_kernel(const struct machine *machine, struct arguments *command)
{
	struct buffer line = {0};

	buffer_printf(&line, "console=%s ", machine->engine->architecture->console);
	machine_kernel_line(machine, &line);
	if (machine->share != SHARE_NONE)
		buffer_text(&line, " virtme_initmount0=" JOB_SHARE);
	buffer_text(&line, " virtme.exec=`");
	encode_base64(JOB_COMMAND, &line);
	buffer_text(&line, "`");
	arguments_option(command, "-kernel", "%s/" MACHINE_KERNEL, machine->directory);
	arguments_option(command, "-initrd", "%s/" MACHINE_INITRD, machine->directory);
	arguments_option(command, "-append", "%s", line.data);
	if (topology_has_kinds(&machine->topology))
		arguments_option(command, "-dtb", "%s/" MACHINE_DEVICE_TREE, machine->directory);
	buffer_free(&line);
}

/* further: of -M. */
static void begin_command(const struct machine *machine, const char *further, struct arguments *command)
{
	struct buffer processors = {0};

	arguments_add(command, "%s", machine->engine->qemu);
	arguments_add(command, "-nodefaults");
	arguments_add(command, "-no-user-config");
	arguments_add(command, "-no-reboot");
	arguments_option(command, "-display", "none");
	arguments_option(command, "-M", "%s%s", machine->engine->architecture->machine, further);
	machine_processors(machine, &processors);
	arguments_option(command, "-smp", "%s", processors.data);
	buffer_free(&processors);
	arguments_option(command, "-m", "%lluM", (unsigned long long)machine->memory_mb);
}

void emulator_qemu_tree_command(const struct machine *machine, const char *path, struct arguments *command)
{
	struct buffer further = {0};

	buffer_printf(&further, ",dumpdtb=%s", path);
	begin_command(machine, further.data, command);
	machine_tree_options(machine, command);
	buffer_free(&further);
}

void emulator_qemu_command(const struct machine *machine, struct arguments *command)
{
	begin_command(machine, "", command);
	arguments_option(command, "-chardev", "%s,id=picknext-console,path=%s/%s",
			 machine_console_is_file(machine) ? "file" : "socket", machine->directory,
			 channel_file(CHANNEL_CONSOLE));
	arguments_option(command, "-serial", "chardev:picknext-console");
	machine_common_options(machine, command);
	for (int channel = CHANNEL_OUTPUT; channel <= CHANNEL_RESULT && !machine->shared_memory; channel++)
		machine_port(machine, "picknext-serial", channel, command);
	add_kernel(machine, command);
}
