/* SPDX-License-Identifier: MIT */
#include "scheduler/scheduler_name.h"

#include <string.h>

/* Needs of programs that picknext does not build: BPF arenas, task storage and timers need a CPU with cmpxchg16b,
 * which does not work in QEMU before 10. */
static const struct {
	const char *program;
	bool needs_cmpxchg16b;
} known_programs[] = {
    {"scx_simple", false},  {"scx_cpu0", false}, {"scx_central", true}, {"scx_flatcg", true},
    {"scx_userland", true}, {"scx_qmap", true},  {"scx_sdt", true},
};

static const char *program_name(const struct scheduler_spec *spec)
{
	const char *slash = strrchr(spec->words.items[0], '/');

	return slash ? slash + 1 : spec->words.items[0];
}

/* Schedulers of the scx project are programs scx_NAME, and call themselves NAME. */
const char *scheduler_base_name(const struct scheduler_spec *spec)
{
	const char *name;

	if (spec->kind != SCHEDULER_PROGRAM)
		return spec->kind == SCHEDULER_BUILTIN ? spec->builtin->ops : "";
	name = program_name(spec);
	return strncmp(name, "scx_", 4) == 0 && name[4] ? name + 4 : name;
}

/* Adds text; "-" replaces characters that the name of a directory must not have. */
static void add_words(char *name, size_t size, const char *text)
{
	size_t used = strlen(name);

	for (; *text && used + 1 < size; text++) {
		bool safe = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.", *text);
		if (safe || (used && name[used - 1] != '-'))
			name[used++] = safe ? *text : '-';
	}
	name[used] = '\0';
}

/* The options after the name of a builtin. */
static void add_builtin_options(const struct scheduler_spec *spec, char *name, size_t size)
{
	struct buffer text = {0};

	scheduler_spec_text(spec, &text);
	const char *comma = strchr(text.data, ',');
	if (comma)
		add_words(name, size, comma);
	buffer_free(&text);
}

void scheduler_name(const struct scheduler_spec *spec, bool with_arguments, char *name, size_t size)
{
	name[0] = '\0';
	add_words(name, size, scheduler_base_name(spec));
	if (!with_arguments)
		return;
	for (size_t i = 1; spec->kind == SCHEDULER_PROGRAM && i < spec->words.count; i++) {
		add_words(name, size, " ");
		add_words(name, size, spec->words.items[i]);
	}
	if (spec->kind == SCHEDULER_BUILTIN)
		add_builtin_options(spec, name, size);
}

enum scheduler_need scheduler_need(const struct scheduler_spec *spec)
{
	if (spec->kind != SCHEDULER_PROGRAM)
		return SCHEDULER_NEED_NOTHING;
	for (size_t i = 0; i < sizeof(known_programs) / sizeof(known_programs[0]); i++)
		if (strcmp(known_programs[i].program, program_name(spec)) == 0)
			return known_programs[i].needs_cmpxchg16b ? SCHEDULER_NEED_CMPXCHG16B : SCHEDULER_NEED_NOTHING;
	return SCHEDULER_NEED_UNKNOWN;
}
