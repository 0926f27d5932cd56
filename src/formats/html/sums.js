// The line of arithmetic behind one number, written from what the cells of the
// page say now: the same rules as explain/worked_cell.cpp.
//
// A term is a list of pieces: text, or {text, operand} for a number.

const mostTerms = 16;
const keptAtEnd = 2;
const signs = { add: "+", subtract: "−", multiply: "×", divide: "/" };

class Line {
  constructor(place, most, nameOf) {
    this.place = place;
    this.most = most;
    this.nameOf = nameOf;
    this.sides = [];
    this.allExact = true;
    this.remark = "";
  }

  number(n) {
    if (n.veiled) return { text: "?", operand: n.operand };
    this.allExact = this.allExact && exact(n.value);
    return { text: inLine(n.value, n.decimals), operand: n.operand };
  }

  // A negative number in parentheses, as behind an operator.
  guarded(n) {
    return n.value < 0 && !n.veiled ? ["(", this.number(n), ")"] : [this.number(n)];
  }

  side(terms) {
    const relation = this.sides.length === 0 || this.allExact ? "=" : "≈";
    this.sides.push({ relation, terms: this.shortened(terms) });
  }

  shortened(terms) {
    if (terms.length <= this.most) return terms;
    const leftOut = [`… ${terms.length - this.most} more …`];
    return [...terms.slice(0, this.most - keptAtEnd), leftOut, ...terms.slice(-keptAtEnd)];
  }

  // Closes the line with the number in the cell. Where somebody changed a number
  // of the page, what the arithmetic comes to now counts, and the cell is told off.
  equals(computed) {
    const { matrix } = this.place;
    const cell = cellAt(this.place);
    const said = numberIn(cell);
    const isOff = !same(said, computed);
    const isStale = isOff && (this.anyChanged || isChanged(cell) || tooFar(said, computed, matrix.decimals));
    const shown = this.number({ value: isStale ? computed : said, decimals: matrix.decimals });
    this.sides.push({ relation: this.allExact && (!isOff || isStale) ? "=" : "≈", terms: [[shown]] });
    if (!isOff) return this;
    const [toSay, toCompute] = [inLine(said, matrix.decimals), inLine(computed)];
    if (isStale && shown.text !== toSay) this.remark = `the cell says ${toSay}`;
    if (!isStale && toSay !== toCompute) this.remark = `${toCompute}, rounded by hand`;
    return this;
  }

  only(remark = "") {
    this.remark = remark;
    const cell = cellAt(this.place);
    const shown = this.number({ value: numberIn(cell), decimals: this.place.matrix.decimals });
    this.sides.push({ relation: this.allExact ? "=" : "≈", terms: [[shown]] });
    return this;
  }
}

// Rounding by hand moves a number by less than one unit of its last decimal, or
// by little more where a row has to keep its sum.
function tooFar(said, computed, decimals) {
  const most = decimals > 0 ? 1.5 * 10 ** -decimals : 1;
  return !(Math.abs(said - computed) < most);
}

// All that the arithmetic of one cell is written from.
class Worker {
  constructor(place, most, nameOf) {
    this.place = place;
    this.line = new Line(place, most, nameOf);
    const { operands, open } = place.matrix;
    this.operands = operands.map((slice) => placesRead(slice, place));
    this.open = open ? placesRead(open, place) : null;
  }

  isClosed(term) {
    const place = this.open?.[this.open.length > 1 ? term : 0];
    return Boolean(place) && numberIn(cellAt(place)) === 0;
  }

  // The places that are read. Closed ones are not; a mask says nothing of a bias.
  read(operand) {
    const isBias = this.place.matrix.op.kind === "contract" && operand === 2;
    if (operand === 0 && this.isRowClosed()) return [];
    return this.operands[operand].filter((place, term) => place && (isBias || !this.isClosed(term)));
  }

