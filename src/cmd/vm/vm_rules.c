/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_rules.h"

#include <stdio.h>

#include "base/message.h"
#include "rules/reading.h"

void vm_rules_print(const char *label, const char *directory)
{
	struct rules_reading reading;
	const struct pass_consumer consumer = rules_reading_begin(&reading);
	char *paths[] = {(char *)directory};
	struct pass pass = {0};
	struct buffer text = {0};
	struct error err = {0};

	if (pass_read(NULL, paths, 1, &consumer, &pass, &err) == STATUS_OK) {
		rules_reading_text(&reading, label, &text);
		fputs(text.data, stdout);
	} else {
		message_info("%s: decisions are not judged: %s", label, err.what);
	}
	pass_free(&pass);
	rules_reading_free(&reading);
	buffer_free(&text);
}
