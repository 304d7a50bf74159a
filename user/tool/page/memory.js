// SPDX-License-Identifier: GPL-2.0
/*
 * Memory over time: layers, the peak, markers, the window, and what is alive at the time under the
 * pointer or the cursor.
 */
"use strict";
const SERIES = 8;	/* layers of the chart; the others are one */
const KINDS = HAS_CACHES ? { caches: CACHE, sites: "call site" } : { sites: "call site" };
const FIRST = Object.keys(KINDS)[0];
const CHART = { height: 280, left: 70, top: 22, bottom: 20 };

/* The caches, or call sites, that have most alive at a time, and the sum of the others. */
function layers(kind) {
	const names = named(data[kind]), all = data.time[kind];
	const rest = alive(all[all.length - 1]);
	const list = all.slice(0, -1).map((series, i) => ({ name: names[i], parts: series && alive(series) }))
		.filter(layer => layer.parts);

	list.sort((a, b) => Math.max(...b.parts) - Math.max(...a.parts));
	for (const layer of list.splice(SERIES))
		layer.parts.forEach((n, i) => { rest[i] += n; });
	list.forEach((layer, i) => { layer.color = `s${i}`; });
	list.push({ name: kind === "caches" ? `other ${CACHE.replace("slab ", "")}s` : "other call sites", parts: rest, color: "s8" });
	return list;
}

function area(lower, upper, x, y) {
	const there = upper.map((n, i) => `${x(i + 1)},${y(n)}`);
	const back = lower.map((n, i) => `${x(i + 1)},${y(n)}`).reverse();

	return `M${x(0)},${y(0)}L${there.join("L")}L${back.join("L")}Z`;
}

function drawAxes(svg, { x, y, width, most }) {
	for (let i = 0; i <= 4; i++) {
		const at = y(most * i / 4);

		svg.append(draw("line", { class: "grid", x1: CHART.left, x2: width, y1: at, y2: at }),
			draw("text", { class: "axis", x: 0, y: at + 4 }, bytes(Math.round(most * i / 4))));
		/* On a narrow screen there is no room for all of them. */
		if (width > 480 || i % 2 === 0)
			svg.append(draw("text", { class: "axis time", x: x(PARTS * i / 4), y: CHART.height - 4,
				"text-anchor": ["start", "middle", "middle", "middle", "end"][i] }, time(Math.round(since(PARTS * i / 4)))));
	}
}

function drawMarkers(svg, { x }) {
	data.time.markers.rows.forEach(([ns, name], i) => {
		const at = x((ns - data.time.begin_ns) / data.time.step_ns);

		if (at < CHART.left)
			return;
		svg.append(draw("g", { class: "marker" }, draw("title", {}, `${time(ns)}: ${name}`),
			draw("line", { x1: at, x2: at, y1: CHART.top - 6, y2: CHART.height - CHART.bottom }),
			draw("text", { x: at, y: CHART.top - 9, "text-anchor": "middle" }, String(i + 1))));
	});
}

/* The peak is of all objects: it has no place over some of the layers. */
function drawPeak(svg, { x, y, width, whole }) {
	if (!data.summary.peak_ns || !whole)
		return;
	const at = x((data.summary.peak_ns - data.time.begin_ns) / data.time.step_ns), right = at > width / 2;

	svg.append(draw("line", { class: "peak", x1: at, x2: at, y1: y(data.summary.peak_bytes), y2: CHART.height - CHART.bottom }),
		draw("text", { class: "peakname", x: at + (right ? -4 : 4), y: y(data.summary.peak_bytes) + 10, "text-anchor": right ? "end" : "start" },
			`peak ${bytes(data.summary.peak_bytes)}`));
}

/* Where things are, of the shown layers. */
function scale(svg, shown, whole) {
	const width = Math.max(svg.parentNode.clientWidth, 200);
	const sums = Array.from({ length: PARTS }, (_, i) => shown.reduce((sum, layer) => sum + layer.parts[i], 0));
	const most = Math.max(...sums, whole ? data.summary.peak_bytes : 1, 1);

	return { width, sums, most, whole, x: part => CHART.left + (width - CHART.left) * part / PARTS,
		y: n => CHART.height - CHART.bottom - (CHART.height - CHART.top - CHART.bottom) * n / most };
}

