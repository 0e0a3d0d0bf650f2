/* SPDX-License-Identifier: MIT */
#include "print/card.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/output_stream.h"
#include "base/sha256.h"
#include "print/croissant.h"
#include "print/dataset_facts.h"
#include "print/table.h"

/* --- The card --- */

static const char *size_category(uint64_t rows)
{
	return rows < 1000       ? "n<1K"
	       : rows < 10000    ? "1K<n<10K"
	       : rows < 100000   ? "10K<n<100K"
	       : rows < 1000000  ? "100K<n<1M"
	       : rows < 10000000 ? "1M<n<10M"
				 : "n>10M";
}

static void add_yaml(const struct json_value *metadata, const struct citation *citation, struct buffer *out)
{
	buffer_text(out, "---\nconfigs:\n- config_name: default\n  data_files:\n");
	for (size_t i = 0; i < OUTPUT_ALL; i++)
		if (dataset_rows_of(metadata, i))
			buffer_printf(out, "  - split: %.*s\n    path: %s\n", output_stem_length(i), output_names[i],
				      output_names[i]);
	buffer_printf(out,
		      "pretty_name: Linux scheduler %s\ntags:\n- linux\n- scheduler\n- picknext\nsize_categories:\n- "
		      "%s\n",
		      dataset_kind_of(metadata)->plural, size_category(dataset_rows_of(metadata, OUTPUT_ALL)));
	/* The card's list has identifiers in small letters; others are named by a link. */
	if (strcmp(citation->license, "CC-BY-4.0") == 0) {
		buffer_text(out, "license: cc-by-4.0\n");
	} else {
		buffer_text(out, "license: other\n");
		yaml_add_text("license_name", citation->license, out);
	}
	buffer_text(out, "---\n\n");
}

static void add_percent(const struct json_value *share, struct table *table)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f", 100 * share->number);
	table_string(table, text);
}

static void add_novelty(const struct json_value *metadata, struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"part", "part", TABLE_WORD, TABLE_ALWAYS},
	    {"target", "target", TABLE_WORD, TABLE_ALWAYS},
	    {"new", "not in train.csv", TABLE_VALUE, TABLE_ALWAYS},
	    {"constant", "constant", TABLE_VALUE, TABLE_ALWAYS},
	    {"successor", "last successor", TABLE_VALUE, TABLE_ALWAYS},
	    {.key = NULL},
	};
	static const char *const parts[] = {"test_seen", "test_unseen"};
	static const char *const targets[] = {"next_name", "next_role"};
	const struct json_value *novelty = json_member(metadata, "novelty");

	if (!novelty)
		return;
	buffer_text(out,
		    "\n## What is new in the tests\n\nIn percent of the rows. A model has to beat the constant and "
		    "the last successor; picknext's workloads/models/baselines.py has more predictors.\n\n");
	struct table table = table_of(columns);
	for (size_t i = 0; i < 4; i++) {
		const struct json_value *part = json_member(novelty, parts[i / 2]);
		const struct json_value *target = part ? json_member(part, targets[i % 2]) : NULL;
		const struct json_value *share = target ? json_member(target, "unseen_rows_share") : NULL;
		const struct json_value *constant = target ? json_member(target, "constant_accuracy") : NULL;
		const struct json_value *successor = target ? json_member(target, "last_successor_accuracy") : NULL;
		if (!share || !constant || !successor || share->kind != JSON_NUMBER)
			continue;
		table_string(&table, parts[i / 2]);
		table_string(&table, targets[i % 2]);
		add_percent(share, &table);
		add_percent(constant, &table);
		add_percent(successor, &table);
	}
	table_write_markdown(&table, out);
	table_free(&table);
}

