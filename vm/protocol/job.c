/* SPDX-License-Identifier: MIT */
#include "vm/protocol/job.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "vm/files/cpio.h"

#define SETTINGS_MOST  65536
#define ARGUMENTS_MOST 65536

static void add_modules(struct cpio_writer *cpio, const struct module_set *modules)
{
	struct buffer order = {0};
	char name[128];

	cpio_directory(cpio, "modules", 0755);
	for (size_t i = 0; i < modules->count; i++) {
		const struct module *module = &modules->modules[i];
		bool is_scratch = strcmp(module->name, "null_blk") == 0;
		buffer_printf(&order, "%s.ko%s\n", module->name, is_scratch ? " " JOB_NULL_BLOCK_PARAMETERS : "");
		snprintf(name, sizeof(name), "modules/%s.ko", module->name);
		cpio_file(cpio, name, 0644, module->bytes.data, module->bytes.length);
	}
	cpio_file(cpio, "modules/order", 0644, order.data, order.length);
	if (order.failed)
		cpio->out->failed = true;
	buffer_free(&order);
}

static enum status add_setting(struct buffer *settings, const char *key, const char *value, struct error *err)
{
	if (!value)
		return STATUS_OK;
	if (strpbrk(value, "\n\r"))
		return error_set(err, STATUS_USAGE, key, "must not hold a line break");
	buffer_printf(settings, "%s=%s\n", key, value);
	return STATUS_OK;
}

static enum status add_directories(struct buffer *settings, const char *key, const struct arguments *directories,
				   struct error *err)
{
	struct buffer list = {0};

	for (size_t i = 0; i < directories->count; i++)
		buffer_printf(&list, "%s%s", i ? ":" : "", directories->items[i]);
	enum status status = add_setting(settings, key, list.data, err);
	settings->failed |= list.failed;
	buffer_free(&list);
	return status;
}

static enum status add_places(const struct additions *additions, struct buffer *settings, struct error *err)
{
	enum status status = add_directories(settings, "path", &additions->programs, err);

	if (status == STATUS_OK)
		status = add_directories(settings, "library_path", &additions->libraries, err);
	return status == STATUS_OK
		   ? add_setting(settings, "directory", additions->directory ? additions->directory : "/root", err)
		   : status;
}

static const char *const transport_names[] = {
    [JOB_TRANSPORT_SHARE] = "share", [JOB_TRANSPORT_PORT] = "port", [JOB_TRANSPORT_WINDOW] = "window"};

const char *job_transport_name(enum job_transport transport)
{
	return transport_names[transport];
}

static enum status add_settings(const struct job *job, struct buffer *settings, struct error *err)
{
	char first_run[16];
	const char *share = job->share ? job->share : JOB_SHARE;
	enum status status = add_setting(settings, "transport", job_transport_name(job->transport), err);

	if (status == STATUS_OK && job->transport == JOB_TRANSPORT_SHARE)
		status = add_setting(settings, "share", share, err);
	if (status == STATUS_OK)
		status = add_setting(settings, "accelerator", job->accelerator, err);
	if (status == STATUS_OK)
		status = add_setting(settings, "engine", job->engine, err);
	snprintf(first_run, sizeof(first_run), "%u", job->first_run);
	if (status == STATUS_OK && job->first_run)
		status = add_setting(settings, "first_run", first_run, err);
	if (status == STATUS_OK && job->fixed_work)
		status = add_setting(settings, "fixed_work", "1", err);
	if (status == STATUS_OK && job->probe)
		status = add_setting(settings, "probe", "1", err);
	if (status == STATUS_OK && job->shell)
		status = add_setting(settings, "shell", "1", err);
	if (status == STATUS_OK && job->untraced)
		status = add_setting(settings, "untraced", "1", err);
	if (status == STATUS_OK && job->additions)
		status = add_places(job->additions, settings, err);
	return status;
}

enum status job_write(const struct job *job, const struct module_set *modules, struct buffer *out, struct error *err)
{
	struct cpio_writer cpio = {.out = out};
	struct buffer settings = {0}, arguments = {0};
	size_t count = 0;
	enum status status = add_settings(job, &settings, err);