function drawMemory(svg, list, hidden, cursor) {
	const shown = list.filter(layer => !hidden.has(layer.name));
	const s = scale(svg, shown, shown.length === list.length);
	let lower = new Array(PARTS).fill(0);

	svg.replaceChildren();
	svg.setAttribute("viewBox", `0 0 ${s.width} ${CHART.height}`);
	svg.setAttribute("height", CHART.height);
	drawAxes(svg, s);
	for (const layer of shown) {
		const upper = lower.map((n, k) => n + layer.parts[k]);

		svg.append(draw("path", { class: layer.color, d: area(lower, upper, s.x, s.y) }));
		lower = upper;
	}
	drawPeak(svg, s);
	drawMarkers(svg, s);
	if (chosen)
		svg.append(draw("rect", { class: "pick", x: s.x(chosen[0]), y: 4, height: CHART.height - 24,
			width: s.x(chosen[1] + 1) - s.x(chosen[0]) }));
	if (cursor !== null)
		svg.append(draw("line", { class: "cursor", x1: s.x(cursor + 1), x2: s.x(cursor + 1), y1: CHART.top, y2: CHART.height - CHART.bottom }));
	return { ...s, shown, part: event => {
		const rect = svg.getBoundingClientRect(), at = (event.clientX - rect.left) * s.width / rect.width;

		return Math.min(PARTS - 1, Math.max(0, Math.floor((at - CHART.left) / (s.width - CHART.left) * PARTS)));
	} };
}

function sayWindow() {
	const all = data.time[FIRST].filter(series => series);
	const sum = what => all.reduce((n, series) => n + between(series, what, chosen || [0, PARTS - 1]), 0);
	const where = chosen ? `Window: ${time(since(chosen[0]))} to ${time(since(chosen[1] + 1))} after the begin` : "All of the time";

	return `${where}: ${count(sum(BIRTHS))} allocations of ${bytes(sum(BYTES))}, ${count(sum(ENDS))} frees of ` +
		`${bytes(sum(ENDED_BYTES))}, ${signed(sum(BYTES) - sum(ENDED_BYTES))}.`;
}

/* What is alive at the end of a part: the sum first, then the layers from above. */
function fillTip(tip, { shown, sums, x, width }, at) {
	const there = shown.filter(layer => layer.parts[at]).reverse();
	const marks = data.time.markers.rows.filter(([ns]) => partOf(ns) === at);

	tip.replaceChildren(el("b", {}, `${time(since(at + 1))}: ${bytes(sums[at])}`),
		...there.map(layer => el("div", {}, el("i", { class: layer.color }), `${layer.name}: ${bytes(layer.parts[at])}`)),
		...marks.map(([, name]) => el("div", { class: "note" }, `marker: ${name}`)));
	tip.hidden = false;
	const left = x(at + 1) + 10;

	tip.style.left = `${left + tip.offsetWidth > width ? Math.max(0, left - 20 - tip.offsetWidth) : left}px`;
}

/* Moves the cursor by keys; with shift, from where it stands a window is chosen. Null: another key. */
function keyTo(event, cursor) {
	const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -PARTS, End: PARTS }[event.key];

	return step ? Math.min(PARTS - 1, Math.max(0, (cursor === null ? (step > 0 ? -1 : PARTS) : cursor) + step)) : null;
}

/* The chart: its elements, what is chosen, and how it is drawn. */
class Chart {
	constructor() {
		this.svg = draw("svg", { tabindex: 0, role: "application", "aria-label":
			"Memory over time. Arrow keys move a cursor and say what is alive there, with shift they choose a window, Escape ends it." });
		this.tip = el("div", { class: "tip", role: "status" });
		this.says = output({});
		this.legend = el("ul", { class: "legend" });
		this.clear = button("All of the time", () => choose(null));
		this.by = select("Layers", Object.entries(KINDS).map(([key, name]) => [key, `by ${name}`]), FIRST,
			kind => { keep("memory.by", kind, FIRST); keep("memory.hide", null); this.restore(); });
		this.cursor = this.anchor = this.from = null;
		this.tip.hidden = true;
		this.listen();
	}

	restore() {
		this.kind = kept("memory.by", FIRST) in KINDS ? kept("memory.by", FIRST) : FIRST;
		this.by.value = this.kind;
		this.list = layers(this.kind);
		this.hidden = new Set(kept("memory.hide", "").split("\n").filter(name => this.list.some(layer => layer.name === name)));
		this.legend.replaceChildren(...this.list.map(layer => {
			const node = put(button("", () => this.toggle(layer.name, node)), { "aria-pressed": !this.hidden.has(layer.name) },
				[el("i", { class: layer.color }), layer.name]);

			return el("li", {}, node);
		}));
		this.show();
	}

