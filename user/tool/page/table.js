// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that can be sorted and searched, of whose columns the reader chooses some, and whose rows
 * open to what else is known of them.
 */
"use strict";
const MORE = 50;	/* rows of a table at first, and each time that more are wanted */

const WORDS = ["verdict", "doubt"];	/* columns whose cells are texts */

const HEADERS = { site: "call site", name: "call site", cache: CACHE, alive_bytes: "bytes alive",
	alive: "alive", growth_bytes: "growth", growth_bytes_per_s: "growth of old", growth_per_s: "growth/s",
	allocations: "allocations", doubt: "not certain", p50_ns: "p50", p90_ns: "p90", p99_ns: "p99", longest_ns: "longest",
	old_bytes: "bytes of old", program: "program", processes: "processes" };
const header = name => HEADERS[name] || name.replace(/_per_s$/, "/s").replace(/_ns$/, "").replace(/_/g, " ");

/* Columns in which each row is empty or 0 say nothing. */
const isEmpty = (rows, i) => rows.every(row => !row.cells[i]);

/*
 * A table in @parent. @options.content(): { columns, names, usual, rows, says }: the names of the columns,
 * those that are texts, those that are shown unless others are chosen, and the rows: { cells, name, open },
 * where open() gives the nodes of an opened row. @options.id: its word in the address. @options.sort: its
 * first order, "alive_bytes.desc". @options.tools: further nodes above it.
 */
function showTable(parent, options) {
	const { id, label, content } = options;
	const wrap = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }), note = el("p", { class: "note" });
	const chooser = el("details", { class: "columns" }, el("summary", {}, "Columns"), el("div", {}));
	const find = search(`Search ${label.toLowerCase()}`, kept(`${id}.q`, ""), value => { keep(`${id}.q`, value); shown = MORE; show(); });
	const more = button("More rows", () => { shown += MORE; show(); });
	let shown = MORE;

	function sortBy(name, isName) {
		const [by, way] = kept(`${id}.sort`, options.sort).split(".");

		keep(`${id}.sort`, `${name}.${by === name ? (way === "desc" ? "asc" : "desc") : isName ? "asc" : "desc"}`, options.sort);
		show();
		wrap.querySelector(`th[data-column="${name}"] button`)?.focus();
	}

	function chooseColumns({ columns, names, rows }, visible, usual) {
		const empty = name => isEmpty(rows, columns.indexOf(name));

		chooser.lastChild.replaceChildren(...columns.filter(name => !names.includes(name)).map(name => {
			const node = el("input", { type: "checkbox" });

			node.checked = visible.includes(name);
			node.disabled = empty(name);
			node.addEventListener("change", () => {
				const next = columns.filter(other => other === name ? node.checked : visible.includes(other));

				keep(`${id}.columns`, next.join(",") || "none", usual.join(","));
				show();
				[...chooser.querySelectorAll("input")].find(other => other.value === name)?.focus();
			});
			node.value = name;
			return el("label", empty(name) ? { class: "empty", title: "0 or empty in all rows" } : {}, node, ` ${header(name)}`);
		}));
	}

	/* The columns to show, in the order in which they are usual. */
	function choose_(table) {
		const { columns, names, rows } = table;
		const usual = table.usual.filter(name => columns.includes(name));
		const wanted = kept(`${id}.columns`, usual.join(",")).split(",");
		const visible = [...usual.filter(name => wanted.includes(name)),
			...columns.filter(name => wanted.includes(name) && !usual.includes(name))]
			.filter(name => columns.includes(name) && !names.includes(name) && !isEmpty(rows, columns.indexOf(name)));

		chooseColumns(table, visible, usual);
		return [...names, ...visible];
	}

	function nameCell(row, value, toggle) {
		const open = kept(`${id}.open`, "") === row.name;

		if (!row.open)
			return el("th", { scope: "row", class: "name", title: value }, value);
		const node = put(button(value, toggle), { class: "row", "aria-expanded": open, title: value }, []);

		node.addEventListener("keydown", event => {
			if (event.key === "Escape" && open)
				toggle();
		});
		return el("th", { scope: "row", class: "name" }, node);
	}

	function makeRow(row, visible, { columns, names }) {
		const toggle = () => {
			keep(`${id}.open`, kept(`${id}.open`, "") === row.name ? null : row.name);
			show();
			[...wrap.querySelectorAll("button.row")].find(node => node.textContent === text("", row.cells[0]))?.focus();
		};
		const line = el("tr", {}, nameCell(row, text(columns[0], row.cells[0]), toggle), ...visible.slice(1).map(name => {
			const value = text(name, row.cells[columns.indexOf(name)]);

			return el("td", names.includes(name) ? { class: "name", title: value } : name === "verdict" ? { class: `verdict ${value}` } :
				WORDS.includes(name) ? { class: "words" } : {}, value);
		}));

		return row.open && kept(`${id}.open`, "") === row.name ?
			[line, el("tr", { class: "detail" }, el("td", { colspan: visible.length }, el("div", {}, ...row.open())))] : [line];
	}

	function show() {
		const table = content(), { columns, names, rows, says } = table;
		const visible = choose_(table), wanted = kept(`${id}.q`, "").toLowerCase();
		const found = rows.filter(row => names.map(name => row.cells[columns.indexOf(name)]).join(" ").toLowerCase().includes(wanted));
		let [by, way] = kept(`${id}.sort`, options.sort).split(".");

		if (!columns.includes(by))
			[by, way] = options.sort.split(".");
		const at = columns.indexOf(by);

		const births = columns.indexOf("allocations");

		/* Of equal ones that with most allocations is first, as in a report. */
		if (at >= 0)
			found.sort((a, b) => compare(a.cells[at], b.cells[at], way === "desc") || compare(a.cells[births], b.cells[births], true));
		/* A row that a link opens is shown, wherever it stands. */
		const open = found.findIndex(row => row.name === kept(`${id}.open`, ""));

		if (open >= shown)
			shown = open + 1;
		const left = wrap.scrollLeft, top_ = wrap.scrollTop;

		wrap.replaceChildren(el("table", {}, el("caption", {}, label),
			el("thead", {}, el("tr", {}, ...visible.map(name => put(el("th", { scope: "col", "data-column": name, class: names.includes(name) ? "name" : WORDS.includes(name) ? "words" : "" }),
				name === by ? { "aria-sort": way === "desc" ? "descending" : "ascending" } : {},
				[button(header(name), () => sortBy(name, names.includes(name)))])))),
			el("tbody", {}, ...found.slice(0, shown).flatMap(row => makeRow(row, visible, table)))));
		wrap.scrollTo(left, top_);
		find.value = kept(`${id}.q`, "");
		note.textContent = `${Math.min(shown, found.length)} of ${found.length} rows. ${says}`;
		more.hidden = found.length <= shown;
	}

	arrows(wrap, "button.row");
	parent.replaceChildren(...(options.before || []), el("div", { class: "tools" }, find, chooser, ...(options.tools || [])), wrap, note, more);
	show();
	return show;
}

