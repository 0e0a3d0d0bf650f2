/* SPDX-License-Identifier: MIT
 *
 * Croissant 1.1 (JSON-LD): a dataset with its columns and the SHA-256 of every file. docs.mlcommons.org/croissant */
#ifndef PRINT_CROISSANT_H
#define PRINT_CROISSANT_H

#include "base/buffer.h"
#include "print/citation.h"
#include "print/dataset_facts.h"

/* Adds it. sha256: of each CSV file, in the order of output_names. */
void croissant_add(const struct json_value *metadata, const char *const sha256[OUTPUT_CSV_FILES],
		   const struct citation *citation, struct buffer *out);

#endif