	toggle(name, node) {
		if (!this.hidden.delete(name))
			this.hidden.add(name);
		node.setAttribute("aria-pressed", !this.hidden.has(name));
		keep("memory.hide", [...this.hidden].sort().join("\n"));
		this.show();
	}

	/* One layer alone; false: it has none of its own. */
	alone(kind, name) {
		keep("memory.by", kind, FIRST);
		const others = layers(kind).map(layer => layer.name);

		keep("memory.hide", others.includes(name) ? others.filter(other => other !== name).sort().join("\n") : null);
		this.restore();
		return others.includes(name);
	}

	show() {
		this.drawn = drawMemory(this.svg, this.list, this.hidden, this.cursor);
		this.says.textContent = sayWindow();
		this.clear.disabled = !chosen;
		if (this.cursor === null)
			this.tip.hidden = true;
		else
			fillTip(this.tip, this.drawn, this.cursor);
	}

	point(cursor) {
		if (this.cursor === cursor)
			return;
		this.cursor = cursor;
		this.show();
	}

	key(event) {
		const to = keyTo(event, this.cursor);

		if (event.key === "Escape") {
			this.anchor = this.cursor = null;
			choose(null);
		} else if (to !== null) {
			event.preventDefault();
			if (event.shiftKey) {
				this.anchor ??= this.cursor ?? to;
				this.cursor = to;
				choose([Math.min(this.anchor, to), Math.max(this.anchor, to)]);
			} else {
				this.anchor = null;
				this.point(to);
			}
		}
	}

	listen() {
		const part = event => this.drawn.part(event);

		this.svg.addEventListener("pointerdown", event => {
			this.from = part(event);
			this.svg.setPointerCapture(event.pointerId);
		});
		this.svg.addEventListener("pointermove", event => {
			this.cursor = part(event);
			if (this.from !== null)
				choose([Math.min(this.from, this.cursor), Math.max(this.from, this.cursor)]);
			else
				this.show();
		});
		this.svg.addEventListener("pointerleave", () => this.point(null));
		this.svg.addEventListener("pointerup", () => { this.from = null; });
		this.svg.addEventListener("pointercancel", () => { this.from = null; });
		this.svg.addEventListener("focus", () => {
			if (this.from === null && this.svg.matches(":focus-visible"))
				this.point(this.cursor ?? (chosen ? chosen[1] : PARTS - 1));
		});
		this.svg.addEventListener("blur", () => this.point(null));
		this.svg.addEventListener("keydown", event => this.key(event));
	}
}

/* A button for each marker: the window from it to the next one, or to the end. */
function markerList() {
	const rows = data.time.markers.rows, left = data.time.markers.total - rows.length;
	const window_ = i => {
		const to = i + 1 < rows.length ? partOf(rows[i + 1][0]) : PARTS - 1;

		choose([partOf(rows[i][0]), Math.max(to, partOf(rows[i][0]))]);
	};

	return rows.length ? [el("ol", { class: "marks", "aria-label": "Markers" }, ...rows.map(([ns, name], i) =>
		el("li", {}, put(button(`${time(ns)} ${name}`, () => window_(i)), { title: "Choose the time from this marker to the next" }, [])))),
		...(left ? [el("p", { class: "note" }, `${count(left)} more markers are not in the page.`)] : [])] : [];
}

let chart = null;

function showAlone(kind, name) {
	const found = chart.alone(kind, name);

	goTo("memory");
	if (!found)
		chart.says.textContent = `${name} is among the others: its most bytes are less than those of the ${SERIES} layers. ${chart.says.textContent}`;
}

function showMemory() {
	chart = new Chart();
	box("memory").replaceChildren(
		el("p", { class: "note" }, "Bytes alive at the end of each of ", String(PARTS), " parts of the time. Drag, or press shift and the arrow keys, to choose " +
			"a window: the flame graph and the tables " + (HAS_CACHES ? `of ${CACHE}s and call sites` : "of call sites") + " are of the window then. A name hides its layer. " +
			"What may be alive counts as alive."),
		el("div", { class: "tools" }, chart.by, chart.clear),
		el("div", { class: "chart" }, chart.svg, chart.tip), chart.legend, ...markerList(), chart.says);
	listeners.push(() => chart.show());
	restorers.push(() => chart.restore());
	window.addEventListener("resize", () => chart.show());
	chart.restore();
}
