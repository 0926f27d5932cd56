// Pointing at a cell lights what it was made from and writes its sum out beside it.

const lit = [];             // [cell, class] of all that is lit
let asked = null;           // the cell that is pointed at

function light(cell, className) {
  if (!cell) return;  // of a row that is not drawn yet
  cell.classList.add(className);
  lit.push([cell, className]);
}

function clearLights() {
  for (const [cell, className] of lit.splice(0)) cell.classList.remove(className);
  panel.replaceChildren();
  asked = null;
}

function label(header) {
  return header?.textContent.trim() ?? "";
}

// A name with a number in it stands for itself, a word between quotes: row Input 1, row “the”.
function named(header) {
  const name = label(header);
  return /\d$/.test(name) ? name : `“${name}”`;
}

// "row Input 1 of Q": where numbers that were read stand, in words.
function whereabouts(places) {
  const { matrix } = places[0];
  const table = tableOf.get(matrix.index);
  const rows = new Set(places.map((place) => place.row));
  const columns = new Set(places.map((place) => place.column));
  const inOne = places.every((place) => place.matrix === matrix);
  const row = `row ${named(cellAt(places[0]).parentNode.cells[0])}`;
  const column = `column ${named(table.tHead.rows[0].cells[places[0].column + 1])}`;
  if (places.length === 1) {
    const both = [matrix.rows > 1 && row, matrix.columns > 1 && column].filter(Boolean).join(", ");
    return both ? `${both} of ${matrix.symbol}` : matrix.symbol;
  }
  if (inOne && rows.size === 1) return `${matrix.rows > 1 ? row : "all"} of ${matrix.symbol}`;
  if (inOne && columns.size === 1) return `${matrix.columns > 1 ? column : "all"} of ${matrix.symbol}`;
  return `${places.length} numbers of ${matrix.symbol}`;
}

// What is lit, said in words, in the colours of the lights.
function readingOf(made) {
  const words = [];
  made.operands.forEach((places, i) => {
    if (places.length > 0) words.push(element("span", { class: `from-${i}` }, whereabouts(places)));
  });
  if (made.open.length > 0) words.push(element("span", { class: "from-open" }, `mask: ${whereabouts(made.open)}`));
  return words.flatMap((word, i) => (i === 0 ? [word] : [" · ", word]));
}

// Where all that a sum reads is folded away, and is products: the numbers that
// those were made from. A context is read from weights and values then, though
// the weighted values stand between.
function lookedThrough(made) {
  const products = made.operands.length === 1 ? made.operands[0] : [];
  const isFolded = products.length > 0 && !products.some(inSight);
  if (!isFolded || products[0].matrix.op.function !== "multiply") return null;
  const through = products.map(ingredients);
  if (!through.every(({ operands }) => operands.length === 2 && operands.every((places) => places.length === 1))) return null;
  const operands = [0, 1].map((i) => through.map((one) => one.operands[i][0]));
  const isSeen = operands.every((places) => places.every(inSight));
  return isSeen ? { operands, open: made.open, products } : null;
}

// "0.0634×2 + 0.4683×8": the products, as they stand in the cells now.
function productsWritten({ operands: [left, right] }) {
  const number = (place, operand) => {
    const cell = cellAt(place);
    if (isVeiled(cell)) return numberElement({ text: "?", operand });
    const text = inLine(numberIn(cell), place.matrix.decimals);
    return numberElement({ text: text.startsWith("−") ? `(${text})` : text, operand });
  };
  return left.flatMap((place, i) => [i === 0 ? ": " : " + ", number(place, 0), "×", number(right[i], 1)]);
}

function ask(cell) {
  if (cell === asked && !noteChanges()) return;
  clearLights();
  const place = placeOf(cell);
  if (!place) return;
  asked = cell;
  light(cell, "asked");
  tell(place);
}

function tell(place) {
  const cell = cellAt(place);
  if (isVeiled(cell)) {
    const words = `${shortName(place)} is hidden: press it to see it`;
    panel.replaceChildren(element("span", { class: "arithmetic" }, words));
    keepInside();
    return;
  }
  const read = ingredients(place);
  const through = lookedThrough(read);
  const made = through ?? read;
  colourOperands(document.documentElement, through ? through.products[0].matrix : place.matrix);
  drawIn(cell);
  made.operands.forEach((places, i) => places.forEach((one) => light(cellAt(one), `lit-${i}`)));
  made.open.forEach((one) => light(cellAt(one), "lit-open"));
  const line = element("span", { class: "arithmetic" });
  writeLine(line, shortName(place), worked(place));
  const reading = readingOf(made);
  if (through) reading.push(...productsWritten(through));
  const reason = whyClosed(place);
  if (reason) reading.push(reading.length > 0 ? `: ${reason}` : reason);
  const drawn = strips(made.operands, Boolean(through) || place.matrix.op.kind === "contract");
  panel.replaceChildren(line, ...drawn, ...(reading.length > 0 ? [element("span", { class: "reading" }, ...reading)] : []));
  keepInside();
}

// The row and the column of a number, up to the names of both.
function drawIn(cell) {
  const [row, column] = [cell.parentNode, cell.cellIndex];
  for (const one of row.cells) light(one, "along");
  for (const { cells } of cell.closest("table").rows) light(cells[column], "along");
}

// "closed by causal": of a number that is not read or is 0 for it.
function whyClosed(place) {
  const worker = new Worker(place);
  const own = worker.open?.length > 1 ? worker.open[worker.ownTerm() ?? -1] : worker.open?.[0];
  return own && numberIn(cellAt(own)) === 0 ? closedBy(own, true) : "";
}

// Says again what is lit: a number was hidden or shown.
function askAgain() {
  const cell = asked;
  if (!cell) return;
  clearLights();
  ask(cell);
}

function dataCell(target) {
  const cell = target instanceof Element ? target.closest("td") : null;
  return cell && placeOf(cell) ? cell : null;
}

// Back to the cell that has the focus when the pointer has gone.
function askFocused() {
  const cell = dataCell(document.activeElement);
  if (cell) ask(cell);
  else clearLights();
}

function startPointing() {
  document.body.append(panel);
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;  // a finger points by pressing
    const cell = dataCell(event.target);
    if (cell) ask(cell);
    else askFocused();
  });
  document.addEventListener("focusin", (event) => {
    const cell = dataCell(event.target);
    if (cell) ask(cell);
  });
  document.addEventListener("scroll", keepInside, { capture: true, passive: true });
  window.addEventListener("resize", keepInside);
  document.addEventListener("focusout", (event) => {
    if (dataCell(event.target) && !dataCell(event.relatedTarget)) clearLights();
  });
}
