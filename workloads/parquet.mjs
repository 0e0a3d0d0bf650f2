// SPDX-License-Identifier: MIT
// node parquet.mjs DIR: writes each CSV of the dataset in DIR as Parquet beside it. Needs DuckDB (npm install
// @duckdb/node-api).
// Columns get the types of column_types in dataset_meta.json.
import {DuckDBInstance} from '@duckdb/node-api';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';

const quoted = (text) => "'" + text.replaceAll("'", "''") + "'";
// DECIMAL keeps the nine decimals of seconds, and all digits before them. An unknown integer of a list is "-".
const converted = {
	text: (column) => column,
	integer: (column) => `CAST(${column} AS BIGINT)`,
	real: (column) => `CAST(${column} AS DOUBLE)`,
	seconds: (column) => `CAST(${column} AS DECIMAL(20, 9))`,
	texts: (column) => `string_split(${column}, ' ')`,
	integers: (column) => `list_transform(string_split(${column}, ' '), x -> TRY_CAST(x AS BIGINT))`,
};
const meta = JSON.parse(readFileSync(join(process.argv[2], 'dataset_meta.json'), 'utf8'));
const select = meta.csv_columns.map((column, i) => `${converted[meta.column_types[i]](column)} AS ${column}`).join(', ');
const db = await (await DuckDBInstance.create(':memory:')).connect();
for (const name of ['train', 'test_seen', 'test_unseen', 'all']) {
	const csv = join(process.argv[2], name + '.csv'), parquet = join(process.argv[2], name + '.parquet');
	const rows = `read_csv(${quoted(csv)}, header = true, delim = ',', quote = '"', escape = '"', all_varchar = true,
		nullstr = '', max_line_size = 16777216, strict_mode = true)`;
	await db.run(`COPY (SELECT ${select} FROM ${rows}) TO ${quoted(parquet)} (FORMAT parquet, COMPRESSION zstd)`);
	const count = (await (await db.run(`SELECT count(*) FROM ${quoted(parquet)}`)).getRows())[0][0];
	console.log(`${name}.parquet ${count} rows ${statSync(parquet).size} bytes (CSV ${statSync(csv).size})`);
}
