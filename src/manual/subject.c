/* SPDX-License-Identifier: MIT */
#include "manual/subject.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest_name.h"
#include "manual/help_text.h"

#define NAMES_MAX 96

struct names {
	const char *items[NAMES_MAX + 1]; /* NULL-terminated */
	size_t count;
};

static void add_name(struct names *names, const char *name)
{
	if (names->count < NAMES_MAX)
		names->items[names->count++] = name;
	names->items[names->count] = NULL;
}

static void add_commands(struct names *names, const struct command_group *groups)
{
	for (; groups->title; groups++)
		for (const struct command *const *command = groups->commands; *command; command++)
			if (!(*command)->hidden)
				add_name(names, (*command)->name);
}

static void add_topics(struct names *names)
{
	for (const struct topic *topic = topic_table; topic->name; topic++)
		add_name(names, topic->name);
}

/* Words that users may look up, and the commands and topics about them. */
static const char *find_place(const char *name)
{
	static const char *const places[][2] = {
	    {"workload", "picknext list and picknext help mixes"},
	    {"workloads", "picknext list and picknext help mixes"},
	    {"eevdf", "picknext help rules"},
	    {"cfs", "picknext help rules"},
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strcmp(name, places[i][0]) == 0)
			return places[i][1];
	return NULL;
}

static enum status report_unknown(const char *kind, const char *name, const struct names *names, struct error *err)
{
	const char *near = nearest_name(name, names->items), *elsewhere = find_place(name);

	error_set(err, STATUS_USAGE, NULL, "unknown %s '%s'", kind, name);
	if (elsewhere)
		return error_remedy(err, "see %s (picknext help lists all)", elsewhere);
	if (near)
		return error_remedy(err, "did you mean '%s'? (picknext help lists all)", near);
	return error_remedy(err, "picknext help lists all");
}

const struct command *subject_command(const struct command_group *groups, const char *name)
{
	for (; groups->title; groups++)
		for (const struct command *const *command = groups->commands; *command; command++) {
			const struct command *subcommand = (*command)->subcommand;
			if (strcmp((*command)->name, name) == 0)
				return *command;
			if (subcommand && strcmp(subcommand->name, name) == 0)
				return subcommand;
		}
	return NULL;
}

enum status subject_unknown_command(const struct command_group *groups, const char *name, struct error *err)
{
	struct names names = {0};

	add_commands(&names, groups);
	return report_unknown("command", name, &names, err);
}

static void join_words(char *const *words, size_t count, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", i ? " " : "", words[i]);
}

enum status subject_find(const struct command_group *groups, char *const *words, size_t count, struct subject *subject,
			 struct error *err)
{
	char name[64];
	struct names names = {0};

	*subject = (struct subject){0};
	if (count == 0)
		return STATUS_OK;
	join_words(words, count, name, sizeof(name));
	subject->topic = topic_find(name);
	if (!subject->topic)
		subject->command = subject_command(groups, name);
	if (subject->topic || subject->command)
		return STATUS_OK;
	add_commands(&names, groups);
	add_topics(&names);
	return report_unknown("command or topic", name, &names, err);
}

static void print_row(const char *name, const char *summary)
{
	size_t column = (size_t)printf("  %-13s  ", name);

	help_words(summary, strlen(summary), column, column);
	putchar('\n');
}

void subject_print_all(const struct command_group *groups)
{
	printf("picknext records what the Linux scheduler decides and turns it into data.\n\n"
	       "Usage: picknext COMMAND [options]\n");
	for (; groups->title; groups++) {
		printf("\n%s:\n", groups->title);
		for (const struct command *const *command = groups->commands; *command; command++)
			if (!(*command)->hidden)
				print_row((*command)->name, (*command)->summary);
	}
	printf("\nTopics:\n");
	for (const struct topic *topic = topic_table; topic->name; topic++)
		print_row(topic->name, topic->summary);
	printf("\npicknext help COMMAND|TOPIC explains it. picknext --version prints the version.\n");
}
