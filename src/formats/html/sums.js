// Every sum of the page: which cells were read for it, and how it is written below them.

// The masks that steps read, and the rules that these are put together from.
const masks = new Set(page.matrices.map((matrix) => matrix.open?.step).filter(Boolean));
const madeOf = (matrix) => matrix.operands.map((slice) => slice.step);
const rules = new Set([...masks, ...page.matrices.filter((matrix) => masks.has(matrix.step)).flatMap(madeOf)]);

// "closed by causal": by which rules of the mask; their titles are "causal: a query sees no
// key after its own position", which is said in full where there is room.
function closedBy(mask, inFull = false) {
  const isRule = mask.matrix.op.kind === "given";
  const all = isRule ? [mask] : new Worker(mask).operands.flat();
  const given = all.filter((rule) => rule?.matrix.op.kind === "given");
  const nameOf = ({ matrix }) => titleOf(matrix).split(": ")[0];
  const closing = given.filter((rule) => numberIn(cellAt(rule)) === 0);
  const said = (rule) => {
    const [name, ...why] = titleOf(rule.matrix).split(/: (.*)/);
    const isAlone = given.filter((other) => nameOf(other) === name).length === 1;
    const told = isAlone || name === "" ? name : `${name} ${rule.matrix.symbol}`;
    return inFull && why[0] ? `${told} (${why[0]})` : told;
  };
  const names = new Set(closing.map(said).filter(Boolean));
  return names.size > 0 ? `closed by ${[...names].join(" and ")}` : "closed";
}

// How the number of a cell came about: sides of an equation behind its name, and a remark.
function worked(place, { most = mostTerms, nameOf = shortName } = {}) {
  const line = new Worker(place, most, nameOf).write();
  if (masks.has(place.matrix.step)) line.remark ||= numberIn(cellAt(place)) === 0 ? "closed" : "open";
  return line;
}

// The cells that were read for it, an entry an operand, and those of the mask.
function ingredients(place) {
  const worker = new Worker(place);
  return { operands: worker.operands.map((_, i) => worker.read(i)), open: (worker.open ?? []).filter(Boolean) };
}

// The line as elements: numbers in the colour of the cells that they stand in.
// It may break between terms, a sign stays with the term behind it.
function writeLine(into, name, line) {
  into.replaceChildren(name);
  colourOperands(into, line.place.matrix);
  for (const { relation, terms } of line.sides) {
    terms.forEach((term, i) => {
      const pieces = term.map((piece) => (piece.text === undefined ? piece : numberElement(piece)));
      into.append(" ", element("span", { class: "term" }, i === 0 ? `${relation} ` : "", ...pieces));
    });
  }
  if (line.remark) into.append(` (${line.remark})`);
}

// Operands have the colour of their role, as everywhere in the page.
function colourOperands(element, matrix) {
  matrix.operands.forEach(({ step }, i) => {
    const [read] = matricesOf.get(step) ?? [];
    element.style.setProperty(`--from-${i}`, read ? `var(--${read.role}, var(--ink))` : "var(--ink)");
  });
}

function numberElement({ text, operand }) {
  return operand === undefined ? text : element("span", { class: `from-${operand}` }, text);
}
