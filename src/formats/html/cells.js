// The matrices of the page, and the numbers in their cells.
//
// A place is a cell of a matrix: {matrix, row, column}. A step may stand in
// several matrices, one a head; `offset` is a cell's place in all of the step.

const tables = document.querySelectorAll("table[data-matrix]");
const tableOf = new Map([...tables].map((table) => [Number(table.dataset.matrix), table]));
const matricesOf = new Map();  // by step
page.matrices.forEach((matrix, index) => {
  matrix.index = index;
  if (!tableOf.has(index)) return;
  if (!matricesOf.has(matrix.step)) matricesOf.set(matrix.step, []);
  matricesOf.get(matrix.step).push(matrix);
});

function placeOf(cell) {
  const table = cell.closest("table[data-matrix]");
  if (!table || cell.tagName !== "TD" || cell.closest("thead")) return null;
  const matrix = page.matrices[table.dataset.matrix];
  return { matrix, row: cell.parentNode.sectionRowIndex, column: cell.cellIndex - 1 };
}

function cellAt({ matrix, row, column }) {
  const line = tableOf.get(matrix.index)?.tBodies[0].rows[row];
  drawRow(line);
  const cell = line?.cells[column + 1];
  return cell?.tagName === "TD" ? cell : null;
}

function offsetOf({ matrix, row, column }) {
  return matrix.first + row * matrix.row + column * matrix.column;
}

// Where a matrix has that cell of its step; null where it has not.
function placeIn(matrix, offset) {
  const along = offset - matrix.first;
  if (along < 0) return null;
  const rowsFirst = matrix.row >= matrix.column;
  const [outer, inner] = rowsFirst ? [matrix.row, matrix.column] : [matrix.column, matrix.row];
  const far = outer > 0 ? Math.floor(along / outer) : 0;
  const near = inner > 0 ? (along - far * outer) / inner : 0;
  const [row, column] = rowsFirst ? [far, near] : [near, far];
  if (row >= matrix.rows || !(column < matrix.columns)) return null;
  const place = { matrix, row, column };
  return offsetOf(place) === offset && cellAt(place) ? place : null;
}

function titleOf(matrix) {
  return tableOf.get(matrix.index).querySelector("caption .title")?.textContent.trim() ?? "";
}

// Whether nothing around the cell is folded.
const inSight = (place) => !cellAt(place).closest("details:not([open])");

// The cell of a step in the page, or null. Of several, one that can be seen.
function find(step, offset) {
  const all = (matricesOf.get(step) ?? []).map((matrix) => placeIn(matrix, offset)).filter(Boolean);
  if (all.length < 2) return all[0] ?? null;
  return all.find(inSight) ?? all[0];
}

// Cells whose text was changed since the page was written say what their text says.
const changed = new WeakSet();
const watch = new MutationObserver((records) => {
  if (noteChanges(records)) askAgain();
});
for (const table of tableOf.values()) {
  watch.observe(table.tBodies[0], { subtree: true, childList: true, characterData: true });
}

// Whether there were any.
function noteChanges(records = watch.takeRecords()) {
  for (const { target } of records) {
    const cell = (target.nodeType === Node.TEXT_NODE ? target.parentElement : target)?.closest("td");
    if (cell) changed.add(cell);
  }
  return records.length > 0;
}

// Changes that are the script's own: they hide what a cell says and do not change it.
function unwatched(work) {
  noteChanges();
  work();
  watch.takeRecords();
}

// Whether these digits say that number, rounded to as many as they are.
function says(digits, value) {
  const [, decimals = ""] = /\.(\d+)/.exec(digits) ?? [];
  return spelled(value, { decimals: decimals.length, scientific: digits.includes("e") }) === digits;
}

// The number in a cell, in full where the page has more of it than is written.
function numberIn(cell) {
  noteChanges();
  const text = textOf(cell).trim();
  if (cell.dataset.v !== undefined && !changed.has(cell)) {
    const full = parsed(cell.dataset.v);
    if (says(text, full)) return full;
  }
  return parsed(text);
}

function isChanged(cell) {
  if (changed.has(cell)) return true;
  return cell.dataset.v !== undefined && !says(textOf(cell).trim(), parsed(cell.dataset.v));
}

// What a cell was made from: cells of one operand, in the order in which they are read.
// A list where something is not the same for all cells of the matrix.
function offsetsRead(slice, { matrix, row, column }) {
  const at = row * matrix.columns + column;
  const first = slice.firsts ? slice.firsts[at] : slice.first + row * slice.row + column * slice.column;
  const stride = slice.strides ? slice.strides[at] : slice.stride;
  return Array.from({ length: slice.counts ? slice.counts[at] : slice.count }, (_, i) => first + i * stride);
}

function placesRead(slice, place) {
  return offsetsRead(slice, place).map((offset) => find(slice.step, offset));
}

// The index of a cell along the axes of its step.
function indexOf(shape, offset) {
  const index = [];
  for (const size of [...shape].reverse()) {
    index.unshift(offset % size);
    offset = Math.floor(offset / size);
  }
  return index;
}

// "S[1,2]"; of neighbours "K[2,1…4]". By its id where the symbol is not the step's alone.
function nameInStep({ step, symbol, shape }, first, last = first) {
  const from = indexOf(shape, first);
  const to = indexOf(shape, last);
  const inside = from.map((at, axis) => (to[axis] === at ? `${at + 1}` : `${at + 1}…${to[axis] + 1}`));
  const isItsAlone = symbol && page.matrices.every((other) => other.symbol !== symbol || other.step === step);
  const called = isItsAlone ? symbol : step;
  return inside.length > 0 ? `${called}[${inside.join(",")}]` : called;
}

// Where a cell stands along one axis of its step, counted from 0.
function indexAlong(axis, place) {
  const { shape, axes } = place.matrix;
  return indexOf(shape, offsetOf(place))[axes.indexOf(axis)];
}

function fullName(place) {
  return nameInStep(place.matrix, offsetOf(place));
}

const isOuter = (axis) => axis === "batch" || axis === "head";
const subscript = (number) => [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

// "S[1,2]", "m₁": as the lines of the page name it. The capital stays where the
// small letter means something else: e is Euler's number, m the maximum.
function shortName(place) {
  const { shape, axes, symbol } = place.matrix;
  const index = indexOf(shape, offsetOf(place)).filter((_, axis) => !isOuter(axes[axis]));
  if (index.length === 0) return symbol;
  if (index.length > 1) return `${symbol}[${index.map((at) => at + 1).join(",")}]`;
  if (/^[a-z]$/.test(symbol)) return symbol + subscript(index[0] + 1);
  if (!/^[A-Z][^A-Za-z0-9_]*$/.test(symbol)) return `${symbol}[${index[0] + 1}]`;
  const small = symbol[0].toLowerCase() + symbol.slice(1);
  const isTaken = small === "e" || page.matrices.some((matrix) => matrix.symbol === small);
  return (isTaken ? symbol : small) + subscript(index[0] + 1);
}
