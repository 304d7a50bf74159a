// SPDX-License-Identifier: GPL-2.0
/*
 * The page of lifetrace: charts, and tables that can be sorted and searched, from the data that stands
 * in the page. Names come from a trace and may be anything: they enter as text only.
 */
"use strict";
(() => {
/* In the data a backslash of a name is two; of a byte that is no text, \xHH, it is one. */
const data = JSON.parse(document.getElementById("data").textContent,
	(_, value) => typeof value === "string" ? value.replaceAll("\\\\", "\\") : value);
const NS = document.getElementById("ns").namespaceURI;
const PARTS = data.time.parts;
const SERIES = 8;	/* in the chart; the others are one */
const ROW = 18;		/* height of a frame */
const MORE = 50;	/* rows of a table at first, and each time that more are wanted */
const BIRTHS = 0, BYTES = 1, ENDS = 2, ENDED_BYTES = 3, OLDER = 4;

/* The chosen window: numbers of its first and last part; null: all of the time. */
let chosen = null;
const listeners = [];

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

function button(text, act) {
	const node = el("button", { type: "button" }, text);

	node.addEventListener("click", act);
	return node;
}

function select(label, names, act) {
	const node = el("select", {}, ...names.map((name, i) => el("option", { value: i }, name)));

	node.addEventListener("change", () => act(Number(node.value)));
	return el("label", {}, `${label} `, node);
}

function search(label, act) {
	const node = el("input", { type: "search", "aria-label": label, placeholder: label });

	node.addEventListener("input", () => act(node.value.toLowerCase()));
	return node;
}

/* ----------------------------------------------------------------- numbers */

function bytes(n) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let unit = 0;

	while (Math.abs(n) >= 1024 && unit < units.length - 1) {
		n /= 1024;
		unit++;
	}
	return `${unit ? n.toFixed(1) : n} ${units[unit]}`;
}

const count = n => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");

function time(ns) {
	if (ns >= 1e9)
		return `${(ns / 1e9).toPrecision(4)} s`;
	if (ns >= 1e6)
		return `${(ns / 1e6).toPrecision(3)} ms`;
	return ns >= 1e3 ? `${(ns / 1e3).toPrecision(3)} µs` : `${ns} ns`;
}

function text(name, value) {
	if (value === null || value === undefined)
		return "";
	if (typeof value === "string")
		return value;
	if (name.endsWith("_ns"))
		return time(value);
	if (name.endsWith("_per_s") || name.endsWith("_percent"))
		return value.toFixed(1);
	return /bytes$/.test(name) ? bytes(value) : count(value);
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
const since = part => data.time.before_ns + part * data.time.step_ns;

function choose(window) {
	chosen = window;
	for (const listener of listeners)
		listener();
}

/* The caches that have most alive at a time, and the sum of the others. */
function layers() {
	const names = named(data.caches), all = data.time.caches;
	const rest = alive(all[all.length - 1]);
	const list = all.slice(0, -1).map((series, i) => ({ name: names[i], parts: series && alive(series) }))
		.filter(layer => layer.parts);

	list.sort((a, b) => Math.max(...b.parts) - Math.max(...a.parts));
	for (const layer of list.splice(SERIES))
		layer.parts.forEach((n, i) => { rest[i] += n; });
	list.push({ name: "other caches", parts: rest });
	return list;
}

function area(lower, upper, x, y) {
	const there = upper.map((n, i) => `${x(i + 1)},${y(n)}`);
	const back = lower.map((n, i) => `${x(i + 1)},${y(n)}`).reverse();

	return `M${x(0)},${y(0)}L${there.join("L")}L${back.join("L")}Z`;
}

function drawAxes(svg, width, height, left, most) {
	for (let i = 0; i <= 4; i++) {
		const y = height - 20 - (height - 30) * i / 4;
		const x = left + (width - left) * i / 4;

		svg.append(draw("line", { class: "grid", x1: left, x2: width, y1: y, y2: y }),
			draw("text", { class: "axis", x: 0, y: y + 4 }, bytes(Math.round(most * i / 4))),
			draw("text", { class: "axis", x, y: height - 4, "text-anchor": ["start", "middle", "middle", "middle", "end"][i] },
				time(since(PARTS * i / 4))));
	}
}

function drawMemory(svg, list) {
	const width = Math.max(svg.parentNode.clientWidth, 200), height = 260, left = 70;
	let lower = new Array(PARTS).fill(0);
	const sums = lower.map((_, i) => list.reduce((sum, layer) => sum + layer.parts[i], 0));
	const most = Math.max(...sums, data.summary.peak_bytes, 1);
	const x = part => left + (width - left) * part / PARTS;
	const y = n => height - 20 - (height - 30) * n / most;

	svg.replaceChildren();
	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	svg.setAttribute("height", height);
	drawAxes(svg, width, height, left, most);
	list.forEach((layer, i) => {
		const upper = lower.map((n, k) => n + layer.parts[k]);

		svg.append(draw("path", { class: `s${i === list.length - 1 ? 8 : i}`, d: area(lower, upper, x, y) }));
		lower = upper;
	});
	if (data.summary.peak_ns) {
		const at = x((data.summary.peak_ns - data.time.begin_ns) / data.time.step_ns);

		svg.append(draw("line", { class: "peak", x1: at, x2: at, y1: y(data.summary.peak_bytes), y2: height - 20 }));
	}
	if (chosen)
		svg.append(draw("rect", { class: "pick", x: x(chosen[0]), y: 4, height: height - 24,
			width: x(chosen[1] + 1) - x(chosen[0]) }));
	return event => {
		const rect = svg.getBoundingClientRect();
		const at = (event.clientX - rect.left) * width / rect.width;

		return Math.min(PARTS - 1, Math.max(0, Math.floor((at - left) / (width - left) * PARTS)));
	};
}

/* Arrows move the window; with shift they move its end. */
function moveWindow(event) {
	const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
	let [from, to] = chosen || [0, Math.floor(PARTS / 10)];

	if (event.key === "Escape") {
		choose(null);
	} else if (step) {
		event.preventDefault();
		if (!event.shiftKey && from + step >= 0 && to + step < PARTS && chosen)
			from += step;
		if (to + step >= from && to + step < PARTS && chosen && (event.shiftKey || from !== chosen[0]))
			to += step;
		choose([from, to]);
	}
}

function sayWindow() {
	const all = data.time.caches.filter(series => series);
	const sum = what => all.reduce((n, series) => n + between(series, what, chosen || [0, PARTS - 1]), 0);
	const grown = sum(BYTES) - sum(ENDED_BYTES);
	const where = chosen ? `Window: ${time(since(chosen[0]))} to ${time(since(chosen[1] + 1))} after the begin` :
		"All of the time";

	return `${where}: ${count(sum(BIRTHS))} allocations of ${bytes(sum(BYTES))}, ${count(sum(ENDS))} frees of ` +
		`${bytes(sum(ENDED_BYTES))}, ${grown < 0 ? "" : "+"}${bytes(grown)}.`;
}

function showMemory() {
	const list = layers();
	const svg = draw("svg", { tabindex: 0, role: "application",
		"aria-label": "Memory over time by cache. Arrow keys choose and move a window, with shift they change its length, Escape ends it." });
	const says = el("output", {});
	const clear = button("All of the time", () => choose(null));
	let part, from = null;
	const show = () => {
		part = drawMemory(svg, list);
		says.textContent = sayWindow();
		clear.disabled = !chosen;
	};

	svg.addEventListener("pointerdown", event => {
		from = part(event);
		svg.setPointerCapture(event.pointerId);
	});
	svg.addEventListener("pointermove", event => {
		if (from !== null)
			choose([Math.min(from, part(event)), Math.max(from, part(event))]);
	});
	svg.addEventListener("pointerup", () => { from = null; });
	svg.addEventListener("pointercancel", () => { from = null; });
	svg.addEventListener("keydown", moveWindow);
	box("memory").append(
		el("p", { class: "note" }, "Bytes alive at the end of each of ", String(PARTS), " parts of the time. Drag, or use the arrow keys, to choose " +
			"a window: the flame graph and the tables of caches and call sites are of the window then. " +
			`The broken line is the peak, ${bytes(data.summary.peak_bytes)}. What may be alive counts as alive.`),
		svg, el("ul", { class: "legend" }, ...list.map((layer, i) =>
			el("li", {}, el("i", { class: `s${i === list.length - 1 ? 8 : i}` }), layer.name))),
		el("div", { class: "tools" }, clear), says);
	listeners.push(show);
	window.addEventListener("resize", show);
	show();
}

/* ------------------------------------------------------------------ tables */

/* A table of @content(): { columns, rows, keys }; @keys columns are names. */
function showTable(parent, label, content) {
	const wrap = el("div", { class: "scroll" }), note = el("p", { class: "note" });
	let by = null, falling = true, wanted = "", shown = MORE;
	const more = button("More rows", () => { shown += MORE; show(); });
	const sort = column => {
		falling = by === column ? !falling : true;
		by = column;
		show();
		wrap.querySelectorAll("th button")[column].focus();
	};

	function show() {
		const { columns, rows, keys, says } = content();
		const found = rows.filter(row => row.slice(0, keys).join(" ").toLowerCase().includes(wanted));
		const order = by !== null && by < columns.length ? by : null;

		if (order !== null)
			found.sort((a, b) => compare(a[order], b[order]) * (falling ? -1 : 1));
		wrap.replaceChildren(el("table", {}, el("caption", {}, label),
			el("thead", {}, el("tr", {}, ...columns.map((name, i) => put(el("th", { scope: "col", class: i < keys ? "name" : "" }),
				i === order ? { "aria-sort": falling ? "descending" : "ascending" } : {},
				[button(name.replace(/_(bytes|ns|per_s)$/, " $1").replace(/_/g, " ").replace(/ ns$/, ""), () => sort(i))])))),
			el("tbody", {}, ...found.slice(0, shown).map(row => el("tr", {}, ...row.map((value, i) =>
				el("td", i < keys ? { class: "name", title: text(columns[i], value) } : {}, text(columns[i], value))))))));
		note.textContent = `${Math.min(shown, found.length)} of ${found.length} rows. ${says}`;
		more.hidden = found.length <= shown;
	}

	parent.replaceChildren(el("div", { class: "tools" }, search(`Search ${label.toLowerCase()}`, value => { wanted = value; show(); })),
		wrap, note, more);
	listeners.push(show);
	show();
}

function compare(a, b) {
	if (a === null || b === null)
		return (a !== null) - (b !== null);
	return typeof a === "string" ? a.localeCompare(b, "en") : a - b;
}

/* The rows of a table in the chosen window, from births and ends by time. */
function inWindow(table, series, keys) {
	const rows = [];

	series.forEach((one, i) => {
		const last = i === series.length - 1;

		if (!one)
			return;
		const key = last ? ["(all others)", ...new Array(keys - 1).fill("")] : table.rows[i].slice(0, keys);
		const sums = [BIRTHS, BYTES, ENDS, ENDED_BYTES].map(what => between(one, what, chosen));
		const row = [...key, ...sums, sums[BYTES] - sums[ENDED_BYTES], alive(one)[chosen[1]]];

		if (row.slice(keys).some(n => n))
			rows.push(row);
	});
	return { keys, rows, says: "In the window; what is alive is so at its end. Rows that have no births and ends by time are summed up.",
		columns: [...table.columns.slice(0, keys), "allocations", "bytes", "frees", "freed_bytes", "growth_bytes", "alive_bytes"] };
}

function showRows(id, label, keys) {
	const table = data[id], by = id === "sites" ? "site" : "cache";
	const left = table.total_rows - table.rows.length;

	showTable(box(id), label, () => chosen ? inWindow(table, data.time[id], keys) :
		{ columns: table.columns, rows: table.rows, keys,
		  says: left ? `${count(left)} other rows, which have least, are not in the page: lifetrace report --by=${by} -n 0 prints them.` : "" });
}

/* ------------------------------------------------------------------- flame */

const flame = { sum: 0, icicle: true, wanted: "", top: null, root: null };

function add(node, name, value) {
	let child = node.children.get(name);

	if (!child) {
		child = { name, value: 0, children: new Map(), up: node };
		node.children.set(name, child);
	}
	child.value += value;
	return child;
}

/* The tree of the paths; in a window that of caches and call sites, of which alone it is known. */
function makeTree() {
	const what = data.flame.sums[flame.sum];
	const root = { name: "all", value: 0, children: new Map(), up: null };
	const path = (names, value) => {
		if (value <= 0)
			return;
		root.value += value;
		names.reduce((node, name) => add(node, name, value), root);
	};

	if (!chosen) {
		for (const row of data.flame.rows)
			path(row[0].map(i => data.flame.names[i]), row[1 + flame.sum]);
		path(["(other paths)"], data.flame.rest[1 + flame.sum]);
		return root;
	}
	data.time.sites.forEach((one, i) => {
		const row = data.sites.rows[i];
		const value = one && (what === "churn" ? between(one, BIRTHS, chosen) :
			what === "bytes" ? between(one, BYTES, chosen) : what === "alive" ? alive(one)[chosen[1]] : 0);

		path(i === data.time.sites.length - 1 ? ["(other call sites)"] : [`cache ${row[1]}`, row[0] === null ? "(unknown)" : row[0]], value || 0);
	});
	return root;
}

function flameText(node) {
	const what = data.flame.sums[flame.sum];
	const value = what === "churn" ? `${count(node.value)} allocations` : what === "lifetime" ? time(node.value) : bytes(node.value);
	const part = flame.root.value ? 100 * node.value / flame.root.value : 0;

	return `${node.name}: ${value}, ${part.toFixed(1)} %`;
}

/* The nodes that are wide enough to be seen, as { node, x, width, depth }. */
function layout(top, width) {
	const list = [], todo = [{ node: top, x: 0, width, depth: 0 }];

	while (todo.length) {
		const one = todo.pop();
		let x = one.x;

		list.push(one);
		for (const node of [...one.node.children.values()].sort((a, b) => b.value - a.value || compare(a.name, b.name))) {
			const wide = one.width * node.value / one.node.value;

			if (wide >= 1)
				todo.push({ node, x, width: wide, depth: one.depth + 1 });
			x += wide;
		}
	}
	return list;
}

const color = name => [...name].reduce((h, c) => (h * 31 + c.codePointAt(0)) % 8191, 7) % 8;

function drawFrame(one, y, act) {
	const g = draw("g", { class: "frame", tabindex: one.depth ? -1 : 0, role: "button", "aria-label": flameText(one.node) },
		draw("title", {}, flameText(one.node)),
		draw("rect", { class: `s${color(one.node.name)}`, x: one.x, y, width: one.width, height: ROW - 1 }));
	const room = Math.floor((one.width - 6) / 6.2);

	if (room > 2)
		g.append(draw("text", { x: one.x + 3, y: y + 13 }, one.node.name.length > room ? `${one.node.name.slice(0, room - 1)}…` : one.node.name));
	if (flame.wanted && one.node.name.toLowerCase().includes(flame.wanted))
		g.classList.add("found");
	g.addEventListener("click", act);
	return g;
}

/* Where a key leads to from a frame; null: nowhere. */
function neighbour(list, one, key) {
	const beside = list.filter(other => other.depth === one.depth).sort((a, b) => a.x - b.x);
	const below = list.filter(other => other.node.up === one.node).sort((a, b) => a.x - b.x)[0];
	const above = list.find(other => other.node === one.node.up && other.depth < one.depth);

	switch (key) {
	case "ArrowLeft":
		return beside[beside.indexOf(one) - 1];
	case "ArrowRight":
		return beside[beside.indexOf(one) + 1];
	case "ArrowDown":
		return flame.icicle ? below : above;
	case "ArrowUp":
		return flame.icicle ? above : below;
	default:
		return null;
	}
}

function drawFlame(svg, says) {
	const width = Math.max(svg.parentNode.clientWidth, 200);
	const zoom = node => { flame.top = node; drawFlame(svg, says); svg.querySelector(".frame")?.focus(); };
	const list = flame.top.value ? layout(flame.top, width) : [];
	const depth = list.reduce((most, one) => Math.max(most, one.depth), 0) + 1;

	svg.setAttribute("viewBox", `0 0 ${width} ${depth * ROW}`);
	svg.setAttribute("height", depth * ROW);
	svg.replaceChildren();
	for (const one of list) {
		const y = (flame.icicle ? one.depth : depth - 1 - one.depth) * ROW;

		one.frame = drawFrame(one, y, () => zoom(one.node === flame.top && one.node.up ? one.node.up : one.node));
		one.frame.addEventListener("focus", () => { says.textContent = flameText(one.node); });
		one.frame.addEventListener("pointerenter", () => { says.textContent = flameText(one.node); });
		one.frame.addEventListener("keydown", event => {
			const other = neighbour(list, one, event.key);

			if (event.key === "Enter" || event.key === " ")
				zoom(one.node);
			else if (event.key === "Escape")
				zoom(flame.root);
			else if (other)
				other.frame.focus();
			else
				return;
			event.preventDefault();
		});
		svg.append(one.frame);
	}
	says.textContent = list.length ? flameText(flame.top) : chosen ?
		"Nothing in the window; of peak, slack and lifetimes nothing is known by time." : "Nothing.";
}

function showFlame() {
	const svg = draw("svg", { role: "group", "aria-label": "Flame graph" }), says = el("output", {});
	const titles = { alive: "alive at the end (bytes)", peak: "alive at the peak (bytes)", churn: "churn (allocations)",
		bytes: "allocated (bytes)", slack: "slack (bytes)", lifetime: "lifetimes (sum of exact ones)" };
	const show = () => {
		flame.root = makeTree();
		flame.top = flame.root;
		drawFlame(svg, says);
	};
	const rest = data.flame.rest[0], oneIn = data.flame.stacks_one_in;

	box("flame").append(el("div", { class: "tools" },
		select("Of", data.flame.sums.map(name => titles[name]), i => { flame.sum = i; show(); }),
		select("as", ["icicle", "flame"], i => { flame.icicle = !i; drawFlame(svg, says); }),
		search("Search frames", value => { flame.wanted = value; drawFlame(svg, says); }),
		button("All", () => { flame.top = flame.root; drawFlame(svg, says); })), says, svg,
		el("p", { class: "note" }, "A click or Enter makes a frame as wide as the page, again or Escape goes back; arrow keys move. " +
			(rest ? `${count(rest)} paths, which have least, are one: (other paths).` : "") +
			(oneIn ? ` Stacks were recorded of births at one address of ${oneIn}, each of which stands for ${oneIn} here: an estimate.` : "")));
	listeners.push(show);
	window.addEventListener("resize", () => drawFlame(svg, says));
	show();
}

/* --------------------------------------------------------------- lifetimes */

function drawLives(svg, life) {
	const [from, ended, ages, survival] = life;
	const width = Math.max(svg.parentNode.clientWidth, 200), height = 220, left = 60, bottom = height - 34;
	const n = Math.max(ended.length, 1), step = (width - left) / n;
	const most = Math.max(1, ...ended, ...ages);
	const y = part => bottom - (bottom - 10) * part;
	const x = ns => left + step * (Math.log2(Math.max(ns, 1)) - from);

	svg.replaceChildren();
	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	svg.setAttribute("height", height);
	for (let i = 0; i <= 4; i++)
		svg.append(draw("line", { class: "grid", x1: left, x2: width, y1: y(i / 4), y2: y(i / 4) }),
			draw("text", { class: "axis", x: 0, y: y(i / 4) + 4 }, `${25 * i} %`));
	ended.forEach((value, i) => {
		const bar = (name, size, at) => draw("rect", { class: name, x: left + step * (i + at), width: Math.max(step * 0.42, 1),
			y: y(size / most), height: bottom - y(size / most) });
		const title = draw("title", {}, `${time(2 ** (from + i))} to ${time(2 ** (from + i + 1))}: ${count(value)} ended, ${count(ages[i])} alive`);

		svg.append(draw("g", {}, title, bar("s0", value, .05), bar("s1", ages[i], .5)));
		if (i % Math.ceil(70 / step) === 0)
			svg.append(draw("text", { class: "axis", x: left + step * i, y: height - 18 }, time(2 ** (from + i))));
	});
	let line = `M${left},${y(1)}`, now = 1;
	survival.forEach((ns, i) => {
		const next = 1 - (i < 19 ? 5 * (i + 1) : 99) / 100;

		line += `L${x(ns)},${y(now)}L${x(ns)},${y(next)}`;
		now = next;
	});
	svg.append(draw("path", { class: "curve", d: survival.length < 20 ? `${line}L${width},${y(now)}` : line }));
}

function showLives() {
	const kinds = ["caches", "sites"], svg = draw("svg", { role: "img" }), says = el("output", {});
	const pick = el("select", { "aria-label": "Cache or call site" });
	let kind = 0;
	const show = () => {
		const at = Number(pick.value), life = data.lives[kinds[kind]][at];
		const ended = life[1].reduce((a, b) => a + b, 0), ages = life[2].reduce((a, b) => a + b, 0);
		const half = life[3].length > 9 ? time(life[3][9]) : "not reached";

		drawLives(svg, life);
		says.textContent = `${count(ended)} exact lifetimes, ${count(ages)} alive at the end; half have ended after: ${half}.`;
		svg.setAttribute("aria-label", says.textContent);
	};
	const fill = () => {
		const names = ["all", ...named(data[kinds[kind]])].slice(0, data.lives[kinds[kind]].length);

		pick.replaceChildren(...names.map((name, i) => el("option", { value: i }, name)));
		show();
	};

	pick.addEventListener("change", show);
	box("lives").append(el("div", { class: "tools" }, select("By", ["cache", "call site"], i => { kind = i; fill(); }), pick), svg,
		el("ul", { class: "legend" }, el("li", {}, el("i", { class: "s0" }), "exact lifetimes, by powers of two"),
			el("li", {}, el("i", { class: "s1" }), "ages of what is alive at the end"),
			el("li", {}, "line: the part that still lives at an age (Kaplan–Meier)")), says,
		el("p", { class: "note" }, `Of all of the time. There are curves of the ${data.lives.caches.length - 1} caches and the ` +
			`${data.lives.sites.length - 1} call sites that have most.`));
	window.addEventListener("resize", show);
	fill();
}

/* --------------------------------------------------------------- the rest */

function searchTasks() {
	const rows = document.querySelectorAll("#tasks tbody tr");

	if (rows.length)
		box("tasks").prepend(el("div", { class: "tools" }, search("Search processes", value => {
			for (const row of rows)
				row.hidden = !row.cells[0].textContent.toLowerCase().includes(value);
		})));
}

function addTheme() {
	const root = document.documentElement;
	const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	const node = button("", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
	const name = () => { node.textContent = isDark() ? "Light" : "Dark"; };

	node.classList.add("theme");
	name();
	document.querySelector("header").append(node);
}

addTheme();
showMemory();
showFlame();
showRows("caches", "Slab caches", 1);
showRows("sites", "Call sites", 2);
showLives();
searchTasks();
document.documentElement.dataset.ready = "1";
})();
