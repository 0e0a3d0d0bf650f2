/* SPDX-License-Identifier: MIT
 *
 * decode TRACE...: decodes and merges the events of each trace, and does nothing with them: the least that every
 * command takes. Prints how many they were. */
#include <inttypes.h>
#include <stdio.h>

#include "trace/input.h"

static enum status decode(const char *path, uint64_t *events, struct error *err)
{
	struct input input;
	struct sched_source *source;
	struct sched_event event;
	enum status status = input_open(&input, path, err);

	if (status != STATUS_OK)
		return status;
	status = input_source(&input, &source, err);
	if (status == STATUS_OK) {
		while ((status = sched_source_next(source, &event, err)) == STATUS_OK &&
		       (status = input_step(&input, err)) == STATUS_OK)
			++*events;
		sched_source_close(source);
	}
	input_close(&input);
	return status == STATUS_END ? STATUS_OK : status;
}

int main(int argc, char **argv)
{
	struct error err = {0};
	uint64_t events = 0;

	for (int i = 1; i < argc; i++) {
		if (decode(argv[i], &events, &err) != STATUS_OK) {
			fprintf(stderr, "decode: %s: %s\n", err.where, err.what);
			return 1;
		}
	}
	printf("%" PRIu64 "\n", events);
	return 0;
}
