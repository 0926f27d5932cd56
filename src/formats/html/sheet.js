// A sheet that is filled in on the screen: keys go from box to box, and what was
// written is saved as a file of answers, or kept in this tab until it is closed.

const boxes = [...document.querySelectorAll("td.box > input")];
const nameField = document.querySelector(".fields input");
const main = document.querySelector("main");
const kept = `attn-sheet ${location.pathname} ${main.dataset.problem}`;
let unsaved = false;

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const said = element("p", { role: "status" });

// What a number may be spelled with; a comma stands for a point.
const spelling = /^(?:[\d\s.+\-−–*/·⋅×÷^()√⁰¹²³⁴-⁹⁻%∞π]|sqrt|exp|ln|pi|infinity|inf|e)+$/i;
const written = (box) => box.value.trim().replace(/^([^,]*),([^,]*)$/, "$1.$2");
const isNumber = (text) => text === "" || (spelling.test(text) && /[\d∞πe]|inf|pi/i.test(text));

function look(box) {
  if (isNumber(written(box))) box.removeAttribute("aria-invalid");
  else box.setAttribute("aria-invalid", "true");
}

// Answers.

const shapeOf = (table) => (table.dataset.shape === "" ? [] : table.dataset.shape.split(",").map(Number));

function nested(shape, cells, axis, first) {
  if (axis === shape.length) return cells.get(first);
  const below = shape.slice(axis + 1).reduce((all, size) => all * size, 1);
  return Array.from({ length: shape[axis] }, (_, i) => nested(shape, cells, axis + 1, first + i * below));
}

// "1,2": an index an axis, from 1.
function indexOf(shape, cell) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index.unshift((cell % shape[axis]) + 1);
    cell = Math.floor(cell / shape[axis]);
  }
  return index.join(",");
}

// A step that is asked for as a whole is a list, of any other single cells are.
function steps() {
  const shapes = new Map(), all = new Map();
  for (const box of boxes) {
    const table = box.closest("table");
    const id = table.dataset.step;
    if (!all.has(id)) all.set(id, new Map());
    shapes.set(id, shapeOf(table));
    all.get(id).set(Number(box.dataset.cell), written(box) || null);
  }
  const told = {};
  for (const [id, cells] of all) {
    const shape = shapes.get(id);
    const isWhole = cells.size === shape.reduce((numbers, size) => numbers * size, 1);
    told[id] = isWhole
      ? nested(shape, cells, 0, 0)
      : Object.fromEntries([...cells].map(([cell, text]) => [indexOf(shape, cell), text]));
  }
  return told;
}

function answers() {
  const file = { schema: "attn/answers/1" };
  if (nameField?.value.trim()) file.name = nameField.value.trim();
  if (main.dataset.problem) file.problem = main.dataset.problem;
  file.steps = steps();
  return JSON.stringify(file, null, 2) + "\n";
}

function save() {
  const odd = boxes.find((box) => box.hasAttribute("aria-invalid"));
  if (odd) {
    said.textContent = `“${odd.value.trim()}” is no number: ${odd.getAttribute("aria-label")}`;
    odd.focus();
    return;
  }
  const blank = boxes.filter((box) => written(box) === "").length;
  if (blank === boxes.length) {
    said.textContent = "Nothing is filled in yet.";
    return;
  }
  const stem = (nameField?.value ?? "").trim().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  const link = element("a", { download: (stem || "answers") + ".json" });
  link.href = URL.createObjectURL(new Blob([answers()], { type: "application/json" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  unsaved = false;
  said.textContent = `Saved as ${link.download}` + (blank > 0 ? `; ${blank} of ${boxes.length} boxes are empty.` : ".");
}

function clear() {
  if (!boxes.some((box) => box.value !== "") || !confirm("Empty every box?")) return;
  for (const box of boxes) box.value = "";
  boxes.forEach(look);
  keep();
}

// What is not saved yet outlives a reload, and nothing outlives the tab.

function keep() {
  try {
    sessionStorage.setItem(kept, JSON.stringify([nameField?.value ?? "", ...boxes.map((box) => box.value)]));
  } catch {
    // A browser may keep nothing; then there is no draft.
  }
}

function recall() {
  try {
    const [name, ...values] = JSON.parse(sessionStorage.getItem(kept) ?? "[]");
    if (values.length !== boxes.length) return;
    if (nameField) nameField.value = name;
    values.forEach((value, i) => (boxes[i].value = value));
    boxes.forEach(look);
    unsaved = values.some((value) => value !== "");
  } catch {
    // The same.
  }
}

// Keys.

function above(box, rows) {
  const cell = box.parentElement;
  const row = [...cell.closest("tbody").rows][cell.parentElement.sectionRowIndex + rows];
  return row?.cells[cell.cellIndex]?.querySelector("input");
}

function onKey(event) {
  const at = boxes.indexOf(event.target);
  if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const { selectionStart: start, selectionEnd: end, value } = event.target;
  const next = {
    ArrowUp: () => above(event.target, -1) ?? boxes[at - 1],
    ArrowDown: () => above(event.target, 1) ?? boxes[at + 1],
    ArrowLeft: () => (end === 0 ? boxes[at - 1] : null),
    ArrowRight: () => (start === value.length ? boxes[at + 1] : null),
    Enter: () => boxes[at + (event.shiftKey ? -1 : 1)],
  }[event.key]?.();
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.select();
}

document.addEventListener("keydown", onKey);
document.addEventListener("input", (event) => {
  unsaved = true;
  if (boxes.includes(event.target)) look(event.target);
  keep();
});
addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});
recall();
main.after(
  element("div", { class: "tools", role: "group", "aria-label": "Sheet" },
    element("button", { type: "button", click: save }, "Save answers"),
    element("button", { type: "button", click: () => print() }, "Print"),
    element("button", { type: "button", click: clear }, "Empty the boxes"),
    said));
