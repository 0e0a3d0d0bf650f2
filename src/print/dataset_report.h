/* SPDX-License-Identifier: MIT
 *
 * Building a dataset and reporting to the user, for build and all. */
#ifndef PRINT_DATASET_REPORT_H
#define PRINT_DATASET_REPORT_H

#include "data/dataset.h"
#include "print/table.h"

/* dataset_build(); then the tables of files and categories on standard output (unless quiet). The caller prints the
 * error, if any, and has called interrupt_catch(). */
enum status dataset_build_and_report(const struct dataset_request *request, struct error *err);
/* The table of files: name, rows, bytes. */
extern const struct table_column dataset_file_columns[];

#endif
