// SPDX-License-Identifier: GPL-2.0
/*
 * How long objects live: a histogram, on the scale at its right, and the part that still lives at an
 * age, on the scale at its left.
 */
"use strict";
const LIVES = { height: 230, left: 60, right: 56, top: 22, bottom: 34 };

/* A round share of all objects that the tallest bar does not exceed. */
function niceTop(share) {
	return [.01, .02, .04, .08, .12, .16, .2, .4, .6, .8, 1].find(top_ => share <= top_) || 1;
}

/* Two scales: at the left of the curve, at the right of the bars. */
function drawScales(svg, { width, y, top_ }) {
	const right = width - LIVES.right;

	for (let i = 0; i <= 4; i++)
		svg.append(draw("line", { class: "grid", x1: LIVES.left, x2: right, y1: y(i / 4), y2: y(i / 4) }),
			draw("text", { class: "axis left", x: 0, y: y(i / 4) + 4 }, `${25 * i} %`),
			draw("text", { class: "axis right", x: right + 6, y: y(i / 4) + 4 }, `${Number((25 * i * top_).toFixed(2))} %`));
	svg.append(draw("text", { class: "axis", x: 0, y: 11 }, "still alive (line)"),
		draw("text", { class: "axis", x: width, y: 11, "text-anchor": "end" }, "share of objects (bars)"));
}

function drawBars(svg, [from, ended, ages], { step, y, top_, sum }) {
	ended.forEach((value, i) => {
		const bar = (name, n, at) => draw("rect", { class: name, x: LIVES.left + step * (i + at), width: Math.max(step * 0.42, 1),
			y: y(n / sum / top_), height: y(0) - y(n / sum / top_) });
		const share = n => `${count(n)} (${(100 * n / sum).toFixed(1)} %)`;
		const title = draw("title", {}, `${time(2 ** (from + i))} to ${time(2 ** (from + i + 1))}: ${share(value)} ended, ${share(ages[i])} alive`);

		svg.append(draw("g", { class: "bar" }, title, bar("s0", value, .05), bar("s1", ages[i], .5)));
		if (i % Math.ceil(70 / step) === 0)
			svg.append(draw("text", { class: "axis", x: LIVES.left + step * i, y: LIVES.height - 18 }, time(2 ** (from + i))));
	});
}

function drawLives(svg, life) {
	const [from, ended, ages, survival] = life;
	const width = Math.max(svg.parentNode.clientWidth, 200), bottom = LIVES.height - LIVES.bottom;
	const step = (width - LIVES.left - LIVES.right) / Math.max(ended.length, 1);
	const sum = Math.max(1, [...ended, ...ages].reduce((a, b) => a + b, 0));
	const top_ = niceTop(Math.max(...ended, ...ages, 0) / sum);
	const y = part => bottom - (bottom - LIVES.top) * part;
	const x = ns => LIVES.left + step * (Math.log2(Math.max(ns, 1)) - from);

	svg.replaceChildren();
	svg.setAttribute("viewBox", `0 0 ${width} ${LIVES.height}`);
	svg.setAttribute("height", LIVES.height);
	drawScales(svg, { width, y, top_ });
	drawBars(svg, life, { step, y, top_, sum });
	let line = `M${LIVES.left},${y(1)}`, now = 1;
	survival.forEach((ns, i) => {
		const next = 1 - (i < 19 ? 5 * (i + 1) : 99) / 100;

		line += `L${x(ns)},${y(now)}L${x(ns)},${y(next)}`;
		now = next;
	});
	svg.append(draw("path", { class: "curve", d: survival.length < 20 ? `${line}L${width - LIVES.right},${y(now)}` : line }));
}

let showLife = null;

function showLives() {
	const svg = draw("svg", { role: "img" }), says = output({});
	const pick = el("select", { "aria-label": HAS_CACHES ? `${CACHE} or call site` : "call site" });
	const lifeOf = () => kept("life", FIRST).split(":");
	const kindOf = () => lifeOf()[0] in KINDS ? lifeOf()[0] : FIRST;
	const show = () => {
		const life = data.lives[kindOf()][Number(pick.value)];
		const ended = life[1].reduce((a, b) => a + b, 0), ages = life[2].reduce((a, b) => a + b, 0);
		const half = life[3].length > 9 ? time(life[3][9]) : "not reached";

		drawLives(svg, life);
		says.textContent = `${count(ended)} exact lifetimes, ${count(ages)} alive at the end; half have ended after: ${half}.`;
		svg.setAttribute("aria-label", says.textContent);
	};
	const kinds = select("By", Object.entries(KINDS), FIRST, kind => { keep("life", kind, FIRST); fill(); });
	const fill = () => {
		const kind = kindOf(), names = ["all", ...named(data[kind])].slice(0, data.lives[kind].length);
		const name = lifeOf().slice(1).join(":"), at = names.indexOf(name, 1);

		kinds.value = kind;
		pick.replaceChildren(...names.map((one, i) => el("option", { value: i }, one)));
		pick.value = String(name && at > 0 ? at : 0);
		show();
	};
	const keepLife = at => keep("life", at ? `${kindOf()}:${named(data[kindOf()])[at - 1]}` : kindOf(), FIRST);

	showLife = (kind, i) => {
		keep("life", `${kind}:${named(data[kind])[i]}`);
		fill();
		goTo("lives");
	};
	pick.addEventListener("change", () => { keepLife(Number(pick.value)); show(); });
	box("lives").append(el("div", { class: "tools" }, kinds, pick), el("div", { class: "graph" }, svg),
		el("ul", { class: "legend" }, el("li", {}, el("i", { class: "s0" }), "exact lifetimes, by powers of two"),
			el("li", {}, el("i", { class: "s1" }), "ages of what is alive at the end"),
			el("li", {}, "line: the part that still lives at an age (Kaplan–Meier)")), says,
		el("p", { class: "note" }, "Of all of the time. There are curves of the " +
			(HAS_CACHES ? `${data.lives.caches.length - 1} ${CACHE}s and the ` : "") + `${data.lives.sites.length - 1} call sites that have most.`));
	window.addEventListener("resize", show);
	restorers.push(fill);
	fill();
}