static void add_columns(const struct json_value *metadata, struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"column", "column", TABLE_WORD, TABLE_ALWAYS},
	    {"unit", "unit", TABLE_WORD, TABLE_ALWAYS},
	    {"meaning", "meaning", TABLE_WORD, TABLE_ALWAYS},
	    {.key = NULL},
	};
	const struct json_value *names = json_member(metadata, "csv_columns");
	const struct columns known = dataset_columns_of(metadata);

	struct table table = table_of(columns);
	for (const struct json_value *it = names ? names->child : NULL; it; it = it->next) {
		const struct column *column = it->kind == JSON_TEXT ? columns_find(&known, it->text) : NULL;
		if (!column)
			continue;
		table_string(&table, column->name);
		table_string(&table, column->unit);
		table_string(&table, column->meaning);
	}
	buffer_text(out, "\n## Columns\n\n");
	table_write_markdown(&table, out);
	table_free(&table);
}

static void add_files_table(const struct json_value *metadata, const char *const sha256[OUTPUT_CSV_FILES],
			    struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"file", "file", TABLE_WORD, TABLE_ALWAYS},
	    {"rows", "rows", TABLE_NUMBER, TABLE_ALWAYS},
	    {"bytes", "bytes", TABLE_NUMBER, TABLE_ALWAYS},
	    {"sha256", "SHA-256", TABLE_WORD, TABLE_ALWAYS},
	    {.key = NULL},
	};

	struct table table = table_of(columns);
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++) {
		table_string(&table, output_names[i]);
		TABLE_NUMBERS(&table, dataset_rows_of(metadata, i), dataset_bytes_of(metadata, i));
		table_string(&table, sha256[i]);
	}
	table_write_markdown(&table, out);
	table_free(&table);
}

static size_t count_traces(const struct json_value *metadata, bool with_virtual_time)
{
	const struct json_value *traces = json_member(metadata, "traces");
	size_t count = 0;

	for (const struct json_value *it = traces ? traces->child : NULL; it; it = it->next) {
		const struct json_value *is_virtual = json_member(it, "virtual_time");
		count += with_virtual_time == (is_virtual && is_virtual->kind == JSON_BOOL && is_virtual->number != 0);
	}
	return count;
}

/* A key of traces in the metadata: "" if null. */
static const char *trace_text(const struct json_value *trace, const char *key)
{
	return json_member_text(trace, key, "");
}

static bool has_same(const struct json_value *trace, const struct json_value *other, const char *const *keys)
{
	for (; *keys; keys++)
		if (strcmp(trace_text(trace, *keys), trace_text(other, *keys)) != 0)
			return false;
	return true;
}

/* The traces with other values of the keys than all before them, up to a NULL. The caller frees the array. */
static const struct json_value **distinct_traces(const struct json_value *metadata, const char *const *keys)
{
	const struct json_value *traces = json_member(metadata, "traces"), **found = NULL;
	size_t count = 0, capacity = 0;

	for (const struct json_value *it = traces ? traces->child : NULL; it; it = it->next) {
		size_t before = 0;
		while (before < count && !has_same(found[before], it, keys))
			before++;
		found = array_grow(found, &capacity, count + 2, sizeof(const struct json_value *));
		if (before == count)
			found[count++] = it;
	}
	found = array_grow(found, &capacity, count + 1, sizeof(const struct json_value *));
	found[count] = NULL;
	return found;
}

/* Kernels and QEMU, exactly. */
static void add_machines(const struct json_value *metadata, struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"kernel", "kernel", TABLE_WORD, TABLE_ALWAYS},
	    {"build", "build", TABLE_WORD, TABLE_ALWAYS},
	    {"image", "SHA-256 of its image", TABLE_WORD, TABLE_ALWAYS},
	    {"qemu", "QEMU", TABLE_WORD, TABLE_ALWAYS},
	    {"program", "SHA-256 of QEMU", TABLE_WORD, TABLE_ALWAYS},
	    {"initramfs", "SHA-256 of the initramfs", TABLE_WORD, TABLE_ALWAYS},
	    {"accelerator", "accelerator", TABLE_WORD, TABLE_ALWAYS},
	    {.key = NULL},
	};
	static const char *const keys[] = {"kernel",      "kernel_version",   "kernel_sha256", "qemu_version",
					   "qemu_sha256", "initramfs_sha256", "accelerator",   NULL};

	const struct json_value **machines = distinct_traces(metadata, keys);

	struct table table = table_of(columns);
	for (const struct json_value **it = machines; *it; it++)
		for (const char *const *key = keys; *key; key++)
			table_string(&table, trace_text(*it, *key));
	free(machines);
	buffer_text(out, "\n## Kernels\n\n");
	table_write_markdown(&table, out);
	table_free(&table);
}

