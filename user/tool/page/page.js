// SPDX-License-Identifier: GPL-2.0
/*
 * The page as a whole.
 */
"use strict";

function addTheme() {
	const root = document.documentElement;
	const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	const node = button("", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
	const name = () => { node.textContent = isDark() ? "Light" : "Dark"; };

	node.classList.add("theme");
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
	name();
	document.querySelector("header").append(node);
}

/* A section is a part of the address, beside what was chosen. */
function addSections() {
	for (const link of document.querySelectorAll("nav a"))
		link.addEventListener("click", event => {
			const id = link.getAttribute("href").slice(1);

			event.preventDefault();
			keep("", id);
			goTo(id);
		});
}

addTheme();
addSections();
showWrong();
showMemory();
showFlame();
showLives();
showRows("sites", "Call sites", HAS_CACHES ? ["site", "cache"] : ["site"]);
if (HAS_CACHES)
	showRows("caches", `${CACHE}s`, ["cache"]);
showTasks();
/* A browser looks for a section with the whole of the address as its name. */
if (view.get(""))
	goTo(view.get(""));
document.documentElement.dataset.ready = "1";
