/* SPDX-License-Identifier: MIT
 *
 * hold_scheduler SCHEDULER: enables one of picknext's own schedulers and holds it until a signal, for tests in guests.
 */
#include <stdio.h>

#include "scheduler/builtin_run.h"

int main(int argc, char **argv)
{
	struct scheduler_spec spec;
	struct error err = {0};
	char text[2048];

	if (argc != 2) {
		fprintf(stderr, "usage: hold_scheduler SCHEDULER\n");
		return 2;
	}
	if (scheduler_spec_parse(argv[1], &spec, &err) == STATUS_OK && builtin_scheduler_run(&spec, &err) == STATUS_OK)
		return 0;
	error_text(&err, text, sizeof(text));
	fprintf(stderr, "hold_scheduler: %s\n", text);
	return error_exit_code(&err);
}
