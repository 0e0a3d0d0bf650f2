/* SPDX-License-Identifier: MIT
 *
 * Reads the rows of a dataset for predictors: of switches (the nine columns of every dataset) or of decisions. Texts
 * become numbers. Streaming; input is hostile. */
#ifndef DATA_PREDICT_ROWS_H
#define DATA_PREDICT_ROWS_H

#include "base/error.h"
#include "data/decisions.h"
#include "data/predict/fields.h"
#include "data/text_table.h"

enum predict_kind { PREDICT_SWITCHES, PREDICT_DECISIONS };

/* Candidates in the order of the row; unknown numbers are UINT64_MAX. */
struct predict_candidates {
	uint32_t count;
	uint32_t roles[DECISION_CANDIDATES_MAX];
	uint64_t runtime_ns[DECISION_CANDIDATES_MAX], slice_ns[DECISION_CANDIDATES_MAX];
	int32_t prios[DECISION_CANDIDATES_MAX];
};

struct predict_row {
	uint32_t trace, workload; /* numbers in texts */
	uint32_t scheduler;       /* TEXT_NONE: unknown */
	uint32_t cpu;
	uint32_t name, prev_name, role, prev_role; /* TEXT_NONE: the dataset has none */
	uint32_t waiting;                          /* candidates in all; 0: the dataset does not say */
	uint32_t chosen;                           /* UINT32_MAX: not among the listed, or none */
	uint64_t base_slice_ns;                    /* 0: not known */
	struct predict_candidates candidates;
};

/* The texts of all files of a dataset. */
struct predict_texts {
	struct text_table names, roles, workloads, traces, schedulers;
	bool by_pid; /* names are the texts of the column pid */
};

/* A text of an earlier row that is likely to come again. */
struct predict_text {
	const char *bytes; /* NULL: none yet */
	size_t length;
	uint32_t number;
};

/* Columns that seldom change. */
enum predict_label { PREDICT_TRACE, PREDICT_WORKLOAD, PREDICT_SCHEDULER, PREDICT_LABELS };

#define PREDICT_LAST_MAX 64u

struct predict_reader {
	const char *name;
	struct fields_cursor next;
	uint64_t line; /* on which the row begins that was read last */
	enum predict_kind kind;
	struct fields_wanted wanted; /* the header's columns; of switches the first ones are read */
	struct predict_texts *texts;
	struct predict_text labels[PREDICT_LABELS];
	/* By CPU, modulo their number: the task that it got last is mostly the one that leaves. */
	struct predict_text last_names[PREDICT_LAST_MAX], last_roles[PREDICT_LAST_MAX];
};

/* STATUS_UNSUPPORTED if the first line is not that of a dataset. The bytes must outlive the reader. */
enum status predict_reader_open(struct predict_reader *reader, const void *bytes, size_t length, const char *name,
				struct predict_texts *texts, struct error *err);
/* STATUS_OK with the next row, STATUS_END, or STATUS_CORRUPT with its line. */
enum status predict_reader_next(struct predict_reader *reader, struct predict_row *row, struct error *err);
void predict_texts_free(struct predict_texts *texts);

#endif
