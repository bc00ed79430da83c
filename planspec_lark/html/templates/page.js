"use strict";
// The page is whole without this: here it learns to fold, to filter and to be walked through.
// Nothing is ever made of texts: what comes from the plan stands in the page already.

const root = document.documentElement;
root.classList.add("js");

const at = (id) => document.getElementById(id);
const remember = {
  // Where there is no storage, as in some private windows, nothing is remembered.
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* so be it */ } },
};

// ---------------------------------------------------------------- theme

const THEMES = ["system", "light", "dark"];
let theme = THEMES.includes(remember.get("planspec-theme")) ? remember.get("planspec-theme") : "system";

function setTheme(name) {
  theme = name;
  if (name === "system") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", name);
  const button = at("theme");
  if (button) button.textContent = `Theme: ${name}`;
}
setTheme(theme);

// ---------------------------------------------------------------- the tree

let rows = [];           // in document order: { element, level, above, id }
let byElement = new Map();
let current = null;      // the row that Tab leads to

function readRows() {
  rows = [];
  byElement = new Map();
  const path = [];
  for (const element of at("tree").children) {
    const level = Number(element.getAttribute("aria-level"));
    path.length = level - 1;
    const row = { element, level, above: path[level - 2] || null, id: element.dataset.id, text: null };
    path[level - 1] = row;
    rows.push(row);
    byElement.set(element, row);
  }
}

const has = (row, name) => row.element.classList.contains(name);
const isOpen = (row) => (has(row, "branch") ? !has(row, "folded") : has(row, "full") && !has(row, "closed"));

function change(row, state) {
  if ("folded" in state && has(row, "branch")) row.element.classList.toggle("folded", state.folded);
  if ("closed" in state && has(row, "full")) row.element.classList.toggle("closed", state.closed);
  if (row.element.hasAttribute("aria-expanded")) row.element.setAttribute("aria-expanded", String(isOpen(row)));
}

function hideFolded() {
  let below = Infinity; // the level of the folded row above
  for (const row of rows) {
    if (row.level <= below) below = Infinity;
    row.element.classList.toggle("away", row.level > below);
    if (below === Infinity && has(row, "folded")) below = row.level;
  }
}

function toggle(row, open) {
  if (has(row, "branch")) {
    change(row, { folded: !open });
    hideFolded();
    if (!open) for (let one = current; one; one = one.above) if (one.above === row) setCurrent(row);
  } else if (has(row, "full")) {
    change(row, { closed: !open });
  }
}

function toggleBody(row) {
  if (has(row, "full")) change(row, { closed: !has(row, "closed") });
  else if (has(row, "branch")) toggle(row, !isOpen(row));
}

function toggleAll(open) {
  for (const row of rows) change(row, { folded: !open, closed: !open });
  hideFolded();
  while (current && !isVisible(current)) setCurrent(current.above);
}

const isVisible = (row) => !has(row, "filtered") && (has(row, "shown") || !has(row, "away"));

function setCurrent(row) {
  if (current) {
    current.element.tabIndex = -1;
    for (const link of current.element.querySelectorAll("a")) link.tabIndex = -1;
  }
  current = row;
  if (!row) return;
  row.element.tabIndex = 0;
  for (const link of row.element.querySelectorAll("a")) link.tabIndex = 0;
}

function goTo(row) {
  setCurrent(row);
  row.element.focus({ preventScroll: true });
  row.element.scrollIntoView({ block: "nearest" });
}

// The row with this number, unfolded up to where it is seen.
function reveal(number) {
  const row = byElement.get(at(`s${number}`));
  if (!row) return;
  if (has(row, "filtered")) clearFilter();
  for (let one = row.above; one; one = one.above) if (has(one, "folded")) change(one, { folded: false });
  hideFolded();
  setCurrent(row);
  row.element.focus({ preventScroll: true });
  row.element.scrollIntoView({ block: "center" });
  row.element.classList.remove("here");
  void row.element.offsetWidth; // so that the animation begins again
  row.element.classList.add("here");
}

function move(from, step) {
  for (let place = rows.indexOf(from) + step; place >= 0 && place < rows.length; place += step) {
    if (isVisible(rows[place])) return rows[place];
  }
  return null;
}