  // Whether softmax finds no open score in the row: its maximum or its sum says so.
  isRowClosed() {
    const { op } = this.place.matrix;
    const second = this.operands[1]?.[0];
    if (op.kind !== "softmax" || !second) return false;
    return numberIn(cellAt(second)) === (op.part === "exponentials" ? -Infinity : 0);
  }

  get(operand, term = 0) {
    const place = this.operands[operand][term];
    const cell = cellAt(place);
    if (isChanged(cell)) this.line.anyChanged = true;
    return { value: numberIn(cell), decimals: place.matrix.decimals, operand, veiled: isVeiled(cell) };
  }

  missing() {
    return [...this.operands.flat(), ...(this.open ?? [])].some((place) => place === null);
  }

  write() {
    const { op } = this.place.matrix;
    if (op.kind === "given") return this.line.only("given");
    if (this.missing()) return this.line.only("the numbers that it was made from are not in this page");
    return this[op.kind]?.(op) ?? this.line.only();
  }

  copy() { return this.handedOn(); }
  split() { return this.handedOn(); }
  merge() { return this.handedOn(); }

  handedOn() {
    const [place] = this.operands[0];
    const n = this.get(0);
    this.line.side([[{ text: this.line.nameOf(place), operand: 0 }]]);
    return n.veiled ? this.line.only() : this.line.equals(n.value);
  }

  contract() {
    if (this.operands.length < 2) return this.line.only();
    const terms = [];
    let sum = 0;
    for (let i = 0; i < this.operands[0].length; ++i) {
      if (this.isClosed(i)) continue;
      const [a, b] = [this.get(0, i), this.get(1, i)];
      const product = [...this.line.guarded(a), "×", ...this.line.guarded(b)];
      terms.push(terms.length === 0 ? product : ["+ ", ...product]);
      sum += a.value * b.value;
    }
    if (this.operands.length === 3) {
      const bias = this.get(2);
      terms.push([terms.length === 0 ? "" : "+ ", ...this.line.guarded(bias)]);
      sum += bias.value;
    }
    return this.sumOf(terms, sum);
  }

  combine(op) {
    if (this.isClosed(0)) return this.closed();
    if (op.function === "minimum") return this.smallest();
    let { value } = this.get(0);
    const terms = [[this.line.number(this.get(0))]];
    for (let i = 1; i < this.operands.length; ++i) {
      terms.push([signs[op.function] + " ", ...this.line.guarded(this.get(i))]);
      value = applied(op.function, value, this.get(i).value);
    }
    this.line.side(terms);
    return this.line.equals(value);
  }

  map(op) {
    if (this.isClosed(0)) return this.closed();
    const a = this.get(0);
    if (op.function === "multiply" || op.function === "divide") {
      const parameter = op.spelling || this.line.number({ value: op.parameter, decimals: 0 }).text;
      const shown = op.parameter < 0 ? `(${parameter})` : parameter;
      this.line.side([[this.line.number(a), ` ${signs[op.function]} ${shown}`]]);
      return this.line.equals(applied(op.function, a.value, op.parameter));
    }
    if (op.function === "exp") {
      this.line.side([["e^", ...this.line.guarded(a)]]);
      if (a.value !== 0) this.line.allExact = false;
      return this.line.equals(Math.exp(a.value));
    }
    if (op.function === "square") {
      this.line.side([[...this.line.guarded(a), "²"]]);
      return this.line.equals(a.value * a.value);
    }
    this.line.side([["√", ...this.line.guarded(a)]]);
    return this.line.equals(Math.sqrt(a.value));
  }

  reduce(op) {
    return op.function === "sum" ? this.sumOfAll() : this.largest();
  }

  close() {
    if (this.isClosed(0)) return this.closed();
    if (this.operands.length < 2) return this.handedOn();
    const [a, b] = [this.get(0), this.get(1)];
    this.line.side([[this.line.number(a)], ["+ ", ...this.line.guarded(b)]]);
    return this.line.equals(a.value + b.value);
  }

