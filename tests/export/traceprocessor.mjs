// SPDX-License-Identifier: GPL-2.0
/*
 * usage: node traceprocessor.mjs FOLDER TRACE <QUERIES
 *
 * Queries a trace with Google's trace_processor, which is in FOLDER as WebAssembly. QUERIES is
 * an array of SQL texts in JSON; prints an array of their results, each an array of rows.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const [folder, trace] = process.argv.slice(2);
const glue = path.join(folder, 'engine_bundle.node.js');

// The glue is made for a worker of a browser: it takes its program by a request, and a port by a message.
function replaced(text, what, by) {
	if (text.split(what).length !== 2)
		throw new Error(`${glue}: expected '${what}' once`);
	return text.replace(what, () => by);
}

let text = fs.readFileSync(glue, 'utf8');
text = replaced(text, 'this.useMemory64 = hasMemory64Support()', 'this.useMemory64 = false');
text = replaced(text, 'locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: self.program,');
const worker = { program: fs.readFileSync(path.join(folder, 'trace_processor.wasm')), location: { href: '' } };
// What it prints is about the trace: errors are asked for by a query.
const silent = { log() {}, warn() {}, error() {} };
vm.runInThisContext(`(function (self, console, process, WorkerGlobalScope) {${text}\n})`,
	{ filename: glue })(worker, silent, undefined, Object);

const { EngineBase } = await import(pathToFileURL(path.resolve(folder, 'engine.mjs')));
const { port1, port2 } = new MessageChannel();

class Engine extends EngineBase {
	id = 'test';
	mode = 'WASM';
	rpcSendRequestBytes(data) {
		port1.postMessage(data);
	}
}

const engine = new Engine();
port1.on('message', (data) => engine.onRpcResponseBytes(data));
worker.onmessage({ data: port2 });

const bytes = fs.readFileSync(trace);
const STEP = 16 << 20;
for (let at = 0; at < bytes.length; at += STEP)
	await engine.parse(new Uint8Array(bytes.subarray(at, at + STEP)));
await engine.notifyEof();

const results = [];
for (const sql of JSON.parse(fs.readFileSync(0, 'utf8'))) {
	const result = await engine.query(sql);
	const rows = [];
	for (const it = result.iter({}); it.valid(); it.next())
		rows.push(result.columns().map((name) => it.get(name)));
	results.push(rows);
}
const number = (key, value) => typeof value === 'bigint' ?
	(value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : value.toString()) : value;
process.stdout.write(JSON.stringify(results, number), () => process.exit(0));
