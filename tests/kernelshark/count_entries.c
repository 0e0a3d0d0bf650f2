/* SPDX-License-Identifier: MIT
 *
 * count_entries FILE: loads a trace with KernelShark's own library, as its window does, and prints every entry in time
 * order: CPU, nanoseconds, PID, event. Built against Debian's libkshark-dev (kernelshark.bats); not part of the build.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <libkshark.h>

static void print_entry(const struct kshark_entry *entry)
{
	char *event = kshark_get_event_name(entry);
	char *fields = kshark_get_info(entry);

	printf("%d %" PRId64 " %d %s\n", entry->cpu, entry->ts, kshark_get_pid(entry), event ? event : "?");
	free(event);
	free(fields);
}

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	struct kshark_entry **entries = NULL;

	if (argc != 2 || !kshark_instance(&context))
		return 2;
	int stream = kshark_open(context, argv[1]);
	if (stream < 0) {
		fprintf(stderr, "count_entries: %s cannot be opened: %d\n", argv[1], stream);
		return 1;
	}
	ssize_t count = kshark_load_entries(context, stream, &entries);
	if (count < 0) {
		fprintf(stderr, "count_entries: %s cannot be loaded: %zd\n", argv[1], count);
		return 1;
	}
	for (ssize_t i = 0; i < count; i++)
		print_entry(entries[i]);
	for (ssize_t i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	kshark_close(context, stream);
	kshark_free(context);
	return 0;
}
