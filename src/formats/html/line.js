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
    if (!isStale && toSay !== toCompute) this.remark = `${toCompute}, rounded`;
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

// base^value, or e^value where the base is 0.
const powerTo = (base, value) => (base === 0 ? Math.exp(value) : base ** value);

function applied(name, a, b) {
  switch (name) {
    case "add": return a + b;
    case "subtract": return a - b;
    case "multiply": return a * b;
    default: return a / b;
  }
}
