/* SPDX-License-Identifier: MIT
 *
 * The JSON beside a raw trace: labels, losses, and facts about the machine. */
#include <stdlib.h>
#include <string.h>

#include "runs/environment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void describe_facts(const struct run_metadata *metadata)
{
	char *facts[FACT_COUNT] = {0};

	if (!environment_describe(metadata, facts))
		abort();
	for (size_t i = 0; i < FACT_COUNT; i++)
		free(facts[i]);
}

static void describe_loss(const struct run_metadata *metadata)
{
	struct loss loss = {0};
	struct buffer text = {0};

	if (!run_metadata_add_loss(metadata, &loss) || loss.cpu_count > LOSS_CPUS_MAX + 1)
		abort();
	if (loss_any(&loss)) {
		loss_describe(&loss, &text);
		if (text.length == 0 || strlen(text.data) != text.length)
			abort();
	}
	loss_free(&loss);
	buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run_metadata metadata;
	struct error err = {0};

	enum status status = run_metadata_parse((const char *)data, size, "fuzz.json", &metadata, &err);
	if (status != STATUS_OK && (strncmp(err.where, "fuzz.json", 9) != 0 || err.what[0] == '\0'))
		abort();
	/* A text with a NUL is refused. */
	if (status == STATUS_OK && metadata.workload_name && memchr(data, '\0', size))
		abort();
	if (status == STATUS_OK) {
		describe_facts(&metadata);
		describe_loss(&metadata);
	}
	run_metadata_free(&metadata);
	return 0;
}