/* ------------------------------------------------- caches and call sites */

const USUAL = {
	caches: ["alive_bytes", "alive", "growth_bytes", "allocations", "bytes", "p50_ns"],
	sites: ["alive_bytes", "alive", "growth_bytes", "verdict", "allocations", "bytes", "p50_ns"],
};

const column = (table, row, name) => row[table.columns.indexOf(name)];
/* By number of a call site: the number of its row of leaks. */
const leakOf = new Map(data.leaks.site_rows.map((site, i) => [site, i]).filter(([site]) => site !== null));

function verdictOf(site) {
	const i = leakOf.get(site);

	return i === undefined ? "" : column(data.leaks, data.leaks.rows[i], "verdict");
}

/* Why a percentile is null: not reached, if something is alive, otherwise there is no lifetime. */
function reached(table, row) {
	const waits = column(table, row, "censored") > 0;

	return row.map((value, i) => value === null && waits && /^p\d+_ns$/.test(table.columns[i]) ? OVER : value);
}

/* The rows of a table of all of the time. */
function ofAll(kind, names) {
	const table = data[kind], isSites = kind === "sites", left = table.total_rows - table.rows.length;

	return {
		columns: [...table.columns, "growth_bytes", ...(isSites ? ["verdict"] : [])],
		names, usual: USUAL[kind],
		rows: table.rows.map((row, i) => ({
			cells: [row[0] === null ? "(unknown)" : row[0], ...reached(table, row).slice(1), data.time.growth[kind][i], ...(isSites ? [verdictOf(i)] : [])],
			name: named(table)[i], open: () => openRow(kind, i),
		})),
		says: "Growth is that of the bytes alive in the second half of the time." + (left ? ` ${count(left)} other rows, which have least, are ` +
			`not in the page: lifetrace report --by=${isSites ? "site" : "cache"}${data.space === "slab" ? "" : ` --space=${data.space}`} -n 0 prints them.` : ""),
	};
}

