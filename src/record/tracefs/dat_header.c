/* SPDX-License-Identifier: MIT */
#include "record/tracefs/dat_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/memory.h"
#include "record/tracefs/tracefs.h"

/* system_directory: directory of system below events/. */
static enum status read_format(const char *directory, const char *system_directory, const char *system,
			       const char *name, struct dat_header *header, struct error *err)
{
	char file[256];
	struct buffer *format = &header->formats[header->event_count];

	snprintf(file, sizeof(file), "events/%s/%s/format", system_directory, name);
	enum status status = tracefs_read(directory, file, format, err);
	if (status == STATUS_OK)
		header->events[header->event_count++] = (struct tracedat_event_file){
		    .system = system,
		    .format = format->data,
		    .format_size = format->length,
		};
	return status;
}

static enum status read_formats(const struct capture_session *session, struct dat_header *header, struct error *err)
{
	const struct capture_event *events = session->settings.events;
	const size_t count = session->settings.event_count;
	enum status status = STATUS_OK;

	header->formats = xcalloc(count + 2, sizeof(*header->formats));
	header->events = xcalloc(count + 2, sizeof(*header->events));
	/* Any process can write a mark at any time, and readers need this format to decode it. */
	if (tracefs_has(session->tracefs, "events/ftrace/print/format"))
		status = read_format(session->tracefs, "ftrace", "ftrace", "print", header, err);
	if (status == STATUS_OK && session->settings.migration_stacks)
		status = read_format(session->tracefs, "ftrace", "ftrace", "kernel_stack", header, err);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = read_format(session->directory, capture_system_directory(session, events[i].system),
				     events[i].system, events[i].name, header, err);
	return status;
}

static void add_symbol_room(struct buffer *symbols)
{
	memset(buffer_reserve(symbols, DAT_SYMBOL_ROOM), '\n', DAT_SYMBOL_ROOM);
	symbols->length += DAT_SYMBOL_ROOM;
}

enum status dat_header_read(const struct capture_session *session, struct dat_header *header, struct error *err)
{
	struct utsname system;

	header->session = session;
	header->cpu_count = session->settings.cpu_count;
	header->stats = xcalloc(header->cpu_count, sizeof(*header->stats));
	header->stats_texts = xcalloc(header->cpu_count, sizeof(*header->stats_texts));
	header->sections = xcalloc(header->cpu_count, sizeof(*header->sections));
	for (unsigned int cpu = 0; cpu < header->cpu_count; cpu++)
		buffer_add(&header->stats[cpu], session->stats_texts[cpu].data, session->stats_texts[cpu].length);
	header->followed_only = capture_followed(session, &header->followed);
	if (session->settings.migration_stacks)
		add_symbol_room(&header->symbols);
	uname(&system);
	snprintf(header->uname, sizeof(header->uname), "%s %s %s", system.sysname, system.release, system.machine);
	enum status status = tracefs_read(session->directory, "trace_clock", &header->clock, err);
	if (status == STATUS_OK)
		status = tracefs_read(session->tracefs, "saved_cmdlines", &header->cmdlines, err);
	return status == STATUS_OK ? read_formats(session, header, err) : status;
}

void dat_header_free(struct dat_header *header)
{
	buffer_free(&header->clock);
	buffer_free(&header->cmdlines);
	buffer_free(&header->symbols);
	buffer_free(&header->followed);
	for (size_t i = 0; header->formats && i < header->event_count; i++)
		buffer_free(&header->formats[i]);
	free(header->formats);
	free(header->events);
	for (unsigned int cpu = 0; header->stats && cpu < header->cpu_count; cpu++)
		buffer_free(&header->stats[cpu]);
	free(header->stats);
	free(header->stats_texts);
	free(header->sections);
}

/* Kernel symbols and printk formats are left out if no event refers to them: they would be the larger part of a
 * short trace. */
struct tracedat_header dat_header_texts(const struct dat_header *header)
{
	const struct capture_session *session = header->session;

	for (unsigned int cpu = 0; cpu < header->cpu_count; cpu++)
		header->stats_texts[cpu] = header->stats[cpu].length ? header->stats[cpu].data : NULL;
	return (struct tracedat_header){
	    .header_page = session->header_page.data,
	    .header_page_size = session->header_page.length,
	    .header_event = session->header_event.data,
	    .header_event_size = session->header_event.length,
	    .events = header->events,
	    .event_count = header->event_count,
	    .kallsyms = header->symbols.data,
	    .kallsyms_size = header->symbols.length,
	    .saved_cmdlines = header->cmdlines.data,
	    .saved_cmdlines_size = header->cmdlines.length,
	    .page_size = session->page_size,
	    .cpu_count = header->cpu_count,
	    .clock = header->clock.data,
	    .uname = header->uname,
	    .cpu_stats = header->stats_texts,
	    .offline_cpus = session->offline_cpus,
	    .followed = header->followed_only ? header->followed.data : NULL,
	};
}
