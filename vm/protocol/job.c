/* SPDX-License-Identifier: MIT */
#include "vm/protocol/job.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"

#define SETTINGS_BYTES_MAX 65536
#define WORDS_BYTES_MAX    65536

static enum status add_setting(struct buffer *settings, const char *key, const char *value, struct error *err)
{
	if (!value)
		return STATUS_OK;
	if (strpbrk(value, "\n\r"))
		return error_set(err, STATUS_USAGE, key, "must not contain a line break");
	buffer_printf(settings, "%s=%s\n", key, value);
	return STATUS_OK;
}

static const char *const transport_names[] = {
    [JOB_TRANSPORT_SHARE] = "share", [JOB_TRANSPORT_SHARED_MEMORY] = "shared-memory"};

const char *job_transport_name(enum job_transport transport)
{
	return transport_names[transport];
}

static void add_flag(struct buffer *settings, const char *key, bool value)
{
	if (value)
		buffer_printf(settings, "%s=1\n", key);
}

static enum status add_settings(const struct job *job, struct buffer *settings, struct error *err)
{
	const char *share = job->share ? job->share : JOB_SHARE;
	const struct {
		const char *key, *value;
	} texts[] = {
	    {"transport", job_transport_name(job->transport)},
	    {"share", job->transport == JOB_TRANSPORT_SHARE ? share : NULL},
	    {"accelerator", job->accelerator},
	    {"engine", job->engine},
	    {"identity", job->identity},
	    {"scheduler", job->scheduler},
	    {"topology", job->topology},
	    {"path", job->path},
	    {"library_path", job->library_path},
	    {"directory", job->directory},
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && status == STATUS_OK; i++)
		status = add_setting(settings, texts[i].key, texts[i].value, err);
	if (job->first_run)
		buffer_printf(settings, "first_run=%u\n", job->first_run);
	add_flag(settings, "fixed_work", job->fixed_work);
	add_flag(settings, "probe", job->probe);
	add_flag(settings, "isolated_by_affinity", job->isolated_by_affinity);
	add_flag(settings, "shell", job->shell);
	return status;
}

enum status job_format(const struct job *job, struct buffer *settings, struct buffer *words, struct error *err)
{
	enum status status = add_settings(job, settings, err);
	size_t count = 0;

	for (; status == STATUS_OK && job->words && job->words[count]; count++)
		buffer_add(words, job->words[count], strlen(job->words[count]) + 1);
	if (status == STATUS_OK && (count > JOB_WORDS_MAX || words->length > WORDS_BYTES_MAX))
		return error_set(err, STATUS_USAGE, NULL, "too many words for the job: %zu", count);
	return status;
}

static enum status parse_transport(struct job *job, const char *value, const char *where, struct error *err)
{
	for (size_t i = 0; i < sizeof(transport_names) / sizeof(transport_names[0]); i++)
		if (strcmp(value, transport_names[i]) == 0) {
			job->transport = (enum job_transport)i;
			return STATUS_OK;
		}
	return error_set(err, STATUS_CORRUPT, where, "unknown transport '%s'", value);
}

static enum status parse_first_run(struct job *job, const char *value, const char *where, struct error *err)
{
	uint64_t first_run;

	if (!number_parse_u64(value, &first_run) || first_run > UINT32_MAX)
		return error_set(err, STATUS_CORRUPT, where, "expected the number of a run, not '%s'", value);
	job->first_run = (unsigned int)first_run;
	return STATUS_OK;
}

/* Unknown keys are ignored: a newer launcher may write more. */
static enum status parse_setting(struct job *job, const char *key, const char *value, const char *where,
				 struct error *err)
{
	const struct {
		const char *key, **text;
	} texts[] = {
	    {"share", &job->share},       {"accelerator", &job->accelerator},   {"engine", &job->engine},
	    {"identity", &job->identity}, {"scheduler", &job->scheduler},       {"topology", &job->topology},
	    {"path", &job->path},         {"library_path", &job->library_path}, {"directory", &job->directory}};
	const struct {
		const char *key;
		bool *flag;
	} flags[] = {{"fixed_work", &job->fixed_work},
		     {"probe", &job->probe},
		     {"shell", &job->shell},
		     {"isolated_by_affinity", &job->isolated_by_affinity}};

	if (strcmp(key, "transport") == 0)
		return parse_transport(job, value, where, err);
	if (strcmp(key, "first_run") == 0)
		return parse_first_run(job, value, where, err);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(key, texts[i].key) == 0)
			*texts[i].text = value;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(key, flags[i].key) == 0)
			*flags[i].flag = strcmp(value, "1") == 0;
	return STATUS_OK;
}

static enum status parse_settings(struct job_read *read, const char *where, struct error *err)
{
	for (char *line = read->settings.data; line && *line;) {
		char *next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		char *value = strchr(line, '=');
		if (!value)
			return error_set(err, STATUS_CORRUPT, where, "expected KEY=VALUE, not '%s'", line);
		*value++ = '\0';
		enum status status = parse_setting(&read->job, line, value, where, err);
		if (status != STATUS_OK)
			return status;
		line = next;
	}
	return STATUS_OK;
}

static enum status parse_words(struct job_read *read, const char *where, struct error *err)
{
	size_t at = 0, count = 0;

	if (read->words.length && read->words.data[read->words.length - 1] != '\0')
		return error_set(err, STATUS_CORRUPT, where, "its last word has no terminating NUL");
	while (at < read->words.length) {
		if (count == JOB_WORDS_MAX)
			return error_set(err, STATUS_CORRUPT, where, "more than %d words", JOB_WORDS_MAX);
		read->word_list[count++] = read->words.data + at;
		at += strlen(read->words.data + at) + 1;
	}
	read->word_list[count] = NULL;
	read->job.words = read->word_list;
	return STATUS_OK;
}

enum status job_read(const char *directory, struct job_read *read, struct error *err)
{
	char path[PATH_MAX];

	*read = (struct job_read){.job.share = JOB_SHARE};
	enum status status = file_join(path, sizeof(path), directory, "settings", err);
	if (status == STATUS_OK)
		status = file_read(path, SETTINGS_BYTES_MAX, &read->settings, err);
	if (status == STATUS_OK)
		status = parse_settings(read, path, err);
	if (status == STATUS_OK)
		status = file_join(path, sizeof(path), directory, "words", err);
	if (status == STATUS_OK)
		status = file_read(path, WORDS_BYTES_MAX, &read->words, err);
	if (status == STATUS_OK)
		status = parse_words(read, path, err);
	return status;
}

void job_read_free(struct job_read *read)
{
	buffer_free(&read->settings);
	buffer_free(&read->words);
}
