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

// On paper nothing is folded up.
let unfolded = [];

function startPrinting() {
  window.addEventListener("beforeprint", () => {
    clearLights();
    unfolded = [...document.querySelectorAll("details:not([open])")];
    unfolded.forEach((details) => (details.open = true));
  });
  window.addEventListener("afterprint", () => {
    unfolded.forEach((details) => (details.open = false));
    unfolded = [];
  });
}