/* The rows of a table in the chosen window, from births and ends by time. */
function inWindow(kind, names) {
	const table = data[kind], series = data.time[kind], keys = names.length, rows = [];

	series.forEach((one, i) => {
		if (!one)
			return;
		const last = i === series.length - 1;
		const key = last ? ["(all others)", ...new Array(keys - 1).fill("")] : [named(table)[i], ...table.rows[i].slice(1, keys)];
		const sums = [BIRTHS, BYTES, ENDS, ENDED_BYTES].map(what => between(one, what, chosen));
		const cells = [...key, alive(one)[chosen[1]], sums[BYTES] - sums[ENDED_BYTES], sums[BIRTHS], sums[BYTES], sums[ENDS], sums[ENDED_BYTES]];

		if (cells.slice(keys).some(n => n))
			rows.push({ cells, name: key[0], open: last ? null : () => openRow(kind, i) });
	});
	const columns = ["alive_bytes", "growth_bytes", "allocations", "bytes", "frees", "freed_bytes"];

	return { columns: [...names, ...columns], names, usual: columns, rows,
		says: "In the window; what is alive is so at its end. Rows that have no births and ends by time are summed up." };
}

/* The paths that end at a call site, or that are of a cache, those with most first: [text, value]. */
function pathsOf(kind, name, what) {
	const sums = new Map(), at = 1 + what, frame = kind === "caches" ? `cache ${plain(name)}` : name;

	for (const row of data.flame.rows) {
		const names = row[0].map(i => data.flame.names[i]);

		if (!row[at] || !(kind === "caches" ? names.includes(frame) : names[names.length - 1] === frame))
			continue;
		/* From the call site to its callers, without task and cache. */
		const path = names.filter(one => !/^(task|interrupt|cache) /.test(one)).reverse().join(" ← ");

		sums.set(path, (sums.get(path) || 0) + row[at]);
	}
	return [...sums].sort((a, b) => b[1] - a[1] || compare(a[0], b[0]));
}

function showPaths(kind, name) {
	const byAlive = pathsOf(kind, name, data.flame.sums.indexOf("alive"));
	const paths = byAlive.length ? byAlive : pathsOf(kind, name, data.flame.sums.indexOf("bytes"));
	const total = paths.reduce((sum, path) => sum + path[1], 0), about = data.flame.stacks_one_in > 1 ? "about " : "";

	if (!paths.length)
		return [el("p", { class: "note" }, "No path of it is in the page.")];
	return [el("p", { class: "note" }, `Paths by ${byAlive.length ? "bytes alive at the end" : "bytes allocated"}` +
			(about ? ", an estimate from the births that have a stack:" : ":")),
		el("ol", { class: "paths" }, ...paths.slice(0, 5).map(([path, n]) =>
			el("li", {}, el("b", {}, `${about}${bytes(n)}, ${(100 * n / total).toFixed(0)} %`), " ", el("code", {}, path))),
		...(paths.length > 5 ? [el("li", { class: "note" }, `${count(paths.length - 5)} other paths`)] : []))];
}

