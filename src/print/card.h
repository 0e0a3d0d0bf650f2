/* SPDX-License-Identifier: MIT
 *
 * Descriptions of a finished dataset for others: README.md, a dataset card whose YAML names the files of each split,
 * and croissant.json, Croissant 1.1 metadata (JSON-LD) with the columns and the SHA-256 of every file. */
#ifndef PRINT_CARD_H
#define PRINT_CARD_H

#include "base/error.h"
#include "print/citation.h"

/* Reads dataset_meta.json and the CSV files of the directory, and writes both files there, with creators also
 * CITATION.cff. citation has a license. */
enum status dataset_card_write(const char *directory, const struct citation *citation, struct error *err);

#endif
