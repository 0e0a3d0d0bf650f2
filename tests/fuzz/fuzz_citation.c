/* SPDX-License-Identifier: MIT
 *
 * Any bytes as CITATION.cff. What was read and is written again is read as the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "print/citation.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Control characters are written as spaces. */
static void check_same(const char *wanted, const char *found)
{
	if (!wanted != !found)
		abort();
	for (; wanted && (*wanted || *found); wanted++, found++)
		if (*found != ((unsigned char)*wanted < ' ' ? ' ' : *wanted))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct citation citation, again;
	struct error err = {0};
	struct buffer out = {0};

	if (citation_parse((const char *)bytes, size, "input", &citation, &err) != STATUS_OK) {
		if (err.status != STATUS_CORRUPT && err.status != STATUS_UNSUPPORTED)
			abort();
		citation_free(&citation);
		return 0;
	}
	if (!citation.license)
		citation.license = xstrdup("CC-BY-4.0");
	citation_add(&citation, "title", "2026-11-26", &out);
	if (citation_parse(out.data, out.length, "output", &again, &err) != STATUS_OK ||
	    again.creators.count != citation.creators.count)
		abort();
	for (size_t i = 0; i < again.creators.count; i++)
		check_same(citation.creators.items[i], again.creators.items[i]);
	check_same(citation.license, again.license);
	check_same(citation.url, again.url);
	check_same(citation.doi, again.doi);
	buffer_free(&out);
	citation_free(&again);
	citation_free(&citation);
	return 0;
}