/* A word of a command line; null: it cannot be typed. */
const quoted = word => /^[\w.+/:-]+$/.test(word) ? word : /^[ -&(-~]+$/.test(word) ? `'${word}'` : null;

/* What else is known of a cache or call site. */
function openRow(kind, i) {
	const name = named(data[kind])[i], isSites = kind === "sites", leak = isSites ? leakOf.get(i) : undefined;
	const word = quoted(isSites ? name : plain(name)), nodes = [];

	if (leak !== undefined)
		nodes.push(el("p", {}, leakText(data.leaks.rows[leak])));
	nodes.push(el("div", { class: "tools" },
		button("In the flame graph", () => findFrame(isSites ? name : `cache ${plain(name)}`)),
		...(i + 1 < data.lives[kind].length ? [button("Lifetimes", () => showLife(kind, i))] : []),
		...(data.time[kind][i] && i < data.time[kind].length - 1 ? [button("Alone over time", () => showAlone(kind, name))] : [])));
	nodes.push(...showPaths(kind, name));
	if (!isSites)
		nodes.push(el("p", {}, "Call sites: ", ...data.sites.rows.map((row, k) => [row, k])
			.filter(([row]) => row[1] === name)
			.sort((a, b) => compare(column(data.sites, a[0], "alive_bytes"), column(data.sites, b[0], "alive_bytes"), true))
			.slice(0, 5).flatMap(([, k]) => [button(named(data.sites)[k], () => openSite(k)), " "])));
	if (word)
		nodes.push(el("p", {}, "Each object: ", el("code", {}, `lifetrace lifetimes --${isSites ? "site" : "cache"}=${word} FILE`)));
	return nodes;
}

function openSite(i) {
	keep("sites.open", named(data.sites)[i]);
	keep("sites.q", "");
	tables.sites();
	goTo("sites");
	const open = document.querySelector('#sites button[aria-expanded="true"]');

	open?.focus({ preventScroll: true });
	open?.scrollIntoView({ block: "center" });
}

const tables = {};

function showRows(kind, label, names) {
	tables[kind] = showTable(box(kind), { id: kind, label, sort: "alive_bytes.desc",
		content: () => chosen ? inWindow(kind, names) : ofAll(kind, names) });
	listeners.push(tables[kind]);
	restorers.push(tables[kind]);
}

/* ---------------------------------------------------------- what is wrong */

function leakText(row) {
	const get = name => column(data.leaks, row, name), doubt = get("doubt");
	const head = { leak: "It certainly leaks", gone: "Its module was unloaded", grows: "Its old objects become more", old: "It has old objects" }[get("verdict")];

	return `${head}: ${count(get("old"))} objects of ${bytes(get("old_bytes"))} are alive and ${time(data.leaks.older_ns)} or older` +
		(get("maker_gone") ? `; ${count(get("maker_gone"))} objects of ${bytes(get("maker_gone_bytes"))} outlived the module` : "") +
		(get("growth_per_s") === null ? "" : `; old objects grow by ${get("growth_per_s").toFixed(1)} a second (±${get("growth_error_per_s").toFixed(1)})`) +
		(doubt ? `. Not certain: ${data.leaks.doubts[doubt]}.` : ".");
}

function showWrong() {
	const parent = box("wrong"), table = data.leaks;
	const lines = [...parent.querySelectorAll(":scope > p")];
	const columns = ["name", "cache", ...table.columns.filter(name => !["name", "site", "cache"].includes(name))];
	const olds = table.total_rows - table.wrong;
	const node = el("input", { type: "checkbox" });
	let show = null;

	if (!table.rows.length) {
		parent.replaceChildren(...lines, el("p", {}, "No call site has objects of this age."));
		return;
	}
	node.addEventListener("change", () => { keep("wrong.old", node.checked ? 1 : null); show(); });
	const content = () => {
		const old = kept("wrong.old", "") === "1";

		node.checked = old;
		return { columns, names: ["name"], usual: ["verdict", "old_bytes", "old", "growth_per_s", "doubt"],
			rows: table.rows.map((row, i) => ({ row, site: table.site_rows[i] }))
				.filter(({ row }) => old || column(table, row, "verdict") !== "old")
				.map(({ row, site }) => ({ cells: columns.map(name => name === "doubt" && column(table, row, name) ?
					table.doubts[column(table, row, name)] : column(table, row, name)),
				name: column(table, row, "name"),
				open: () => site === null ? [el("p", {}, leakText(row))] : [...openRow("sites", site),
					el("p", {}, button("Its row in the table of call sites", () => openSite(site)))] })),
			says: table.wrong ? "Those that certainly leak come first." : "No call site leaks for certain, and of none do the old objects become more." };
	};

	show = showTable(parent, { id: "wrong", label: "Leaks and growth", sort: "none.desc", content, before: lines,
		tools: olds ? [el("label", {}, node, ` with ${count(olds)} that only have old objects`)] : [] });
	restorers.push(show);
}
