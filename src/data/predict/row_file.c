/* SPDX-License-Identifier: MIT */
#include "data/predict/row_file.h"

#define FORGET_BYTES (1 << 20)

const char predict_train_file[] = "train.csv";
const char *const predict_test_files[2] = {"test_seen.csv", "test_unseen.csv"};

enum status predict_file_open(struct predict_file *file, const char *directory, const char *name,
			      struct predict_texts *texts, struct error *err)
{
	enum status status = file_join(file->path, sizeof(file->path), directory, name, err);

	if (status == STATUS_OK)
		status = file_map(file->path, &file->mapping, err);
	if (status != STATUS_OK)
		return status;
	status = predict_reader_open(&file->reader, file->mapping.bytes, file->mapping.length, file->path, texts, err);
	file->kept = file->reader.next.at;
	if (status != STATUS_OK)
		predict_file_close(file);
	return status;
}

enum status predict_file_next(struct predict_file *file, struct predict_row *row, struct error *err)
{
	if (file->reader.next.at - file->kept > FORGET_BYTES) {
		file_map_forget(&file->mapping);
		file->kept = file->reader.next.at;
	}
	return predict_reader_next(&file->reader, row, err);
}

void predict_file_close(struct predict_file *file)
{
	file_unmap(&file->mapping);
}