	for (; status == STATUS_OK && job->arguments && job->arguments[count]; count++)
		buffer_add(&arguments, job->arguments[count], strlen(job->arguments[count]) + 1);
	if (status == STATUS_OK && (count > JOB_ARGUMENTS_MOST || arguments.length > ARGUMENTS_MOST))
		status = error_set(err, STATUS_USAGE, NULL, "too many arguments for the job: %zu", count);
	if (status == STATUS_OK) {
		if (modules)
			add_modules(&cpio, modules);
		cpio_directory(&cpio, "job", 0755);
		cpio_file(&cpio, "job/settings", 0644, settings.data, settings.length);
		cpio_file(&cpio, "job/arguments", 0644, arguments.data, arguments.length);
		if (job->additions)
			status = additions_write(job->additions, &cpio, err);
		if (settings.failed || arguments.failed)
			out->failed = true;
	}
	if (status == STATUS_OK)
		cpio_file(&cpio, "job/" JOB_COMPLETE, 0644, "", 0);
	if (status == STATUS_OK)
		status = cpio_end(&cpio, "job archive", err);
	buffer_free(&settings);
	buffer_free(&arguments);
	return status;
}

static enum status take_setting(struct job *job, const char *key, const char *value, const char *where,
				struct error *err)
{
	if (strcmp(key, "transport") == 0) {
		size_t kind = 0;
		while (kind < sizeof(transport_names) / sizeof(transport_names[0]) &&
		       strcmp(value, transport_names[kind]) != 0)
			kind++;
		if (kind == sizeof(transport_names) / sizeof(transport_names[0]))
			return error_set(err, STATUS_CORRUPT, where, "unknown transport '%s'", value);
		job->transport = (enum job_transport)kind;
	} else if (strcmp(key, "share") == 0) {
		job->share = value;
	} else if (strcmp(key, "accelerator") == 0) {
		job->accelerator = value;
	} else if (strcmp(key, "engine") == 0) {
		job->engine = value;
	} else if (strcmp(key, "first_run") == 0) {
		uint64_t first_run;
		if (!number_parse_u64(value, &first_run) || first_run > UINT32_MAX)
			return error_set(err, STATUS_CORRUPT, where, "not the number of a run: '%s'", value);
		job->first_run = (unsigned int)first_run;
	} else if (strcmp(key, "fixed_work") == 0) {
		job->fixed_work = strcmp(value, "1") == 0;
	} else if (strcmp(key, "probe") == 0) {
		job->probe = strcmp(value, "1") == 0;
	} else if (strcmp(key, "shell") == 0) {
		job->shell = strcmp(value, "1") == 0;
	} else if (strcmp(key, "untraced") == 0) {
		job->untraced = strcmp(value, "1") == 0;
	}
	return STATUS_OK; /* a key of a newer launcher does no harm */
}

static enum status take_settings(struct job_read *read, const char *where, struct error *err)
{
	for (char *line = read->settings.data; line && *line;) {
		char *next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		char *value = strchr(line, '=');
		if (!value)
			return error_set(err, STATUS_CORRUPT, where, "not KEY=VALUE: '%s'", line);
		*value++ = '\0';
		enum status status = take_setting(&read->job, line, value, where, err);
		if (status != STATUS_OK)
			return status;
		line = next;
	}
	return STATUS_OK;
}

static enum status take_arguments(struct job_read *read, const char *where, struct error *err)
{
	size_t at = 0, count = 0;

	if (read->arguments.length && read->arguments.data[read->arguments.length - 1] != '\0')
		return error_set(err, STATUS_CORRUPT, where, "its last argument has no end");
	while (at < read->arguments.length) {
		if (count == JOB_ARGUMENTS_MOST)
			return error_set(err, STATUS_CORRUPT, where, "more than %d arguments", JOB_ARGUMENTS_MOST);
		read->argument_list[count++] = read->arguments.data + at;
		at += strlen(read->arguments.data + at) + 1;
	}
	read->argument_list[count] = NULL;
	read->job.arguments = read->argument_list;
	return STATUS_OK;
}

enum status job_read(const char *directory, struct job_read *read, struct error *err)
{
	char path[PATH_MAX];

	*read = (struct job_read){.job.share = JOB_SHARE};
	enum status status = file_join(path, sizeof(path), directory, "settings", err);
	if (status == STATUS_OK)
		status = file_read(path, SETTINGS_MOST, &read->settings, err);
	if (status == STATUS_OK)
		status = take_settings(read, path, err);
	if (status == STATUS_OK)
		status = file_join(path, sizeof(path), directory, "arguments", err);
	if (status == STATUS_OK)
		status = file_read(path, ARGUMENTS_MOST, &read->arguments, err);
	if (status == STATUS_OK)
		status = take_arguments(read, path, err);
	return status;
}

void job_read_free(struct job_read *read)
{
	buffer_free(&read->settings);
	buffer_free(&read->arguments);
}
