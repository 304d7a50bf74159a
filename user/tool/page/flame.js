// SPDX-License-Identifier: GPL-2.0
/*
 * The flame graph: of task, cache and stack, from the root or from the call site.
 */
"use strict";
const ROW = 18;		/* height of a frame */
const flame = { sum: 0, icicle: true, inverted: false, wanted: "", top: null, root: null };

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
		if (flame.inverted)
			names.reverse();
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

		path(i === data.time.sites.length - 1 ? ["(other call sites)"] :
			[...(HAS_CACHES ? [`cache ${plain(row[1])}`] : []), row[0] === null ? "(unknown)" : row[0]], value || 0);
	});
	return root;
}

const flameValue = value => {
	const what = data.flame.sums[flame.sum];

	return what === "churn" ? `${count(value)} allocations` : what === "lifetime" ? time(value) : bytes(value);
};
const percent = (part, whole) => `${fixed(whole ? 100 * part / whole : 0, 1)} %`;

function flameText(node) {
	const zoomed = flame.top !== flame.root && node !== flame.top && isBelow(node, flame.top);

	return `${node.name}: ${flameValue(node.value)}, ${percent(node.value, flame.root.value)}` +
		(zoomed ? ` of all, ${percent(node.value, flame.top.value)} of ${flame.top.name}` : "");
}

function isBelow(node, other) {
	while (node && node !== other)
		node = node.up;
	return Boolean(node);
}

/* "=name" is a frame of just this name. */
const isWanted = name => flame.wanted[0] === "=" ? name.toLowerCase() === flame.wanted.slice(1) :
	name.toLowerCase().includes(flame.wanted);

/* What is in the frames that are looked for, each byte once, also in those too narrow to be drawn. */
function matched() {
	const todo = [flame.top];
	let value = 0, frames = 0;

	while (todo.length) {
		const node = todo.pop();

		if (node.up && isWanted(node.name)) {
			value += node.value;
			frames++;
		} else {
			todo.push(...node.children.values());
		}
	}
	return `matched ${percent(value, flame.top.value)}${flame.top === flame.root ? "" : ` of ${flame.top.name}`}: ${flameValue(value)} in ` +
		`${count(frames)} frame${frames === 1 ? "" : "s"}`;
}

