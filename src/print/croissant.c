/* SPDX-License-Identifier: MIT */
#include "print/croissant.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A list has the type of its values; "-" may be among them. */
static const char *type_of(const struct column *column)
{
	switch (column->type) {
	case COLUMN_INTEGER:
		return "sc:Integer";
	case COLUMN_REAL:
	case COLUMN_SECONDS:
		return "sc:Float";
	default:
		return "sc:Text";
	}
}

static void add_context(struct json_writer *json)
{
	static const char *const terms[][2] = {
	    {"@language", "en"},
	    {"@vocab", "https://schema.org/"},
	    {"arrayShape", "cr:arrayShape"},
	    {"citeAs", "cr:citeAs"},
	    {"column", "cr:column"},
	    {"conformsTo", "dct:conformsTo"},
	    {"cr", "http://mlcommons.org/croissant/"},
	    {"dct", "http://purl.org/dc/terms/"},
	    {"equivalentProperty", "cr:equivalentProperty"},
	    {"extract", "cr:extract"},
	    {"field", "cr:field"},
	    {"fileObject", "cr:fileObject"},
	    {"fileProperty", "cr:fileProperty"},
	    {"fileSet", "cr:fileSet"},
	    {"format", "cr:format"},
	    {"includes", "cr:includes"},
	    {"isArray", "cr:isArray"},
	    {"isLiveDataset", "cr:isLiveDataset"},
	    {"jsonPath", "cr:jsonPath"},
	    {"key", "cr:key"},
	    {"md5", "cr:md5"},
	    {"parentField", "cr:parentField"},
	    {"path", "cr:path"},
	    {"rai", "http://mlcommons.org/croissant/RAI/"},
	    {"recordSet", "cr:recordSet"},
	    {"references", "cr:references"},
	    {"regex", "cr:regex"},
	    {"repeated", "cr:repeated"},
	    {"replace", "cr:replace"},
	    {"samplingRate", "cr:samplingRate"},
	    {"sc", "https://schema.org/"},
	    {"separator", "cr:separator"},
	    {"source", "cr:source"},
	    {"subField", "cr:subField"},
	    {"transform", "cr:transform"},
	};
	static const char *const typed[][3] = {
	    {"data", "cr:data", "@json"}, {"dataType", "cr:dataType", "@vocab"}, {"examples", "cr:examples", "@json"}};

	json_object_begin(json, "@context");
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
		json_text(json, terms[i][0], terms[i][1]);
	for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++) {
		json_object_begin(json, typed[i][0]);
		json_text(json, "@id", typed[i][1]);
		json_text(json, "@type", typed[i][2]);
		json_object_end(json);
	}
	json_object_end(json);
}

static void add_files(const struct json_value *metadata, const char *const sha256[OUTPUT_CSV_FILES],
		      struct json_writer *json)
{
	char size[32];

	json_array_begin(json, "distribution");
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++) {
		snprintf(size, sizeof(size), "%" PRIu64 " B", dataset_bytes_of(metadata, i));
		json_object_begin(json, NULL);
		json_text(json, "@type", "cr:FileObject");
		json_text(json, "@id", output_names[i]);
		json_text(json, "name", output_names[i]);
		json_text(json, "contentUrl", output_names[i]);
		json_text(json, "contentSize", size);
		json_text(json, "encodingFormat", "text/csv");
		json_text(json, "sha256", sha256[i]);
		json_object_end(json);
	}
	json_array_end(json);
}

static void add_field(const char *name, const struct columns *known, size_t file, struct json_writer *json)
{
	const struct column *column = columns_find(known, name);
	const bool is_list = column && (column->type == COLUMN_TEXTS || column->type == COLUMN_INTEGERS);
	char id[128];

	snprintf(id, sizeof(id), "%.*s/%s", output_stem_length(file), output_names[file], name);
	json_object_begin(json, NULL);
	json_text(json, "@type", "cr:Field");
	json_text(json, "@id", id);
	json_text(json, "name", name);
	json_text(json, "description", column ? column->meaning : name);
	json_text(json, "dataType", column ? type_of(column) : "sc:Text");
	if (is_list) {
		json_bool(json, "isArray", true);
		json_text(json, "arrayShape", "-1");
	}
	json_object_begin(json, "source");
	json_object_begin(json, "fileObject");
	json_text(json, "@id", output_names[file]);
	json_object_end(json);
	json_object_begin(json, "extract");
	json_text(json, "column", name);
	json_object_end(json);
	if (is_list) {
		json_object_begin(json, "transform");
		json_text(json, "separator", " ");
		json_object_end(json);
	}
	json_object_end(json);
	json_object_end(json);
}