  softmax(op) {
    if (op.part === "maximum") return this.largest();
    if (op.part === "sum") return this.sumOfAll();
    return op.part === "exponentials" ? this.exponential() : this.weight();
  }

  // e^(2 − 4) = e^(−2) ≈ 0.1353
  exponential() {
    if (this.isClosed(0) || this.isRowClosed()) return this.closed();
    const [score, maximum] = [this.get(0), this.get(1)];
    const value = score.value - maximum.value;
    const veiled = score.veiled || maximum.veiled;
    this.line.side([["e^(", this.line.number(score), " − ", ...this.line.guarded(maximum), ")"]]);
    if (value === 0 && !veiled) {
      this.line.allExact = true;
      this.line.side([["e^0"]]);
    } else {
      this.line.side([["e^", ...this.line.guarded({ value, decimals: 0, operand: 0, veiled })]]);
      this.line.allExact = this.line.allExact && value === 0;  // no other power of e can be written in full
    }
    return this.line.equals(Math.exp(value));
  }

  weight() {
    if (this.isClosed(0) || this.isRowClosed()) return this.closed();
    const [part, sum] = [this.get(0), this.get(1)];
    this.line.side([[this.line.number(part), " / ", this.line.number(sum)]]);
    return this.line.equals(part.value / sum.value);
  }

  largest() {
    const numbers = this.openTerms();
    if (numbers.length === 0) return this.line.only("every cell is closed");
    return this.extreme("max", numbers, Math.max(...numbers.map((n) => n.value)));
  }

  smallest() {
    if (this.operands.length === 1) return this.handedOn();
    const numbers = this.operands.map((_, i) => this.get(i));
    return this.extreme("min", numbers, Math.min(...numbers.map((n) => n.value)));
  }

  extreme(name, numbers, value) {
    const terms = numbers.map((n) => [this.line.number(n), ","]);
    terms[0].unshift(name + "(");
    terms.at(-1)[terms.at(-1).length - 1] = ")";
    this.line.side(terms);
    return this.line.equals(value);
  }

  sumOfAll() {
    const numbers = this.openTerms();
    const terms = numbers.map((n, i) => (i === 0 ? [this.line.number(n)] : ["+ ", ...this.line.guarded(n)]));
    return this.sumOf(terms, numbers.reduce((sum, n) => sum + n.value, 0));
  }

  sumOf(terms, sum) {
    if (terms.length === 0) return this.line.only("every cell is closed");
    this.line.side(terms);
    return this.line.equals(sum);
  }

  openTerms() {
    const terms = this.operands[0].map((_, term) => term).filter((term) => !this.isClosed(term));
    return terms.map((term) => this.get(0, term));
  }

  // The reason is said once, where the cell is closed.
  closed() {
    const isHere = this.place.matrix.op.kind === "close" && this.isClosed(0);
    return this.line.only(isHere ? closedBy(this.open[0]) : "closed");
  }
}

function applied(name, a, b) {
  switch (name) {
    case "add": return a + b;
    case "subtract": return a - b;
    case "multiply": return a * b;
    default: return a / b;
  }
}

// The masks that steps read, and the rules that these are put together from.
const masks = new Set(page.matrices.map((matrix) => matrix.open?.step).filter(Boolean));
const madeOf = (matrix) => matrix.operands.map((slice) => slice.step);
const rules = new Set([...masks, ...page.matrices.filter((matrix) => masks.has(matrix.step)).flatMap(madeOf)]);

// "closed by causal": by which rules of the mask; their titles begin with their names.
function closedBy(mask) {
  const isRule = mask.matrix.op.kind === "given";
  const all = isRule ? [mask] : new Worker(mask).operands.flat();
  const closing = all.filter((rule) => rule?.matrix.op.kind === "given").filter((rule) => numberIn(cellAt(rule)) === 0);
  const names = new Set(closing.map((rule) => titleOf(rule.matrix).split(":")[0]).filter(Boolean));
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
