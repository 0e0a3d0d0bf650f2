/* SPDX-License-Identifier: MIT */
#include "base/file_hash.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cache.h"

#define CACHED       "hashes.json"
#define FILES_MAX    200 /* the newest are kept */
#define SETTLED_S    2
#define KEY_TEXT_MAX 120

/* Identifies an unchanged file; "" if it may still change within the same time of modification. */
static void make_key(const char *path, char key[KEY_TEXT_MAX])
{
	struct stat found;

	key[0] = '\0';
	if (stat(path, &found) < 0 || !S_ISREG(found.st_mode) || found.st_mtim.tv_sec + SETTLED_S >= time(NULL))
		return;
	snprintf(key, KEY_TEXT_MAX, "%llu:%llu:%llu:%lld.%09ld", (unsigned long long)found.st_dev,
		 (unsigned long long)found.st_ino, (unsigned long long)found.st_size, (long long)found.st_mtim.tv_sec,
		 found.st_mtim.tv_nsec);
}

static bool recall(const char *key, char text[SHA256_TEXT_SIZE])
{
	struct json_value *known = key[0] ? cache_read(CACHED) : NULL;
	const char *hash = known ? json_member_text(known, key, "") : "";
	bool found = strlen(hash) == SHA256_TEXT_SIZE - 1;

	if (found)
		memcpy(text, hash, SHA256_TEXT_SIZE);
	json_free(known);
	return found;
}

static void remember(const char *key, const char *hash)
{
	struct json_value *known = cache_read(CACHED);
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	size_t kept = 1;

	json_object_begin(&json, NULL);
	json_text(&json, key, hash);
	for (const struct json_value *one = known ? known->child : NULL; one && kept < FILES_MAX; one = one->next)
		if (one->kind == JSON_TEXT && one->key && strcmp(one->key, key) != 0) {
			json_text(&json, one->key, one->text);
			kept++;
		}
	json_object_end(&json);
	buffer_text(&text, "\n");
	cache_write(CACHED, &text);
	buffer_free(&text);
	json_free(known);
}

enum status file_hash(const char *path, char text[SHA256_TEXT_SIZE], struct error *err)
{
	char key[KEY_TEXT_MAX], after[KEY_TEXT_MAX];

	make_key(path, key);
	if (recall(key, text))
		return STATUS_OK;
	enum status status = sha256_file(path, text, err);
	make_key(path, after);
	if (status == STATUS_OK && key[0] && strcmp(key, after) == 0)
		remember(key, text);
	return status;
}