/* A record set per split; all.csv repeats them. */
static void add_record_sets(const struct json_value *metadata, struct json_writer *json)
{
	const struct json_value *columns = json_member(metadata, "csv_columns");
	const struct columns known = dataset_columns_of(metadata);
	char name[32];

	json_array_begin(json, "recordSet");
	for (size_t i = 0; i < OUTPUT_ALL; i++) {
		snprintf(name, sizeof(name), "%.*s", output_stem_length(i), output_names[i]);
		json_object_begin(json, NULL);
		json_text(json, "@type", "cr:RecordSet");
		json_text(json, "@id", name);
		json_text(json, "name", name);
		json_text(json, "description", dataset_kind_of(metadata)->record);
		json_array_begin(json, "field");
		for (const struct json_value *it = columns ? columns->child : NULL; it; it = it->next)
			if (it->kind == JSON_TEXT)
				add_field(it->text, &known, i, json);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

/* A BibTeX entry. */
static void add_cite_as(const struct json_value *metadata, const struct citation *citation, struct json_writer *json)
{
	struct buffer entry = {0};

	buffer_printf(&entry, "@misc{picknext-%s, title={Linux scheduler %s}, author={",
		      dataset_kind_of(metadata)->plural, dataset_kind_of(metadata)->plural);
	for (size_t i = 0; i < citation->creators.count; i++)
		buffer_printf(&entry, "%s%s", i ? " and " : "", citation->creators.items[i]);
	buffer_printf(&entry, "}, year={%.4s}", json_member_text(metadata, "created_at", ""));
	if (citation->doi)
		buffer_printf(&entry, ", doi={%s}", citation->doi);
	if (citation->url)
		buffer_printf(&entry, ", url={%s}", citation->url);
	buffer_text(&entry, "}");
	json_bytes(json, "citeAs", entry.data, entry.length);
	buffer_free(&entry);
}

/* License, creators, URL and DOI. */
static void add_origin(const struct citation *citation, struct json_writer *json)
{
	const bool is_link = strstr(citation->license, "://");
	char license[600];

	snprintf(license, sizeof(license), "%s%s", is_link ? "" : "https://spdx.org/licenses/", citation->license);
	json_text(json, "license", license);
	if (citation->url)
		json_text(json, "url", citation->url);
	if (citation->doi) {
		snprintf(license, sizeof(license), "https://doi.org/%s", citation->doi);
		json_text(json, "identifier", license);
	}
	if (!citation->creators.count)
		return;
	json_array_begin(json, "creator");
	for (size_t i = 0; i < citation->creators.count; i++) {
		json_object_begin(json, NULL);
		json_text(json, "@type", "sc:Person");
		json_text(json, "name", citation->creators.items[i]);
		json_object_end(json);
	}
	json_array_end(json);
}

void croissant_add(const struct json_value *metadata, const char *const sha256[OUTPUT_CSV_FILES],
		   const struct citation *citation, struct buffer *out)
{
	struct json_writer json = {.out = out};
	char name[64];

	json_object_begin(&json, NULL);
	add_context(&json);
	json_text(&json, "@type", "sc:Dataset");
	snprintf(name, sizeof(name), "linux-scheduler-%s", dataset_kind_of(metadata)->plural);
	json_text(&json, "name", name);
	json_text(&json, "description", dataset_summary_text);
	json_text(&json, "conformsTo", "http://mlcommons.org/croissant/1.1");
	add_origin(citation, &json);
	if (citation->creators.count)
		add_cite_as(metadata, citation, &json);
	json_text(&json, "datePublished", json_member_text(metadata, "created_at", NULL));
	json_text(&json, "version", "1.0.0");
	json_bool(&json, "isLiveDataset", false);
	add_files(metadata, sha256, &json);
	add_record_sets(metadata, &json);
	json_object_end(&json);
	buffer_text(out, "\n");
}
