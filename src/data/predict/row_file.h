/* SPDX-License-Identifier: MIT
 *
 * The files of a dataset, opened for their rows. */
#ifndef DATA_PREDICT_ROW_FILE_H
#define DATA_PREDICT_ROW_FILE_H

#include <limits.h>

#include "base/file.h"
#include "data/predict/rows.h"

extern const char predict_train_file[];
extern const char *const predict_test_files[2]; /* by enum predict_part */

struct predict_file {
	char path[PATH_MAX];
	struct mapping mapping;
	struct predict_reader reader;
	const char *kept; /* what is before this is out of memory again */
};

/* After a failure it is closed. */
enum status predict_file_open(struct predict_file *file, const char *directory, const char *name,
			      struct predict_texts *texts, struct error *err);
/* As predict_reader_next(). */
enum status predict_file_next(struct predict_file *file, struct predict_row *row, struct error *err);
void predict_file_close(struct predict_file *file);

#endif