function onKey(event) {
  const row = byElement.get(event.target);
  if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
  let target = null;
  switch (event.key) {
    case "ArrowDown": target = move(row, 1); break;
    case "ArrowUp": target = move(row, -1); break;
    case "Home": target = rows.find(isVisible); break;
    case "End": target = rows.findLast(isVisible); break;
    case "ArrowRight":
      if (!isOpen(row)) toggle(row, true);
      else if (has(row, "branch")) target = move(row, 1);
      break;
    case "ArrowLeft":
      if (isOpen(row)) toggle(row, false);
      else target = row.above;
      break;
    case "Enter":
    case " ": toggleBody(row); break;
    case "*":
      for (const one of rows) if (one.above === row.above) toggle(one, true);
      break;
    default: return;
  }
  event.preventDefault();
  if (target) goTo(target);
}

function onClick(event) {
  const row = byElement.get(event.target.closest(".row"));
  // A link leads to another step (see below), and who selects text wants to copy it.
  if (!row || event.target.closest("a, .body") || String(getSelection()) !== "") return;
  setCurrent(row);
  if (event.target.closest(".more") || !has(row, "branch")) toggleBody(row);
  else toggle(row, !isOpen(row));
}

// ---------------------------------------------------------------- filter

function textOf(row) {
  row.text ??= row.element.textContent.toLowerCase();
  return row.text;
}

function filter() {
  const statuses = [...document.querySelectorAll(".chip[aria-pressed=true]")].map((chip) => chip.dataset.status);
  const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const isOn = statuses.length > 0 || words.length > 0;
  let found = 0;
  for (const row of rows) {
    const fits = isOn && (statuses.length === 0 || statuses.some((status) => has(row, status)))
      && words.every((word) => textOf(row).includes(word));
    row.fits = fits;
    row.holds = false;
    found += fits;
  }
  for (const row of rows) {
    if (row.fits) for (let one = row.above; one && !one.holds; one = one.above) one.holds = true;
  }
  for (const row of rows) {
    const { classList } = row.element;
    classList.toggle("filtered", isOn && !row.fits && !row.holds);
    classList.toggle("shown", isOn && (row.fits || row.holds));
    classList.toggle("context", isOn && !row.fits && row.holds);
  }
  at("found").textContent = isOn ? `${found} of ${rows.length} steps` : "";
  if (current && !isVisible(current)) setCurrent(rows.find(isVisible) || current);
}

function clearFilter() {
  for (const chip of document.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", "false");
  at("search").value = "";
  filter();
}

// ---------------------------------------------------------------- the diagram

function mark(box) {
  for (const line of document.querySelectorAll("path.near")) line.classList.remove("near");
  if (!box) return;
  const number = CSS.escape(box.dataset.step);
  for (const line of document.querySelectorAll(`path[data-a="${number}"],path[data-b="${number}"]`)) {
    line.classList.add("near");
  }
}

function readDiagram() {
  // One of the boxes is reached by Tab, the others by arrow keys.
  for (const [place, box] of document.querySelectorAll("a.box").entries()) box.setAttribute("tabindex", place ? -1 : 0);
}

function onDiagramKey(event) {
  const box = event.target.closest("a.box");
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!box || !step || event.altKey || event.ctrlKey || event.metaKey) return;
  const boxes = [...document.querySelectorAll("a.box")];
  const target = boxes[boxes.indexOf(box) + step];
  event.preventDefault();
  if (!target) return;
  box.setAttribute("tabindex", -1);
  target.setAttribute("tabindex", 0);
  target.focus();
}

// ---------------------------------------------------------------- all together

document.addEventListener("DOMContentLoaded", () => {
  setTheme(theme);
  readRows();
  hideFolded();
  setCurrent(rows.find(isVisible) || null);
  readDiagram();
  at("theme").addEventListener("click", () => {
    setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
    remember.set("planspec-theme", theme);
  });
  at("expand").addEventListener("click", () => toggleAll(true));
  at("collapse").addEventListener("click", () => toggleAll(false));
  at("search").addEventListener("input", filter);
  at("tree").addEventListener("keydown", onKey);
  at("tree").addEventListener("click", onClick);
  at("tree").addEventListener("focusin", (event) => {
    const row = byElement.get(event.target.closest(".row"));
    if (row && row !== current) setCurrent(row);
  });
  // The link at the top leads to the row that Tab leads to.
  at("tree").addEventListener("focus", () => current && goTo(current));
  for (const chip of document.querySelectorAll(".chip")) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      filter();
    });
  }
  const diagram = at("diagram");
  diagram.addEventListener("keydown", onDiagramKey);
  for (const name of ["mouseover", "focusin"]) {
    diagram.addEventListener(name, (event) => mark(event.target.closest("a.box")));
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#s"]');
    if (!link || link.classList.contains("skip")) return;
    event.preventDefault();
    reveal(link.getAttribute("href").slice(2));
  });
});