static uint64_t rows_in(const struct json_value *trace, size_t file)
{
	static const char *const parts[] = {"train", "test_seen", "test_unseen"};
	static const char *const of_divided[] = {"train_events", "test_seen_events", ""};
	uint64_t rows = 0;

	if (strcmp(trace_text(trace, "split"), parts[file]) == 0)
		json_member_u64(trace, "events", &rows);
	else
		json_member_u64(trace, of_divided[file], &rows);
	return rows;
}

/* Rows of each workload, kernel and scheduler in each file. */
static void add_cells(const struct json_value *metadata, struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"workload", "workload", TABLE_WORD, TABLE_ALWAYS},
	    {"kernel", "kernel", TABLE_WORD, TABLE_ALWAYS},
	    {"scheduler", "scheduler", TABLE_WORD, TABLE_ALWAYS},
	    {"set_label", "label", TABLE_WORD, TABLE_ALWAYS},
	    {"train", "train", TABLE_NUMBER, TABLE_ALWAYS},
	    {"test_seen", "test_seen", TABLE_NUMBER, TABLE_ALWAYS},
	    {"test_unseen", "test_unseen", TABLE_NUMBER, TABLE_ALWAYS},
	    {.key = NULL},
	};
	static const char *const keys[] = {"workload_type", "kernel", "scheduler", "set_label", NULL};

	const struct json_value **cells = distinct_traces(metadata, keys);

	struct table table = table_of(columns);
	for (const struct json_value **cell = cells; *cell; cell++) {
		uint64_t rows[OUTPUT_ALL] = {0};
		for (const struct json_value *it = *cell; it; it = it->next)
			for (size_t file = 0; has_same(*cell, it, keys) && file < OUTPUT_ALL; file++)
				rows[file] += rows_in(it, file);
		for (const char *const *key = keys; *key; key++)
			table_string(&table, trace_text(*cell, *key));
		TABLE_NUMBERS(&table, rows[0], rows[1], rows[2]);
	}
	free(cells);
	buffer_text(out, "\n## Rows\n\n");
	table_write_markdown(&table, out);
	table_free(&table);
}

static void add_code(const char *text, struct buffer *out)
{
	buffer_text(out, "`");
	for (const char *at = text; *at; at++)
		buffer_add(out, *at == '`' || *at == '\n' || *at == '\r' ? "'" : at, 1);
	buffer_text(out, "`");
}

/* What the times are, in sentences of Markdown. */
static void add_times(const struct json_value *metadata, struct buffer *out)
{
	const size_t simulated = count_traces(metadata, true), measured = count_traces(metadata, false);

	buffer_text(out, "\n## Times\n\n");
	if (simulated)
		buffer_printf(
		    out,
		    "**Time is virtual in %zu of %zu traces**: they are of deterministic guests, in which QEMU counts "
		    "instructions, one per nanosecond. There are no caches, no memory latency and no other load. What "
		    "the scheduler chose, and from which tasks, is what this kernel does with these times; durations, "
		    "and what follows from them, do not carry over to machines. The same kernel, picknext, QEMU and "
		    "seed "
		    "give the same rows.\n",
		    simulated, simulated + measured);
	if (measured)
		buffer_printf(out, "%sTimes in %zu of %zu traces are those of a clock: another run gives other rows.\n",
			      simulated ? "\n" : "", measured, simulated + measured);
}

