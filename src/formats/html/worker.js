// How each operation is worked out for one cell: explain/worked_cell.cpp says the same.

// The error function: 2/√π · e^(−x²) · (x + 2x³/3 + 4x⁵/15 + …), whose terms all have one sign.
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); ++n) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
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

  // The places that are read. Closed ones are not; a mask says nothing of what is
  // taken in besides: a bias, a sink.
  read(operand) {
    if (operand === 0 && this.isRowClosed()) return [];
    if (this.ownTerm() !== null && this.isClosed(this.ownTerm())) return [];
    const isBeside = operand >= this.summed();
    return this.operands[operand].filter((place, term) => place && (isBeside || !this.isClosed(term)));
  }

  // How many of the operands are gone through term by term, or cell by cell.
  summed() {
    const { op } = this.place.matrix;
    if (op.kind === "contract" || (op.kind === "online" && op.part === "weighted")) return 2;
    const rowParts = { softmax: ["maximum", "sum"], online: ["largest", "sum"] }[op.kind];
    const isRow = op.kind === "reduce" || rowParts?.includes(op.part);
    return isRow ? 1 : this.operands.length;
  }

  // Which term of the row is the cell's own, where it is a share of the row; else null.
  ownTerm() {
    const { op } = this.place.matrix;
    return op.kind === "softmax" && op.part === "shares" ? indexAlong(op.over, this.place) : null;
  }

  // Whether softmax finds no open score in the row: its maximum or its sum says so.
  isRowClosed() {
    const { op } = this.place.matrix;
    const second = this.operands[1]?.[0];
    if (!["softmax", "online"].includes(op.kind) || !second) return false;
    const closed = { exponentials: -Infinity, powers: -Infinity, weights: 0, quotient: 0 }[op.part];
    return closed !== undefined && numberIn(cellAt(second)) === closed;
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
  join() { return this.handedOn(); }
  repeat() { return this.handedOn(); }

  pick() {
    return this.operands[0].length > 0 ? this.handedOn() : this.line.only("no row is picked");
  }

  // Of several operands that were joined the one that is read.
  handedOn() {
    const operand = this.operands.findIndex((places) => places.length > 0);
    const n = this.get(operand);
    this.line.side([[{ text: this.line.nameOf(this.operands[operand][0]), operand }]]);
    return n.veiled ? this.line.only() : this.line.equals(n.value);
  }

  // sin(2 / 10000^(0/4)) = sin(2) ≈ 0.9093
  waves(op) {
    const position = op.first + indexAlong(op.positions, this.place);
    const feature = indexAlong(op.features, this.place);
    const alternates = op.function === "alternating";
    const isSine = alternates ? feature % 2 === 0 : op.function === "sine";
    const twice = alternates ? feature - (feature % 2) : 2 * feature;
    const angle = position / op.base ** (twice / op.width);
    const name = isSine ? "sin" : "cos";
    const number = (value) => this.line.number({ value, decimals: 0 });
    this.line.side([[`${name}(`, number(position), " / ", number(op.base), `^(${twice}/${op.width}))`]]);
    const shown = number(angle);
    this.line.side([[`${name}(`, shown, ")"]]);
    if (angle !== 0) this.line.allExact = false;
    return this.line.equals(isSine ? Math.sin(angle) : Math.cos(angle));
  }

  // 1 × 0.5403 − 0 × 0.8415
  rotate(op) {
    if (this.operands[1].length === 0) {
      const line = this.handedOn();
      line.remark ||= "not turned";
      return line;
    }
    const feature = indexAlong(op.axis, this.place);
    const isFirst = op.interleaved ? feature % 2 === 0 : feature < op.pairs;
    const [own, other] = isFirst ? [this.get(0, 0), this.get(0, 1)] : [this.get(0, 1), this.get(0, 0)];
    const [cosine, sine] = [this.get(1), this.get(2)];
    this.line.side([
      [this.line.number(own), " × ", ...this.line.guarded(cosine)],
      [isFirst ? "− " : "+ ", ...this.line.guarded(other), " × ", ...this.line.guarded(sine)],
    ]);
    const [turned, by] = [own.value * cosine.value, other.value * sine.value];
    return this.line.equals(isFirst ? turned - by : turned + by);
  }

  contract(op) {
    if (this.operands.length < 2) return this.line.only();
    const terms = [];
    const sum = this.addProducts(terms, 0);
    return op.then === "divide" ? this.quotient(terms, sum) : this.sumOf(terms, this.addFurther(2, terms, sum));
  }

  // The open products; returns the sum with them.
  addProducts(terms, sum) {
    for (let i = 0; i < this.operands[0].length; ++i) {
      if (this.isClosed(i)) continue;
      const [a, b] = [this.get(0, i), this.get(1, i)];
      const product = [...this.line.guarded(a), "×", ...this.line.guarded(b)];
      terms.push(terms.length === 0 ? product : ["+ ", ...product]);
      sum += a.value * b.value;
    }
    return sum;
  }

  // Each operand from `first` on; returns the sum with them.
  addFurther(first, terms, sum) {
    for (let i = first; i < this.operands.length; ++i) {
      const n = this.get(i);
      terms.push([terms.length === 0 ? "" : "+ ", ...this.line.guarded(n)]);
      sum += n.value;
    }
    return sum;
  }

  // (1×2 + 0×1) / (1 × 2.236)
  quotient(terms, sum) {
    if (terms.length === 0) return this.line.only("every cell is closed");
    const [a, b] = [this.get(2), this.get(3)];
    if (terms.length > 1) {
      terms[0].unshift("(");
      terms.at(-1).push(")");
    }
    terms.push(["/ (", ...this.line.guarded(a), " × ", ...this.line.guarded(b), ")"]);
    this.line.side(terms);
    const divisor = a.value * b.value;
    const line = this.line.equals(divisor === 0 ? 0 : sum / divisor);
    if (divisor === 0) line.remark ||= "0 where the divisor is 0";
    return line;
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
    if (["multiply", "divide", "add", "softcap"].includes(op.function)) {
      const parameter = op.spelling || this.line.number({ value: op.parameter, decimals: 0 }).text;
      const shown = op.parameter < 0 ? `(${parameter})` : parameter;
      if (op.function === "softcap") return this.softcap(a, op.parameter, parameter, shown);
      this.line.side([[this.line.number(a), ` ${signs[op.function]} ${shown}`]]);
      return this.line.equals(applied(op.function, a.value, op.parameter));
    }
    if (op.function === "tanh") {
      this.line.side([["tanh(", this.line.number(a), ")"]]);
      if (a.value !== 0) this.line.allExact = false;
      return this.line.equals(Math.tanh(a.value));
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
    if (op.function === "sqrt") {
      this.line.side([["√", ...this.line.guarded(a)]]);
      return this.line.equals(Math.sqrt(a.value));
    }
    return this.activation(op.function, a);
  }

  // max(2, 0) × (−3)
  gate(op) {
    return this.activation(op.function, this.get(0), this.get(1));
  }

  // max(−1, 0), and that times another number, where there is one.
  activation(name, a, by) {
    const x = a.value, n = this.line.number(a), guarded = this.line.guarded(a);
    const of = {
      relu: () => [[["max(", n, ", 0)"]], Math.max(x, 0)],
      gelu: () => [[[...guarded, " × ½"], ["× (1 + erf(", n, " / √2))"]], (x / 2) * (1 + erf(x / Math.SQRT2))],
      gelu_tanh: () => [
        [[...guarded, " × ½"], ["× (1 + tanh(√(2/π)"], ["× (", n, " + 0.044715 × ", ...guarded, "³)))"]],
        (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
      ],
      silu: () => [[[n, " / (1 + e^(", this.line.number({ ...a, value: -x }), "))"]], x / (1 + Math.exp(-x))],
    }[name];
    if (!of) return this.line.only();
    const [terms, value] = of();
    this.line.side(by ? [...terms, ["× ", ...this.line.guarded(by)]] : terms);
    if (name !== "relu" && x !== 0) this.line.allExact = false;
    return this.line.equals(by ? value * by.value : value);
  }

  // 2 × tanh(3 / 2)
  softcap(a, cap, parameter, shown) {
    this.line.side([[`${parameter} × tanh(`, this.line.number(a), ` / ${shown})`]]);
    if (a.value !== 0) this.line.allExact = false;
    return this.line.equals(cap * Math.tanh(a.value / cap));
  }

  reduce(op) {
    if (op.function === "norm") return this.norm();
    return op.function === "sum" ? this.sumOfAll() : this.largest();
  }

  // √(1² + 2²) = √5 ≈ 2.2361
  norm() {
    const numbers = this.openTerms();
    const terms = numbers.map((n, i) => [i === 0 ? "√(" : "+ ", ...this.line.guarded(n), "²"]);
    terms.at(-1).push(")");
    this.line.side(terms);
    const value = numbers.reduce((sum, n) => sum + n.value * n.value, 0);
    const veiled = numbers.some((n) => n.veiled);
    this.line.side([["√", this.line.number({ value, decimals: 0, operand: 0, veiled })]]);
    return this.line.equals(Math.sqrt(value));
  }

  normalize(op) {
    const square = (value) => value * value;
    if (op.part === "mean") return this.meanOf((n, leads) => (leads ? [this.line.number(n)] : this.line.guarded(n)));
    if (op.part === "mean_square") return this.meanOf((n) => [...this.line.guarded(n), "²"], square);
    if (op.part === "normalized") return this.normalized(op);
    if (op.part === "affine") return this.affine();
    const mean = this.get(1);
    const deviation = (n) => ["(", this.line.number(n), " − ", ...this.line.guarded(mean), ")²"];
    return this.meanOf(deviation, (value) => square(value - mean.value));
  }

  // (1 + 2 + 6) / 3 = 9 / 3 = 3
  meanOf(spelled, sized = null) {
    const numbers = this.openTerms();
    const terms = numbers.map((n, i) => (i === 0 ? [...spelled(n, true)] : ["+ ", ...spelled(n, false)]));
    if (terms.length > 1) {
      terms[0].unshift("(");
      terms.at(-1).push(")");
    }
    const by = [" / ", this.line.number({ value: numbers.length, decimals: 0 })];
    terms.at(-1).push(...by);
    this.line.side(terms);
    const sum = numbers.reduce((all, { value }) => all + (sized ? sized(value) : value), 0);
    const veiled = numbers.some((n) => n.veiled);
    if (numbers.length > 1 || sized) this.line.side([[this.line.number({ value: sum, decimals: 0, veiled }), ...by]]);
    return this.line.equals(sum / numbers.length);
  }

  // (1 − 2) / √(0.6667 + 0.00001)
  normalized(op) {
    const isCentred = this.operands.length === 3;
    const [x, variance] = [this.get(0), this.get(isCentred ? 2 : 1)];
    const mean = isCentred ? this.get(1) : null;
    const upper = mean ? ["(", this.line.number(x), " − ", ...this.line.guarded(mean), ")"] : this.line.guarded(x);
    const under = this.line.number(variance);
    const eps = op.eps === 0 ? null : this.line.number({ value: op.eps, decimals: 0 });
    const lower = !eps ? ["√", under] : op.outside ? ["(√", under, " + ", eps, ")"] : ["√(", under, " + ", eps, ")"];
    this.line.side([[...upper, " / ", ...lower]]);
    const divisor = op.outside ? Math.sqrt(variance.value) + op.eps : Math.sqrt(variance.value + op.eps);
    const line = this.line.equals(divisor === 0 ? 0 : (x.value - (mean?.value ?? 0)) / divisor);
    if (divisor === 0) line.remark ||= "0 where the divisor is 0";
    return line;
  }

  // 1.2 × 2 + 0.5
  affine() {
    const [x, gain, bias] = [this.get(0), this.get(1), this.get(2)];
    this.line.side([
      [...this.line.guarded(x), " × ", ...this.line.guarded(gain)],
      ["+ ", ...this.line.guarded(bias)],
    ]);
    return this.line.equals(x.value * gain.value + bias.value);
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
    if (op.part === "sum") return this.operands.length > 1 ? this.sumWithSink(op) : this.sumOfAll();
    if (op.part === "shares") return this.share();
    return op.part === "exponentials" ? this.exponential(op) : this.weight();
  }

  // Softmax some keys at a time. The last operand is what stood there before the block, if anything did.
  online(op) {
    if (op.part === "largest") return this.largest();
    if (op.part === "maximum") return this.largestSoFar();
    if (op.part === "factor") return this.rescale(op);
    if (op.part === "powers") return this.exponential(op);
    return op.part === "quotient" ? this.weight() : this.carriedOn(op);
  }

  // max(4, 3): of the blocks before, and of this one.
  largestSoFar() {
    if (this.operands[1].length === 0) return this.line.only();
    const [before, now] = [this.get(1), this.get(0)];
    this.line.side([["max(", this.line.number(before), ", ", this.line.number(now), ")"]]);
    return this.line.equals(Math.max(before.value, now.value));
  }

  // What is left of a sum of the blocks before once a larger maximum is subtracted.
  rescale(op) {
    const isFirst = this.operands[0].length === 1 || this.get(0).value === -Infinity;
    return isFirst ? this.line.only("nothing came before") : this.powerOfDifference(op, this.get(0), this.get(0, 1));
  }

  // 1.1353 × 0.3679 + 0.1353 + 1, or with products in place of the numbers: what the blocks
  // before gave, rescaled, and what this one adds.
  carriedOn(op) {
    const last = this.operands.length - 1;
    const terms = [];
    let sum = 0;
    if (this.operands[last].length > 0) {
      const [before, by] = [this.get(last), this.get(last - 1)];
      terms.push([...this.line.guarded(before), " × ", ...this.line.guarded(by)]);
      sum = before.value * by.value;
    }
    return this.sumOf(terms, op.part === "weighted" ? this.addProducts(terms, sum) : this.addRow(terms, sum));
  }

  // "e", or the base of a softmax that has another.
  baseOf(op) {
    return op.base === 0 ? "e" : this.line.number({ value: op.base, decimals: 0 }).text;
  }

  // "e^(2 − 4)"
  powerOf(op, score, maximum) {
    return [`${this.baseOf(op)}^(`, this.line.number(score), " − ", ...this.line.guarded(maximum), ")"];
  }

  // e^(2 − 4) = e^(−2) ≈ 0.1353
  exponential(op) {
    if (this.isClosed(0) || this.isRowClosed()) return this.closed();
    return this.powerOfDifference(op, this.get(0), this.get(1));
  }

  powerOfDifference(op, score, maximum) {
    const value = score.value - maximum.value;
    const veiled = score.veiled || maximum.veiled;
    const base = this.baseOf(op);
    this.line.side([this.powerOf(op, score, maximum)]);
    if (value === 0 && !veiled) {
      this.line.allExact = true;
      this.line.side([[`${base}^0`]]);
    } else {
      this.line.side([[`${base}^`, ...this.line.guarded({ value, decimals: 0, operand: 0, veiled })]]);
      if (op.base === 0 && value !== 0) this.line.allExact = false;  // no other power of e can be written in full
    }
    return this.line.equals(powerTo(op.base, value));
  }

  // 0.1353 + 1 + e^(1 − 4)
  sumWithSink(op) {
    const [terms, sum] = this.rowAdded();
    const [sink, maximum] = [this.get(1), this.get(2)];
    if (maximum.value === -Infinity) return this.sumOf(terms, sum);
    terms.push([terms.length === 0 ? "" : "+ ", ...this.powerOf(op, sink, maximum)]);
    if (op.base === 0 && sink.value !== maximum.value) this.line.allExact = false;
    return this.sumOf(terms, sum + powerTo(op.base, sink.value - maximum.value));
  }

  // 2 / (2 + 1 + 3)
  share() {
    if (this.isClosed(this.ownTerm())) return this.closed();
    const own = this.get(0, this.ownTerm());
    const start = [this.line.number(own), " / ("];
    const [terms, sum] = this.rowAdded();
    terms[0] = [...start, ...terms[0]];
    terms.at(-1).push(")");
    this.line.side(terms);
    return this.line.equals(own.value / sum);
  }

  weight() {
    if (this.isClosed(0)) return this.closed();
    if (this.isRowClosed()) return this.line.only("0 where the divisor is 0");
    const [part, sum] = [this.get(0), this.get(1)];
    this.line.side([[this.line.number(part), " / ", this.line.number(sum)]]);
    return this.line.equals(part.value / sum.value);
  }

  // Sinks count besides the row.
  largest() {
    const sinks = this.operands.slice(1).map((_, i) => ({ ...this.get(i + 1), before: "sink " }));
    const numbers = [...this.openTerms(), ...sinks];
    if (numbers.length === 0) return this.line.only("every cell is closed");
    return this.extreme("max", numbers, Math.max(...numbers.map((n) => n.value)));
  }

  smallest() {
    if (this.operands.length === 1) return this.handedOn();
    const numbers = this.operands.map((_, i) => this.get(i));
    return this.extreme("min", numbers, Math.min(...numbers.map((n) => n.value)));
  }

  extreme(name, numbers, value) {
    const terms = numbers.map((n) => [n.before ?? "", this.line.number(n), ","]);
    terms[0].unshift(name + "(");
    terms.at(-1)[terms.at(-1).length - 1] = ")";
    this.line.side(terms);
    return this.line.equals(value);
  }

  // The open numbers of the row, as terms, and their sum.
  rowAdded() {
    const terms = [];
    const sum = this.addRow(terms, 0);
    return [terms, sum];
  }

  // The same behind other terms; returns the sum with them.
  addRow(terms, sum) {
    for (const n of this.openTerms()) {
      terms.push(terms.length === 0 ? [this.line.number(n)] : ["+ ", ...this.line.guarded(n)]);
      sum += n.value;
    }
    return sum;
  }

  sumOfAll() {
    const [terms, sum] = this.rowAdded();
    return this.sumOf(terms, this.addFurther(1, terms, sum));
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