/* The nodes that are wide enough to be seen, as { node, x, width, depth }. */
function layout(top_, width) {
	const list = [];

	/* What is above the chosen one stays, and is as wide. */
	for (let node = top_.up; node; node = node.up)
		list.unshift({ node, x: 0, width, depth: 0, above: true });
	list.forEach((one, i) => { one.depth = i; });
	const todo = [{ node: top_, x: 0, width, depth: list.length }];

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
	const g = draw("g", { class: one.above ? "frame above" : "frame", tabindex: one.node === flame.top ? 0 : -1, role: "button",
		"aria-label": flameText(one.node) },
		draw("title", {}, flameText(one.node)),
		draw("rect", { class: `s${color(one.node.name)}`, x: one.x, y, width: one.width, height: ROW - 1 }));
	const room = Math.floor((one.width - 6) / 6.2);

	if (room > 2)
		g.append(draw("text", { x: one.x + 3, y: y + 13 }, one.node.name.length > room ? `${one.node.name.slice(0, room - 1)}…` : one.node.name));
	if (flame.wanted && one.node.up && isWanted(one.node.name))
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

/* The names from the root to a node, without the root. */
function pathOf(node) {
	const names = [];

	for (; node.up; node = node.up)
		names.unshift(node.name);
	return names;
}

class Flame {
	constructor() {
		const titles = { alive: "alive at the end (bytes)", peak: "alive at the peak (bytes)", churn: "churn (allocations)",
			bytes: "allocated (bytes)", slack: "slack (bytes)", lifetime: "lifetimes (sum of exact ones)" };

		this.svg = draw("svg", { role: "group", "aria-label": "Flame graph. Arrow keys move, Enter zooms, Escape shows all." });
		this.says = output({});
		this.found = output({ class: "matched" });
		this.of = select("Of", data.flame.sums.map(name => [name, titles[name]]), "alive", what => this.set("of", what, data.flame.sums[0]));
		this.as = select("Drawn as", [["icicle", "icicle"], ["flame", "flame"]], "icicle", as => this.set("as", as, "icicle"));
		this.way = select("From", [["task", "from task to call site"], ["site", "from call site to callers"]], "task",
			way => { keep("flame.zoom", null); this.set("from", way, "task"); });
		this.search = search("Search frames", "", value => this.set("q", value));
		this.search.addEventListener("keydown", event => {
			if (event.key === "Enter")
				this.svg.querySelector(".found")?.focus();
		});
	}

	set(word, value, usual) {
		keep(`flame.${word}`, value, usual);
		this.restore();
	}

	/* As the address says. */
	restore() {
		flame.sum = Math.max(0, data.flame.sums.indexOf(kept("flame.of", "")));
		flame.icicle = kept("flame.as", "") !== "flame";
		flame.inverted = kept("flame.from", "") === "site";
		flame.wanted = kept("flame.q", "").toLowerCase();
		this.of.value = data.flame.sums[flame.sum];
		this.as.value = flame.icicle ? "icicle" : "flame";
		this.way.value = flame.inverted ? "site" : "task";
		if (this.search.value !== kept("flame.q", ""))
			this.search.value = kept("flame.q", "");
		flame.root = makeTree();
		flame.top = flame.root;
		for (const name of kept("flame.zoom", "").split("\n").filter(Boolean))
			flame.top = flame.top.children.get(name) || flame.top;
		this.draw();
	}

	zoom(node) {
		flame.top = node;
		keep("flame.zoom", pathOf(node).join("\n"));
		this.draw();
		this.svg.querySelector('.frame[tabindex="0"]')?.focus();
	}

	key(event, list, one) {
		const other = neighbour(list, one, event.key);

		if (event.key === "Enter" || event.key === " ")
			this.zoom(one.node);
		else if (event.key === "Escape")
			this.zoom(flame.root);
		else if (other)
			other.frame.focus();
		else
			return;
		event.preventDefault();
	}

	draw() {
		const { svg, says } = this, width = Math.max(svg.parentNode.clientWidth, 200);
		const list = flame.top.value ? layout(flame.top, width) : [];
		const depth = list.reduce((most, one) => Math.max(most, one.depth), 0) + 1;

		svg.setAttribute("viewBox", `0 0 ${width} ${depth * ROW}`);
		svg.setAttribute("height", depth * ROW);
		svg.replaceChildren();
		for (const one of list) {
			const y = (flame.icicle ? one.depth : depth - 1 - one.depth) * ROW;

			one.frame = drawFrame(one, y, () => this.zoom(one.node === flame.top && one.node.up ? one.node.up : one.node));
			for (const event of ["focus", "pointerenter"])
				one.frame.addEventListener(event, () => { says.textContent = flameText(one.node); });
			one.frame.addEventListener("keydown", event => this.key(event, list, one));
			svg.append(one.frame);
		}
		says.textContent = list.length ? flameText(flame.top) : chosen ?
			"Nothing in the window; of peak, slack and lifetimes nothing is known by time." : "Nothing.";
		this.found.textContent = flame.wanted && list.length ? matched() : "";
		this.found.hidden = !flame.wanted;
	}
}

let graph = null;

/* The frames of just this name. */
function findFrame(name) {
	keep("flame.zoom", null);
	graph.set("q", `=${name}`);
	goTo("flame");
}

function showFlame() {
	const rest = data.flame.rest[0], oneIn = data.flame.stacks_one_in;

	graph = new Flame();
	box("flame").append(el("div", { class: "tools" }, graph.of, graph.way, graph.as, graph.search,
		button("All", () => graph.zoom(flame.root))), graph.found, graph.says, el("div", { class: "graph" }, graph.svg),
		el("p", { class: "note" }, "A click or Enter makes a frame as wide as the page, again or Escape goes back; arrow keys move. " +
			(rest ? `${count(rest)} paths, which have least, are one: (other paths). ` : "") +
			(oneIn > 1 ? `Stacks were recorded of births at one address of ${oneIn}, each of which stands for ${oneIn} here: an estimate. ` : "") +
			`In a window it is of ${HAS_CACHES ? `${CACHE}s and ` : ""}call sites, since paths are not known by time.`));
	listeners.push(() => graph.restore());
	restorers.push(() => graph.restore());
	window.addEventListener("resize", () => graph.draw());
	graph.restore();
}
