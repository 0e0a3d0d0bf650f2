/* SPDX-License-Identifier: MIT
 *
 * What dataset_meta.json says of a dataset, for its descriptions: print/card.h and print/croissant.h. */
#ifndef PRINT_DATASET_FACTS_H
#define PRINT_DATASET_FACTS_H

#include "base/json.h"
#include "data/dataset_files.h"
#include "data/row_kinds.h"

/* One sentence. */
extern const char dataset_summary_text[];

/* What a row is; datasets of earlier versions are of switches. */
const struct row_kind *dataset_kind_of(const struct json_value *metadata);
/* All columns that its kind may have. */
struct columns dataset_columns_of(const struct json_value *metadata);
/* Rows and bytes of a CSV file, by its place in output_names; 0: not there. */
uint64_t dataset_rows_of(const struct json_value *metadata, size_t file);
uint64_t dataset_bytes_of(const struct json_value *metadata, size_t file);
/* The length of the file's name without its extension. */
int output_stem_length(size_t file);

#endif
