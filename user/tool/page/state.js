// SPDX-License-Identifier: GPL-2.0
/*
 * What the reader has chosen: it stands in the address behind the #, so that a link shows the same
 * page. "#flame&w=10-20&flame.of=peak" is the section, and words with their values.
 */
"use strict";
const view = new Map();		/* by word; "": the section */
const restorers = [];		/* called when the address was changed by hand */
const listeners = [];		/* called when the window was changed */
let chosen = null;		/* the window: numbers of its first and last part; null: all of the time */
let writing = 0;

function readAddress() {
	view.clear();
	for (const word of location.hash.slice(1).split("&").filter(Boolean)) {
		const at = word.indexOf("=");

		try {
			if (at < 0)
				view.set("", decodeURIComponent(word));
			else
				view.set(decodeURIComponent(word.slice(0, at)), decodeURIComponent(word.slice(at + 1)));
		} catch {
			/* An address that was cut in the middle of a character: this word is left out. */
		}
	}
	const window_ = /^(\d+)-(\d+)$/.exec(view.get("w") || "");

	chosen = window_ ? [Number(window_[1]), Number(window_[2])] : null;
	if (chosen && (chosen[0] > chosen[1] || chosen[1] >= PARTS))
		chosen = null;
}

function writeAddress() {
	const words = [...view].filter(([word]) => word).sort((a, b) => compare(a[0], b[0]))
		.map(([word, value]) => `${encodeURIComponent(word)}=${encodeURIComponent(value)}`);

	writing = 0;
	history.replaceState(null, "", `#${[view.get("") || "", ...words].filter(Boolean).join("&")}`);
}

/* Keeps a choice; null, or what is so without a choice: it need not be in the address. */
function keep(word, value, usual) {
	if (value === null || value === "" || value === usual)
		view.delete(word);
	else
		view.set(word, String(value));
	/* Browsers limit how often an address may change. */
	if (!writing)
		writing = setTimeout(writeAddress, 120);
}

const kept = (word, usual) => view.has(word) ? view.get(word) : usual;

function choose(window_) {
	chosen = window_;
	keep("w", window_ && window_.join("-"));
	for (const listener of listeners)
		listener();
}

window.addEventListener("hashchange", () => {
	readAddress();
	for (const restore of restorers)
		restore();
	for (const listener of listeners)
		listener();
	goTo(view.get(""));
});
readAddress();
