// SPDX-License-Identifier: GPL-2.0
/*
 * usage: node query.mjs FOLDER <STATEMENTS
 *
 * Runs SQL in DuckDB, which is in FOLDER/node_modules. STATEMENTS is an array of SQL texts in JSON;
 * prints an array of their results, each an array of objects. Integers are texts, whatever their
 * size, as JSON's numbers are not exact.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const module = path.resolve(process.argv[2], 'node_modules/@duckdb/node-api/lib/index.js');
const { DuckDBInstance } = await import(pathToFileURL(module));
const db = await (await DuckDBInstance.create(':memory:')).connect();
const results = [];

for (const sql of JSON.parse(fs.readFileSync(0, 'utf8')))
	results.push((await db.runAndReadAll(sql)).getRowObjectsJson());
fs.writeFileSync(1, JSON.stringify(results));
process.exit(0);
