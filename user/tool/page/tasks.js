// SPDX-License-Identifier: GPL-2.0
/*
 * Processes: as a tree, in which those of one name below one parent are one row, which opens; or
 * summed up by program, wherever they stand.
 */
"use strict";
const SUMS = ["alive_bytes", "alive", "allocations", "bytes"];
const SUM_AT = [3, 2, 0, 1];	/* where these are in the data */

const sumCells = sums => SUMS.map((name, i) => el("td", {}, text(name, sums[SUM_AT[i]])));
const indent = depth => "· ".repeat(Math.min(depth, 12));

function memberRows([depth, , name, , sum, n, members]) {
	const left = sum.map((value, i) => members.reduce((rest, member) => rest - member[2][i], value));
	const row = (label, sums) => el("tr", { class: "member" }, el("th", { scope: "row", class: "name" }, `${indent(depth + 1)}${label}`), ...sumCells(sums));

	return [...members.map(([tid, , sums]) => row(`${name} [${tid}]`, sums)),
		...(n > members.length ? [row(`${count(n - members.length)} more ${name}`, left)] : [])];
}

function showTree(parent) {
	const rows = data.tasks.rows, open = new Set(), wrap = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Process tree" });
	const find = search("Search processes", kept("tasks.q", ""), value => { keep("tasks.q", value); show(); });
	const nameCell = ([depth, tid, name, , , n], i) => {
		if (n === 1)
			return el("th", { scope: "row", class: "name" }, `${indent(depth)}${name} [${tid}]`);
		const toggle = () => {
			if (!open.delete(i))
				open.add(i);
			show();
			wrap.querySelector(`button[data-row="${i}"]`).focus();
		};
		const node = put(button(`${name} × ${count(n)}`, toggle), { class: "row", "data-row": i, "aria-expanded": open.has(i) }, []);

		node.addEventListener("keydown", event => {
			if (event.key === "Escape" && open.has(i))
				toggle();
		});
		return el("th", { scope: "row", class: "name" }, indent(depth), node);
	};
	const other = (label, sums) => sums.some(n => n) ? [el("tr", {}, el("th", { scope: "row", class: "name" }, label), ...sumCells(sums))] : [];
	const show = () => {
		const wanted = kept("tasks.q", "").toLowerCase();

		find.value = kept("tasks.q", "");
		wrap.replaceChildren(el("table", {}, el("caption", {}, "Process tree"),
			el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "name" }, "process"), ...SUMS.map(name => el("th", { scope: "col" }, header(name))))),
			el("tbody", {}, ...rows.flatMap((row, i) => `${row[2]} ${row[1]}`.toLowerCase().includes(wanted) ?
				[el("tr", {}, nameCell(row, i), ...sumCells(row[4])), ...(open.has(i) ? memberRows(row) : [])] : []),
			...(wanted ? [] : [...other("(of these, the processes without a row)", data.tasks.rest),
				...other("(interrupts, and tasks that are not in the tree)", data.tasks.none)]))));
	};

	arrows(wrap, "button.row");
	parent.replaceChildren(el("div", { class: "tools" }, find), wrap);
	show();
	return show;
}

/* By name, what the processes allocated themselves. */
function programs() {
	const sums = new Map();

	for (const [, , name, own, , n] of data.tasks.rows) {
		const row = sums.get(name) || [name, 0, 0, 0, 0, 0];

		sums.set(name, [name, row[1] + n, ...SUM_AT.map((at, i) => row[i + 2] + own[at])]);
	}
	const cells = [...sums.values(), ["(of these, the processes without a row)", 0, ...SUM_AT.map(at => data.tasks.rest[at])],
		["(interrupts, and tasks that are not in the tree)", 0, ...SUM_AT.map(at => data.tasks.none[at])]];

	return { columns: ["program", "processes", ...SUMS], names: ["program"], usual: ["processes", ...SUMS],
		rows: cells.filter(row => row.slice(2).some(n => n)).map(row => ({ cells: row, name: row[0], open: null })),
		says: "Of each program what its processes allocated themselves, without those below them." };
}

function showTasks() {
	const intro = [...box("tasks").querySelectorAll(":scope > p")], parent = el("div", {});
	let again = null, as = null;
	const pick = select("Processes", [["tree", "as a tree"], ["programs", "by program"]], "tree", value => { keep("tasks.as", value, "tree"); show(); });
	const show = () => {
		const wanted = kept("tasks.as", "") === "programs" ? "programs" : "tree";

		pick.value = wanted;
		if (wanted === as)
			return again();
		as = wanted;
		again = as === "tree" ? showTree(parent) :
			showTable(parent, { id: "programs", label: "Programs", sort: "alive_bytes.desc", content: programs });
		return null;
	};

	if (!data.tasks.rows.length)
		return;
	box("tasks").replaceChildren(...intro, el("div", { class: "tools" }, pick), parent);
	restorers.push(show);
	show();
}
