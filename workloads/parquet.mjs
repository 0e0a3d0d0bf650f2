// SPDX-License-Identifier: MIT
// node parquet.mjs DIR: each CSV of the dataset in DIR as Parquet beside it, by DuckDB (npm install @duckdb/node-api).
// Columns keep their texts, except that numbers become numbers; lists of candidates become lists.
import {DuckDBInstance} from '@duckdb/node-api';
import {statSync} from 'node:fs';
import {join} from 'node:path';

const quoted = (text) => "'" + text.replaceAll("'", "''") + "'";
const db = await (await DuckDBInstance.create(':memory:')).connect();
for (const name of ['train', 'test_seen', 'test_unseen', 'all']) {
	const csv = join(process.argv[2], name + '.csv'), parquet = join(process.argv[2], name + '.parquet');
	const rows = `read_csv(${quoted(csv)}, header = true, delim = ',', quote = '"', escape = '"', all_varchar = true,
		nullstr = '', max_line_size = 16777216, strict_mode = true)`;
	const columns = (await (await db.run(`DESCRIBE SELECT * FROM ${rows}`)).getRows()).map((row) => row[0]);
	const numbers = /^(base_slice_ns|time_ns|cpu|others_.*|prev_prio|prev_ran_ns|candidates|chosen|pid|next_prio|prev_pid|waker_pid|runnable_tasks)$/;
	const select = columns.map((column) =>
		numbers.test(column) ? `CAST(${column} AS BIGINT) AS ${column}`
		: /^candidate_(roles|causes)$/.test(column) ? `string_split(${column}, ' ') AS ${column}`
		: /^candidate_/.test(column) ? `list_transform(string_split(${column}, ' '), x -> TRY_CAST(x AS BIGINT)) AS ${column}`
		: column === 'weight' ? `CAST(${column} AS DOUBLE) AS ${column}`
		: column);
	await db.run(`COPY (SELECT ${select.join(', ')} FROM ${rows}) TO ${quoted(parquet)} (FORMAT parquet, COMPRESSION zstd)`);
	const count = (await (await db.run(`SELECT count(*) FROM ${quoted(parquet)}`)).getRows())[0][0];
	console.log(`${name}.parquet ${count} rows ${statSync(parquet).size} bytes (CSV ${statSync(csv).size})`);
}