/* The commands that recorded the traces, with their seeds, and the command that made rows of them. */
static void add_origin(const struct json_value *metadata, struct buffer *out)
{
	static const struct table_column columns[] = {
	    {"command", "command", TABLE_WORD, TABLE_ALWAYS},
	    {"picknext", "picknext", TABLE_WORD, TABLE_ALWAYS},
	    {"seeds", "seeds", TABLE_WORD, TABLE_ALWAYS},
	    {"traces", "traces", TABLE_NUMBER, TABLE_ALWAYS},
	    {.key = NULL},
	};
	const struct json_value *recordings = json_member(metadata, "recordings");

	buffer_printf(out, "\n## How it was made\n\nThe rows by picknext %s (commit `%s`):\n\n    picknext %s\n\n",
		      json_member_text(metadata, "picknext_version", "of unknown version"),
		      json_member_text(metadata, "picknext_commit", "unknown"),
		      json_member_text(metadata, "build_command", "build"));
	struct table table = table_of(columns);
	for (const struct json_value *it = recordings ? recordings->child : NULL; it; it = it->next) {
		uint64_t traces = 0;
		json_member_u64(it, "traces", &traces);
		table_string(&table, json_member_text(it, "command", "unknown"));
		table_string(&table, json_member_text(it, "picknext_version", "unknown"));
		table_string(&table, json_member_text(it, "seeds", ""));
		TABLE_NUMBERS(&table, traces);
	}
	buffer_text(out, "The traces by:\n\n");
	table_write_markdown(&table, out);
	table_free(&table);
}

static void add_limit(const struct json_value *metadata, const char *key, const char *of, struct buffer *out)
{
	uint64_t rows = 0;

	if (json_member_u64(metadata, key, &rows) && rows)
		buffer_printf(out, ", at most %" PRIu64 " of each %s", rows, of);
}

/* What was left out of the files. */
static void add_limits(const struct json_value *metadata, struct buffer *out)
{
	uint64_t rows = dataset_rows_of(metadata, OUTPUT_ALL), found = rows, taken;

	json_member_u64(metadata, "rows_found", &found);
	buffer_printf(out, "- **Which limits does it have?** %" PRIu64 " of %" PRIu64 " rows are in it", rows, found);
	add_limit(metadata, "max_rows_per_trace", "trace", out);
	add_limit(metadata, "max_rows_per_workload", "workload under one kernel and scheduler", out);
	if (rows < found && json_member_u64(metadata, "decisions_taken", &taken) &&
	    json_member_u64(metadata, "decisions_found", &found))
		buffer_printf(out,
			      "; a sample of %" PRIu64 " of %" PRIu64
			      " decisions, each with all its rows, drawn by the split seed",
			      taken, found);
	buffer_text(out, ". Of more than 64 candidates 64 are listed.\n");
}

/* The questions of "Datasheets for Datasets" (Gebru et al.) that have an answer here. */
static void add_datasheet(const struct json_value *metadata, const struct citation *citation, struct buffer *out)
{
	buffer_text(out,
		    "\n## Datasheet\n\n"
		    "- **Why?** To compare what schedulers of Linux decide, and to train and test models of them.\n"
		    "- **What is a row?** ");
	buffer_text(out, dataset_kind_of(metadata)->record);
	buffer_printf(
	    out,
	    " Each is what the kernel's tracepoints reported; nothing was labelled by hand.\n"
	    "- **What is missing?** Tasks without an event so far, and what lost events hide: such values are empty, "
	    "and dataset_meta.json counts them.\n"
	    "- **Is it split?** By whole traces, so that no trace is in two files%s.\n"
	    "- **Is anything about people in it?** Names of tasks, of the workloads and of the machine they ran on. "
	    "Rows of guests have no others.\n"
	    "- **What should it not be used for?** Statements about the speed of machines or of kernels in use.\n",
	    dataset_kind_of(metadata)->has_roles ? "" : " unless the split is reported as leaky");
	buffer_printf(out, "- **How was it made?** See above; the split seed is %.0f.\n",
		      json_member(metadata, "seed") ? json_member(metadata, "seed")->number : 0);
	add_limits(metadata, out);
	buffer_text(out, "- **Under which license?** ");
	add_code(citation->license, out);
	buffer_text(out, ".\n");
	for (size_t i = 0; i < citation->creators.count; i++) {
		buffer_text(out, i ? ", " : "- **By whom?** ");
		add_code(citation->creators.items[i], out);
	}
	if (citation->creators.count)
		buffer_text(out, ".\n");
	if (citation->url) {
		buffer_text(out, "- **Where is it?** ");
		add_code(citation->url, out);
		buffer_text(out, ".\n");
	}
	if (citation->doi) {
		buffer_text(out, "- **Under which DOI?** ");
		add_code(citation->doi, out);
		buffer_text(out, ".\n");
	}
}

