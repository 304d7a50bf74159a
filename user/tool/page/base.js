// SPDX-License-Identifier: GPL-2.0
/*
 * The page of lifetrace: its data, elements, and numbers as text. Names come from a trace and may be
 * anything: they enter as text only. The scripts of the page are one script in it, in the order of the
 * Makefile; each uses what stands before it.
 */
"use strict";
/* In the data a backslash of a name is two; of a byte that is no text, \xHH, it is one. */
const data = JSON.parse(document.getElementById("data").textContent,
	(_, value) => typeof value === "string" ? value.replaceAll("\\\\", "\\") : value);
/* Memory of some kinds is of no cache; coherent memory is of devices, in their place. */
const HAS_CACHES = document.getElementById("caches") !== null;
const CACHE = data.space === "dma" ? "device" : "slab cache";
/* A merged cache is shown as "NAME (+4)"; elsewhere, and for other commands, it has its name. */
const plain = cache => cache.replace(/ \(\+\d+\)$/, "");
const NS = document.getElementById("ns").namespaceURI;
const PARTS = data.time.parts;
const BIRTHS = 0, BYTES = 1, ENDS = 2, ENDED_BYTES = 3, OLDER = 4;
const OVER = Infinity;	/* a percentile that was not reached: it is longer than any other */

/* ---------------------------------------------------------------- elements */

function put(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {}))
		node.setAttribute(name, value);
	for (const child of children)
		node.append(child);	/* a string becomes text */
	return node;
}

const el = (tag, attributes, ...children) => put(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => put(document.createElementNS(NS, tag), attributes, children);
const box = id => document.querySelector(`#${id} .box`);
const output = (attributes, ...children) => el("output", { "aria-live": "polite", ...attributes }, ...children);

function button(text, act) {
	const node = el("button", { type: "button" }, text);

	node.addEventListener("click", act);
	return node;
}

/* @names: [value, text] of each choice. */
function select(label, names, value, act) {
	const node = el("select", { "aria-label": label }, ...names.map(([key, name]) => el("option", { value: key }, name)));

	node.value = value;
	node.addEventListener("change", () => act(node.value));
	return node;
}

function search(label, value, act) {
	const node = el("input", { type: "search", "aria-label": label, placeholder: label });

	node.value = value;
	node.addEventListener("input", () => act(node.value));
	return node;
}

/* Shows a part of the page, and takes the keyboard there. */
function goTo(id) {
	const node = document.getElementById(id), heading = node?.querySelector("h2");

	node?.scrollIntoView();
	if (heading) {
		heading.tabIndex = -1;
		heading.focus({ preventScroll: true });
	}
}

/* Arrow keys move among the nodes that the selector finds in a parent. */
function arrows(parent, selector) {
	parent.addEventListener("keydown", event => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], at = event.target.closest(selector);

		if (!step || !at)
			return;
		const all = [...parent.querySelectorAll(selector)].filter(node => !node.closest("[hidden]"));

		all[all.indexOf(at) + step]?.focus();
		event.preventDefault();
	});
}

/* ----------------------------------------------------------------- numbers */

/* As printf() rounds, so that the page has the same figures without JavaScript: ties to even. */
function fixed(x, digits) {
	const scaled = x * 10 ** digits;
	const tie = x * 2 ** (digits + 1) % 1 === 0 && Math.abs(scaled * 2 % 2) === 1;

	return (tie ? 2 * Math.round(scaled / 2) / 10 ** digits : x).toFixed(digits);
}

function bytes(n) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let unit = 0;

	while (Math.abs(n) >= 1024 && unit < units.length - 1) {
		n /= 1024;
		unit++;
	}
	return `${unit ? fixed(n, 1) : n} ${units[unit]}`;
}

const count = n => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");

function time(ns) {
	if (ns >= 1e9)
		return `${fixed(ns / 1e9, 3)} s`;
	if (ns >= 1e6)
		return `${fixed(ns / 1e6, 1)} ms`;
	return ns >= 1e3 ? `${fixed(ns / 1e3, 1)} us` : `${Math.round(ns)} ns`;
}

const signed = n => `${n < 0 ? "−" : n > 0 ? "+" : ""}${bytes(Math.abs(n))}`;

/* The value of a column as a cell. */
function text(name, value) {
	if (value === null || value === undefined)
		return "";
	if (value === OVER)
		return "not reached";
	if (typeof value === "string")
		return value;
	if (name.endsWith("_ns"))
		return time(value);
	if (name === "growth_bytes")
		return signed(value);
	if (name === "growth_bytes_per_s")
		return `${signed(Math.round(value))}/s`;
	if (name.endsWith("_per_s") || name.endsWith("_percent"))
		return fixed(value, 1);
	return /bytes$/.test(name) ? bytes(value) : count(value);
}

/* What is not known is last, whatever the order. */
function compare(a, b, falling) {
	const unknown = value => value === null || value === undefined || value === "";

	if (unknown(a) || unknown(b))
		return unknown(a) - unknown(b);
	const order = typeof a === "string" ? (a < b ? -1 : a > b ? 1 : 0) : a === b ? 0 : a < b ? -1 : 1;

	return falling ? -order : order;
}

/* -------------------------------------------------------------- over time */

/* What is alive at the end of each part; at the begin: what is older than the trace, if there is such. */
function alive(series) {
	let now = series[OLDER] ? series[OLDER][1] : 0;

	return Array.from({ length: PARTS }, (_, i) => {
		now += (series[BYTES][i] || 0) - (series[ENDED_BYTES][i] || 0);
		return now;
	});
}

function between(series, what, window) {
	let sum = 0;

	for (let i = window[0]; i <= window[1]; i++)
		sum += series[what][i] || 0;
	return sum;
}

const named = table => table.rows.map(row => row[0] === null ? "(unknown)" : row[0]);
/* After the begin of the trace, as the times of --from. */
const since = part => data.time.begin_ns + part * data.time.step_ns;
const partOf = ns => Math.min(PARTS - 1, Math.max(0, Math.floor((ns - data.time.begin_ns) / data.time.step_ns)));
