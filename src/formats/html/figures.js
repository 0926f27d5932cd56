// The arcs beside a table of weights: a row of the table and its arcs are lit together.

function rowPointedAt(target) {
  if (!(target instanceof Element)) return null;
  const group = target.closest("figure.arcs g.of-query");
  if (group) return { drawing: group.closest("svg"), row: group.dataset.row };
  const row = target.closest("figure.matrix tbody tr");
  const drawing = row && row.closest("figure").nextElementSibling?.closest("figure.arcs")?.querySelector("svg");
  return drawing ? { drawing, row: String(row.sectionRowIndex) } : null;
}

let picked = null;  // the drawing of which one query is picked out

function pickRow(target) {
  const at = rowPointedAt(target);
  if (picked && picked !== at?.drawing) pickIn(picked, null);
  if (at) pickIn(at.drawing, at.row);
  picked = at?.drawing ?? null;
}

function pickIn(drawing, row) {
  drawing.classList.toggle("picking", row !== null);
  for (const group of drawing.querySelectorAll("g.of-query")) {
    group.classList.toggle("now", group.dataset.row === row);
  }
  const table = drawing.closest("figure").previousElementSibling?.querySelector("tbody");
  for (const [i, line] of [...(table?.rows ?? [])].entries()) line.classList.toggle("now", String(i) === row);
}

function startFigures() {
  document.addEventListener("pointerover", (event) => pickRow(event.target));
  document.addEventListener("focusin", (event) => pickRow(event.target));
}

// A shade at the edge of a table that goes on.
function shadeEdges(box) {
  const isMore = (length, seen, at) => length - seen - Math.abs(at) > 2;
  box.parentElement.classList.toggle("more-right", isMore(box.scrollWidth, box.clientWidth, box.scrollLeft));
  box.parentElement.classList.toggle("more-down", isMore(box.scrollHeight, box.clientHeight, box.scrollTop));
}

function startShades() {
  const watcher = new ResizeObserver((entries) => entries.forEach(({ target }) => shadeEdges(target)));
  for (const box of document.querySelectorAll(".frame > .scroll")) {
    watcher.observe(box);
    box.addEventListener("scroll", () => shadeEdges(box), { passive: true });
  }
}

// On a wide page as many heads are open as stand side by side.
function startHeads() {
  const heads = document.querySelector(".heads");
  const columns = heads ? getComputedStyle(heads).gridTemplateColumns.split(" ").length : 0;
  if (columns > 1) [...heads.querySelectorAll(":scope > .place:not(.extra)")].slice(0, columns).forEach((head) => (head.open = true));
}

// On paper nothing is folded up, and what is too wide stands in parts below each other.
const mostOnPaper = 130;  // characters, as small as they can be read
let unfolded = [];
let parted = [];  // elements that are there for paper only

function partsOfTable(table, wide) {
  const columns = table.tHead.rows[0].cells.length - 1;
  const each = Math.ceil(columns / Math.ceil(wide / mostOnPaper));  // all about as wide
  const parts = [];
  for (let from = 0; from < columns; from += each) {
    const part = table.cloneNode(true);
    const to = Math.min(from + each, columns);
    delete part.dataset.matrix;
    for (const row of part.rows) [...row.cells].forEach((cell, i) => i > 0 && (i <= from || i > to) && cell.remove());
    part.caption.querySelector(".meaning")?.append(` · columns ${from + 1}–${to} of ${columns}`);
    parts.push(element("div", { class: "on-paper", style: `--ch:${wide * each / columns}` }, part));
  }
  return parts;
}

function partWideTables() {
  for (const figure of document.querySelectorAll("figure.matrix")) {
    const wide = Number(figure.style.getPropertyValue("--ch"));
    const frame = figure.querySelector(".frame");
    if (wide <= mostOnPaper || !frame) continue;
    const parts = partsOfTable(frame.querySelector("table"), wide);
    frame.after(...parts);
    frame.classList.add("split");
    figure.classList.add("parted");
    parted.push(...parts);
  }
}

function startPrinting() {
  window.addEventListener("beforeprint", () => {
    clearLights();
    unfolded = [...document.querySelectorAll("details:not([open])")];
    unfolded.forEach((details) => (details.open = true));
    partWideTables();
  });
  window.addEventListener("afterprint", () => {
    unfolded.forEach((details) => (details.open = false));
    unfolded = [];
    parted.splice(0).forEach((part) => part.remove());
    document.querySelectorAll(".split").forEach((frame) => frame.classList.remove("split"));
  });
}
