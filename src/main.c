/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "base/options.h"
#include "base/version.h"
#include "cmd/commands.h"

/* In the order of the help, one per line. */
/* clang-format off */
static const struct command *const commands[] = {
    &command_vm,
    &command_verify,
    &command_record,
    &command_mark,
    &command_collect,
    &command_build,
    &command_all,
    &command_check,
    &command_compare,
    &command_report,
    &command_stat,
    &command_latency,
    &command_timeline,
    &command_diff,
    &command_affinity,
    &command_migrations,
    &command_inversions,
    &command_idle_waiting,
    &command_monitor,
    &command_export,
    &command_split,
    &command_overhead,
    &command_list,
    &command_run,
    &command_initramfs,
    &command_guest,
    NULL,
};
/* clang-format on */

static void print_commands(FILE *to)
{
	fprintf(to, "picknext records what the Linux scheduler decides and turns it into data.\n\n"
		    "Usage: picknext COMMAND [options]\n\nCommands:\n");
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			fprintf(to, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(to, "\nStart with:\n"
		    "  sudo picknext record -- make -j4 && picknext stat    # who ran during a build\n"
		    "  picknext vm --kernel vmlinuz -w cpu_bound_4p -o out  # boot and trace; no root\n"
		    "  sudo picknext all -o traces                          # on this machine\n"
		    "\npicknext help COMMAND explains a command.\npicknext --version prints the version.\n");
}

static int unknown_command(const char *name)
{
	const char *names[64];
	size_t count = 0;
	struct error err = {0};

	for (size_t i = 0; commands[i] && count < 63; i++)
		if (!commands[i]->hidden)
			names[count++] = commands[i]->name;
	names[count] = NULL;
	error_set(&err, STATUS_USAGE, NULL, "unknown command '%s'", name);
	const char *near = nearest_name(name, names);
	if (near)
		error_remedy(&err, "did you mean '%s'? (picknext help lists all)", near);
	else
		error_remedy(&err, "picknext help lists all");
	return message_error(&err);
}

/* The words after help name a command: "vm", "migrations extract". */
static int print_help_of(int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s", argv[2], argc > 3 ? " " : "", argc > 3 ? argv[3] : "");
	for (size_t i = 0; commands[i]; i++) {
		const struct command *command = commands[i];
		if (command->subcommand && strcmp(command->subcommand->name, name) == 0)
			command = command->subcommand;
		if (strcmp(command->name, name) == 0) {
			options_help(command);
			return 0;
		}
	}
	return unknown_command(name);
}

static int dispatch(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "--help";

	if (strcmp(name, "help") == 0 && argc > 2 && argv[2][0] != '-')
		return print_help_of(argc, argv);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		print_commands(stdout);
		return 0;
	}
	if (strcmp(name, "--version") == 0) {
		printf("picknext %s (%s)\n", PICKNEXT_VERSION, PICKNEXT_COMMIT);
		return 0;
	}
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return command_run_arguments(commands[i], argc - 1, argv + 1);
	return unknown_command(name);
}

/* Reports write errors of stdout, such as a full disk. On EPIPE (| head) the exit code is that of SIGPIPE, also if a
 * command ignores that signal. */
static int finish_output(int exit_code)
{
	struct pollfd reader = {.fd = STDOUT_FILENO};
	struct error err = {0};
	bool failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) == 0 && !failed)
		return exit_code;
	int reason = errno ? errno : ENOSPC; /* stdio does not keep the errno of an earlier failure */
	if (reason == EPIPE || (poll(&reader, 1, 0) == 1 && reader.revents & POLLERR))
		return 128 + SIGPIPE;
	if (reason != EINTR || interrupt_check(&err) == STATUS_OK)
		error_system(&err, reason, "standard output", "cannot write");
	if (exit_code == error_exit_code(&err)) /* the command has reported it */
		return exit_code;
	int failure = message_error(&err);
	return exit_code == 0 ? failure : exit_code;
}

/* Opens closed standard descriptors, so that no file gets their numbers and messages with them. Read-only, so that
 * writing to a closed standard output remains an error. */
static void open_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	open_standard_files();
	/* A file that reaches ulimit -f is then an error like a full disk, with clean-up. */
	signal(SIGXFSZ, SIG_IGN);
	/* With an inherited SIG_IGN, waitpid() fails with ECHILD. */
	signal(SIGCHLD, SIG_DFL);
	return finish_output(dispatch(argc, argv));
}
