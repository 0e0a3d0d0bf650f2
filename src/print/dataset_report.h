/* SPDX-License-Identifier: MIT
 *
 * Building a dataset and reporting to the user, for build, all and vm. */
#ifndef PRINT_DATASET_REPORT_H
#define PRINT_DATASET_REPORT_H

#include "data/build.h"
#include "print/table.h"

/* dataset_build() with its warnings and progress on standard error and, after all files are in place, the tables of
 * files and categories on standard output (unless quiet). The caller prints the error, if any, and has called
 * interrupt_catch(). */
enum status dataset_build_and_report(const struct dataset_request *request, struct dataset_summary *summary,
				     struct error *err);
/* Warnings and progress without those tables; the caller ends the progress. */
extern const struct dataset_listener dataset_messages;
/* The same, shown with --verbose only. */
extern const struct dataset_listener dataset_details;
/* The table of files: name, rows, bytes. */
extern const struct table_column dataset_file_columns[];

#endif
