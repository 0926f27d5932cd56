// One tab stop a table; the arrow keys go from cell to cell.

function becomeStop(cell) {
  const table = cell.closest("table");
  table.querySelector("td[tabindex='0']")?.setAttribute("tabindex", "-1");
  cell.setAttribute("tabindex", "0");
}

function neighbour({ matrix, row, column }, { key, ctrlKey }) {
  const at = (r, c) => cellAt({ matrix, row: r, column: c });
  const last = matrix.columns - 1;
  switch (key) {
    case "ArrowLeft": return at(row, column - 1);
    case "ArrowRight": return at(row, column + 1);
    case "ArrowUp": return at(row - 1, column);
    case "ArrowDown": return at(row + 1, column);
    case "Home": return at(ctrlKey ? 0 : row, 0);
    case "End": return at(ctrlKey ? matrix.rows - 1 : row, last);
    default: return undefined;
  }
}

function goTo(cell, options) {
  becomeStop(cell);
  cell.focus(options);
}

function onCellKey(event) {
  if (event.key === "Escape" && asked && !document.querySelector("dialog[open]")) clearLights();
  const cell = dataCell(event.target);
  if (!cell || event.altKey || event.metaKey) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    press(cell);
    return;
  }
  const next = neighbour(placeOf(cell), event);
  if (next === undefined) return;
  event.preventDefault();
  if (next) goTo(next);
}

// What pressing a cell does: a hidden one is shown, any other opens its why.
function press(cell) {
  if (isVeiled(cell)) {
    reveal(cell);
    askAgain();
    return;
  }
  openWhy(cell);
}

// The caption as it is read aloud, where a formula is not: "K: Sequence 1 of 2, rows: keys, …"
function spokenName(index, table) {
  const words = [...table.querySelectorAll("caption :is(.title, .where, .meaning)")].map(label);
  return `${page.matrices[index].symbol}: ${words.join(", ")}`;
}

function startKeys() {
  for (const [index, table] of tableOf) {
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", spokenName(index, table));
    table.setAttribute("aria-readonly", "true");
    table.tBodies[0].querySelector("td")?.setAttribute("tabindex", "0");
  }
  document.addEventListener("keydown", onCellKey);

  // A finger points by pressing: its first press lights a cell, its second opens it.
  let firstTouch = false;
  document.addEventListener("pointerdown", (event) => {
    firstTouch = event.pointerType === "touch" && dataCell(event.target) !== asked;
  }, true);
  document.addEventListener("click", (event) => {
    const cell = dataCell(event.target);
    if (!cell) return;
    goTo(cell, { preventScroll: true });
    if (!firstTouch || isVeiled(cell)) press(cell);
    firstTouch = false;
  });
}