static void add_readme(const struct json_value *metadata, const char *const sha256[OUTPUT_CSV_FILES],
		       const struct citation *citation, struct buffer *out)
{
	const char *held_out = json_member_text(metadata, "held_out", NULL);

	add_yaml(metadata, citation, out);
	buffer_printf(out, "# Linux scheduler %s\n\n%s\n\n", dataset_kind_of(metadata)->plural, dataset_summary_text);
	add_files_table(metadata, sha256, out);
	buffer_text(out, "\nWhole traces are in one file each. test_seen.csv has other traces of what train.csv has; "
			 "test_unseen.csv has what was held out");
	if (held_out) {
		buffer_text(out, ": ");
		add_code(held_out, out);
	}
	buffer_text(out,
		    ". all.csv is the three together. dataset_meta.json has the traces and how they were split.\n");
	add_origin(metadata, out);
	add_times(metadata, out);
	add_machines(metadata, out);
	add_cells(metadata, out);
	add_novelty(metadata, out);
	add_columns(metadata, out);
	add_datasheet(metadata, citation, out);
}

/* --- The files --- */

static enum status write_text(const char *directory, const char *name, struct buffer *text, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, name, err);

	if (status == STATUS_OK)
		status = output_write(path, text->data, text->length, err);
	buffer_free(text);
	return status;
}

/* dataset_meta.json has two kilobytes per trace. */
static enum status read_metadata(const char *directory, struct json_value **metadata, struct error *err)
{
	struct mapping file;
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, output_names[OUTPUT_METADATA], err);

	if (status == STATUS_OK)
		status = file_map(path, &file, err);
	if (status != STATUS_OK)
		return status;
	status = json_parse((const char *)file.bytes, file.length, path, metadata, err);
	file_unmap(&file);
	return status;
}

enum status dataset_card_write(const char *directory, const struct citation *citation, struct error *err)
{
	char sums[OUTPUT_CSV_FILES][SHA256_TEXT_SIZE];
	const char *sha256[OUTPUT_CSV_FILES];
	struct buffer readme = {0}, croissant = {0}, title = {0}, cff = {0};
	struct json_value *metadata;
	char path[PATH_MAX];

	enum status status = read_metadata(directory, &metadata, err);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < OUTPUT_CSV_FILES && status == STATUS_OK; i++) {
		sha256[i] = sums[i];
		status = file_join(path, sizeof(path), directory, output_names[i], err);
		if (status == STATUS_OK)
			status = sha256_file(path, sums[i], err);
	}
	if (status == STATUS_OK) {
		add_readme(metadata, sha256, citation, &readme);
		croissant_add(metadata, sha256, citation, &croissant);
		status = write_text(directory, "README.md", &readme, err);
	}
	if (status == STATUS_OK)
		status = write_text(directory, "croissant.json", &croissant, err);
	if (status == STATUS_OK && citation->creators.count) {
		buffer_printf(&title, "Linux scheduler %s, recorded by picknext", dataset_kind_of(metadata)->plural);
		citation_add(citation, title.data, json_member_text(metadata, "created_at", ""), &cff);
		status = write_text(directory, "CITATION.cff", &cff, err);
	}
	json_free(metadata);
	buffer_free(&croissant);
	buffer_free(&title);
	return status;
}
