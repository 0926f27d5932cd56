// Geometry: queries, keys and values that can be moved, and what softmax then makes of them.

// As formats/scene.cpp has them; narrower on a phone, so that letters can be read there.
const isNarrow = matchMedia("(max-width: 32rem)").matches;
const [column, plot] = isNarrow ? [96, 192] : [150, 220];
const [planeTop, lineHeight] = [26, 16];
const [sceneWidth, sceneHeight] = [2 * column + plot, planeTop + plot + 30];

const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);
const lengthOf = (a) => Math.hypot(...a);

// Half the angle is exact near 0 and 180 degrees, where a cosine says little.
function angleBetween(a, b) {
  const [p, q] = [lengthOf(a), lengthOf(b)];
  if (p === 0 || q === 0) return NaN;
  return 2 * Math.atan2(lengthOf(a.map((x, i) => x / p - b[i] / q)), lengthOf(a.map((x, i) => x / p + b[i] / q)));
}

// As many decimals as the pictures of the document have.
const toDecimals = (value, decimals) => spelled(value, { decimals });
const inDegrees = (angle) => (Number.isNaN(angle) ? "—" : toDecimals((angle * 180) / Math.PI, 1) + "°");

function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function arrowHead([x, y], [toX, toY], fill, size) {
  const length = Math.hypot(toX - x, toY - y);
  if (length < 1) return svgElement("circle", { cx: toX, cy: toY, r: 2.5, fill });
  const [dx, dy] = [(toX - x) / length * size, (toY - y) / length * size];
  const points = [[toX, toY], [toX - dx - dy * 0.4, toY - dy + dx * 0.4], [toX - dx + dy * 0.4, toY - dy - dx * 0.4]];
  return svgElement("polygon", { points: points.join(" "), fill });
}

const outline = (points, attributes) => svgElement("polyline", { points: points.map((point) => point.join(",")).join(" "), fill: "none", ...attributes });

// What one head makes of its vectors.
class Attending {
  constructor(data) {
    this.data = data;
    this.reset();
  }

  reset() {
    const { query, queries, keys, values } = this.data;
    this.query = query;
    this.factor = 1;
    this.isMine = false;
    [this.queries, this.keys, this.values] = [queries, keys, values].map((all) => all.map((one) => [...one.numbers]));
  }

  isOpen(key) { return this.data.rule.open[this.query * this.keys.length + key] === 1; }

  // What softmax reads of the query beside that key.
  reads(key) {
    const { cosine, scale, cap, biases } = this.data.rule;
    const [q, k] = [this.queries[this.query], this.keys[key]];
    const lengths = cosine ? lengthOf(q) * lengthOf(k) : 1;
    const score = (lengths === 0 ? 0 : dot(q, k) / lengths) * scale;
    return (cap ? cap * Math.tanh(score / cap) : score) + (biases[this.query * this.keys.length + key] ?? 0);
  }

  weights(factor = this.factor) {
    const { base, sinks } = this.data.rule;
    const open = this.keys.map((_, key) => this.isOpen(key));
    const sink = sinks.length > 0 ? [sinks[this.query] * factor] : [];
    const scores = this.keys.map((_, key) => this.reads(key) * factor);
    const largest = Math.max(...scores.filter((_, key) => open[key]), ...sink);
    const power = (x) => (base === 0 ? Math.exp(x) : base ** x);
    const powers = scores.map((score, key) => (open[key] ? power(score - largest) : 0));
    const sum = [...powers, ...sink.map((number) => power(number - largest))].reduce((a, b) => a + b, 0);
    return powers.map((number) => (sum === 0 ? 0 : number / sum));
  }

  context(factor = this.factor) {
    const weights = this.weights(factor);
    return this.values[0].map((_, i) => this.values.reduce((sum, value, key) => sum + (weights[key] && weights[key] * value[i]), 0));
  }
}

// Where vectors are drawn: the frame stays while they move.
class Plane {
  constructor(data) {
    Object.assign(this, { ...data, right: [...data.right], up: [...data.up] });
  }

  fit(vectors, aboutZero) {
    const points = vectors.filter((vector) => vector.every(Number.isFinite)).map((vector) => this.flat(vector));
    if (aboutZero || points.length === 0) points.push([0, 0]);
    const range = [0, 1].map((axis) => points.map((point) => point[axis])).map((all) => [Math.min(...all), Math.max(...all)]);
    this.middle = range.map(([least, most]) => (least + most) / 2);
    const widest = Math.max(...range.map(([least, most]) => most - least));
    this.scale = widest > 0 ? plot / widest : 1;
  }

  flat(vector) { return [dot(this.right, vector), dot(this.up, vector)]; }

  at(vector) {
    const [x, y] = this.flat(vector);
    return [column + plot / 2 + (x - this.middle[0]) * this.scale, planeTop + plot / 2 - (y - this.middle[1]) * this.scale];
  }

  // Whether its point is in the drawing, between the names at both sides.
  holds(vector) {
    const [x, y] = this.at(vector).map((along, axis) => along - [column, planeTop][axis]);
    return !vector.every(Number.isFinite) || (Math.min(x, y) >= -4 && Math.max(x, y) <= plot + 4);
  }

  // Moves a vector as its shadow moves, by so many pixels.
  move(vector, dx, dy) {
    for (let i = 0; i < vector.length; ++i) vector[i] += (dx * this.right[i] - dy * this.up[i]) / this.scale;
  }

  // Looks at space from another side.
  turn(dx, dy) {
    this.around = (this.around ?? Math.PI / 6) - dx * 0.01;
    this.above = Math.max(-1.5, Math.min(1.5, (this.above ?? Math.asin(0.28)) + dy * 0.01));
    const [c, s, e, f] = [Math.cos(this.around), Math.sin(this.around), Math.cos(this.above), Math.sin(this.above)];
    this.right = [-s, c, 0];
    this.up = [-f * c, -f * s, e];
  }
}

// A key and its angle, without its word where there is no room for it: "k₁ the · 30.0°".
const inBrief = (text) => (isNarrow && text.length > 12 ? text.replace(/^(\S+) .* (?=· )/, "$1 ") : text);

// Names on either side of the drawing, none over another.
function placeNames(names) {
  names.sort((a, b) => a.at[0] - b.at[0]);
  const most = Math.floor(plot / lineHeight) + 2;
  const left = Math.max(names.length - most, Math.min(most, names.filter((name) => name.at[0] <= column + plot / 2).length));
  for (const [side, onRight] of [[names.slice(0, left), false], [names.slice(left), true]]) {
    side.sort((a, b) => a.at[1] - b.at[1]);
    let y = planeTop - lineHeight;
    for (const name of side) name.y = y = Math.max(name.at[1], y + lineHeight);
    let lowest = planeTop + plot + lineHeight;
    for (const name of side.reverse()) lowest = name.y = Math.min(name.y, lowest - lineHeight);
    for (const name of side) Object.assign(name, { onRight, x: onRight ? column + plot + 14 : column - 14 });
  }
  return names;
}

class MovingFigure {
  constructor(details, data) {
    this.details = details;
    this.attending = new Attending(data);
    this.data = data;
    this.figures = new Map([...details.querySelectorAll("figure[data-kind]")].map((figure) => [figure.dataset.kind, figure]));
    this.output = element("output", { "aria-live": "polite" });
    this.table = element("table", { class: "words live" });
    this.how = `how-to-move-${[...document.querySelectorAll("details.geometry")].indexOf(details)}`;
    this.build();
    this.reset();
  }

  build() {
    const { queries } = this.data;
    this.select = element("select", { onchange: () => this.choose(this.select.selectedIndex) },
                          ...queries.map((query) => element("option", {}, query.name)));
    this.heat = element("input", { type: "range", min: -3, max: 3, step: 0.25, oninput: () => this.warm() });
    this.factor = element("span", {});
    this.back = element("button", { type: "button", onclick: () => this.reset() }, "Back to the problem’s numbers");
    this.notice = element("strong", {}, "These numbers are yours. ", this.back);
    this.details.querySelector(".pictures").before(
      element("p", { class: "steer" },
              element("label", {}, "Query ", this.select), element("label", {}, "Sharpness ", this.heat, " ", this.factor), this.notice),
      element("p", { class: "steer" }, element("span", { id: this.how }, this.howToMove())));
    this.details.querySelector(".pictures").after(this.output);
    (this.figures.get("points") ?? this.figures.get("arrows")).after(this.table);
    for (const kind of ["arrows", "points"]) this.drawing(kind)?.addEventListener("pointerdown", (event) => this.grab(kind, event));
  }

  howToMove() {
    const isSpace = [this.data.arrows, this.data.points].some((plane) => plane.kind === "space");
    return "Drag an arrow’s tip or a value, or go from one to the next with Tab: each press of an arrow key moves it on." +
      (isSpace ? " Drag beside them, or go to the whole drawing with Tab, to see it from another side." : "");
  }

  drawing(kind) { return this.figures.get(kind)?.querySelector("svg"); }

  reset() {
    this.attending.reset();
    this.select.selectedIndex = this.attending.query;
    this.heat.value = 0;
    this.output.textContent = "";
    this.frame();
    this.draw();
  }

  frame() {
    this.planes = { arrows: new Plane(this.data.arrows), points: new Plane(this.data.points) };
    for (const kind of Object.keys(this.planes)) this.fit(kind);
  }

  // What is in a drawing, and whether the middle of the space is.
  shown(kind) {
    const { queries, keys, values } = this.attending;
    return kind === "arrows" ? [[...queries, ...keys], true] : [[...values, this.attending.context()], this.data.zero];
  }

  fit(kind) { this.planes[kind].fit(...this.shown(kind)); }

  // What was moved out of the drawing is in it again.
  keepInside() {
    for (const [kind, plane] of Object.entries(this.planes)) {
      if (this.shown(kind)[0].every((vector) => plane.holds(vector))) continue;
      this.fit(kind);
      this.draw();
    }
  }

  choose(query) {
    this.attending.query = query;
    this.draw();
  }

  warm() {
    this.attending.factor = 2 ** this.heat.value;
    this.draw();
    this.say();
  }

  vectorOf({ role, at }) { return { query: this.attending.queries, key: this.attending.keys, value: this.attending.values }[role][at]; }

  // Only what is problem's and at its own temperature is the problem's.
  draw() {
    const { attending } = this;
    this.details.classList.toggle("mine", attending.isMine || attending.factor !== 1 || attending.query !== this.data.query);
    this.notice.style.visibility = attending.isMine || attending.factor !== 1 ? "visible" : "hidden";
    this.factor.textContent = `× ${inLine(attending.factor)}, temperature ${inLine(1 / attending.factor)}`;
    const focused = document.activeElement?.dataset?.tip;
    this.weights = attending.weights();
    this.drawArrows();
    this.drawPoints();
    this.write();
    if (focused) this.details.querySelector(`[data-tip="${focused}"]`)?.focus({ preventScroll: true });
  }

  put(kind, shapes, names) {
    const svg = this.drawing(kind);
    const plane = this.planes[kind];
    const back = svgElement("rect", { width: sceneWidth, height: sceneHeight, fill: "transparent", class: "back" });
    if (plane.kind === "space") {
      for (const [name, value] of [["tabindex", 0], ["role", "button"], ["data-tip", `${kind}-space`], ["aria-label", "The space: arrow keys turn it"], ["aria-describedby", this.how]]) back.setAttribute(name, value);
    }
    const labels = placeNames(names).map((name) => svgElement("g", {},
      svgElement("line", { x1: name.at[0], y1: name.at[1], x2: name.x + (name.onRight ? -3 : 3), y2: name.y, stroke: "var(--grid)" }),
      svgElement("text", { x: name.x, y: name.y + 4, "font-size": 12, "text-anchor": name.onRight ? "start" : "end",
                           fill: `var(--${name.role})`, ...(name.bold ? { "font-weight": "bold" } : {}) }, inBrief(name.text))));
    svg.setAttribute("viewBox", `0 0 ${sceneWidth} ${sceneHeight}`);
    svg.replaceChildren(svg.querySelector("title"), back, ...this.axes(kind), ...labels, ...shapes);
  }

  axes(kind) {
    const plane = this.planes[kind];
    const line = (from, to) => svgElement("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], stroke: "var(--grid)" });
    const word = (x, y, text) => svgElement("text", { x, y, "font-size": 12, fill: "var(--faint)", "text-anchor": "middle" }, text);
    if (plane.kind === "space") {
      const zero = plane.at([0, 0, 0]);
      return kind === "points" ? [] : [0, 1, 2].flatMap((axis) => {
        const end = [zero[0] + 60 * plane.right[axis], zero[1] - 60 * plane.up[axis]];
        return [line(zero, end), word(end[0] + 6, end[1] - 3, String(axis + 1))];
      });
    }
    const names = [];
    if (plane.names[0]) names.push(word(column + plot / 2, planeTop + plot + 24, `→ ${plane.names[0]}`));
    if (plane.names[1]) names.push(word(column + plot / 2, 12, `↑ ${plane.names[1]}`));
    if (kind === "points") return names;
    const [x, y] = plane.at(plane.right.map(() => 0));
    return [line([column - 8, y], [column + plot + 8, y]),
            ...(plane.kind === "line" ? [] : [line([x, planeTop - 8], [x, planeTop + plot + 8])]), ...names];
  }

  // What can be moved: as large as a finger, and with a name.
  tip(kind, at, role, index, words, shape) {
    return svgElement("g", { tabindex: 0, role: "button", "data-tip": `${kind}-${role}-${index}`, "aria-roledescription": "movable point",
                                  "aria-label": `${words}; arrow keys move it`, "aria-describedby": this.how, class: "tip-of" },
                      svgElement("circle", { cx: at[0], cy: at[1], r: 12, fill: "transparent" }), shape);
  }

  drawArrows() {
    const { attending, data } = this;
    const plane = this.planes.arrows;
    const [shapes, names, tips] = [[], [], []];
    let lane = -(attending.queries.length + attending.keys.length) / 2;
    const arrow = (role, index, more, asked) => {
      const vector = this.vectorOf({ role, at: index });
      if (!vector.every(Number.isFinite)) return;
      const [from, to] = [plane.at(vector.map(() => 0)), plane.at(vector)];
      if (plane.kind === "line") from[1] = to[1] = from[1] + 11 * ++lane;
      const closed = role === "key" && !attending.isOpen(index);
      const pale = closed || (role === "query" && !asked);
      const one = (role === "query" ? data.queries : data.keys)[index];
      shapes.push(svgElement("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], stroke: `var(--${role})`,
                                       "stroke-width": asked ? 2.6 : 1.6, opacity: pale ? 0.4 : 1, ...(closed ? { "stroke-dasharray": "4 3" } : {}) }));
      tips.push(this.tip("arrows", to, role, index, one.name + more, arrowHead(from, to, `var(--${role})`, asked ? 9 : 7)));
      tips.at(-1).setAttribute("opacity", pale ? 0.4 : 1);
      if (one.named || asked) names.push({ at: to, text: one.name + more, role, bold: asked });
    };
    attending.queries.forEach((_, i) => i !== attending.query && arrow("query", i, "", false));
    attending.keys.forEach((key, i) => arrow("key", i, " · " + inDegrees(angleBetween(attending.queries[attending.query], key)), false));
    arrow("query", attending.query, "", true);
    this.put("arrows", [...this.arcs(), ...shapes, ...tips], names);
  }

  // Angles as they are, where the drawing is true.
  arcs() {
    const plane = this.planes.arrows;
    const keys = this.attending.keys.filter((_, key) => this.attending.isOpen(key));
    if (plane.kind !== "plane" || keys.length > 4) return [];
    const zero = plane.at([0, 0]);
    const [from, ...others] = [this.attending.queries[this.attending.query], ...keys].map(([x, y]) => Math.atan2(y, x));
    return others.map((to, i) => {
      const turn = ((to - from + 3 * Math.PI) % (2 * Math.PI)) - Math.PI;
      const along = Array.from({ length: 17 }, (_, step) => from + (turn * step) / 16);
      return outline(along.map((angle) => [zero[0] + (20 + 7 * i) * Math.cos(angle), zero[1] - (20 + 7 * i) * Math.sin(angle)]), { stroke: "var(--faint)" });
    });
  }

  drawPoints() {
    if (!this.drawing("points")) return;
    const { attending, data, weights } = this;
    const plane = this.planes.points;
    const context = plane.at(attending.context());
    const [lines, tips, names] = [[], [], [{ at: context, text: data.context, role: "output", bold: true }]];
    const open = [];
    attending.values.forEach((value, key) => {
      if (!value.every(Number.isFinite)) return;
      const at = plane.at(value);
      const isOpen = attending.isOpen(key);
      if (isOpen) open.push(at);
      lines.push(svgElement("line", { x1: context[0], y1: context[1], x2: at[0], y2: at[1], stroke: "var(--attention_weight)", opacity: 0.35,
                                      "stroke-width": weights[key] > 0 ? 0.4 + 5 * weights[key] : 0 }));
      const words = data.values[key].name + (isOpen ? " · " + toDecimals(weights[key], 2) : "");
      const shape = svgElement("circle", { cx: at[0], cy: at[1], r: 2.5 + 7 * Math.sqrt(weights[key]), fill: "var(--value)" });
      tips.push(this.tip("points", at, "value", key, words, shape));
      if (!isOpen) tips.at(-1).setAttribute("opacity", 0.4);
      if (data.values[key].named) names.push({ at, text: words, role: "value" });
    });
    if (data.zero) {
      open.push(plane.at(plane.right.map(() => 0)));
      names.push({ at: open.at(-1), text: "0", role: "faint" });
    }
    const around = svgElement("polygon", { points: hullOf(open).map((point) => point.join(",")).join(" "), fill: "var(--value)",
                                           "fill-opacity": 0.14, stroke: "var(--value)", "stroke-opacity": 0.5, "stroke-linejoin": "round" });
    const way = [0, ...Array.from({ length: 45 }, (_, i) => 2 ** ((i - 20) / 4))].map((factor) => plane.at(attending.context(factor)));
    lines.unshift(outline(way, { stroke: "var(--output)", "stroke-dasharray": "4 3" }));
    this.put("points", [around, ...lines, ...tips, svgElement("circle", { cx: context[0], cy: context[1], r: 5, fill: "var(--output)" })], names);
  }

  write() {
    const { attending, data, weights } = this;
    const query = attending.queries[attending.query];
    const number = (value) => toDecimals(value, page.precision);
    const row = (tag, cells) => element("tr", {}, ...cells.map((cell, i) => element(i > 0 ? tag : "th", {}, cell)));
    this.table.replaceChildren(
      element("caption", {}, `${data.queries[attending.query].name} · length ${inLine(lengthOf(query))}`),
      element("thead", {}, row("th", ["key", "length", "angle", "q·k", data.reads, "weight"])),
      element("tbody", {}, ...attending.keys.map((key, i) => row("td", [
        data.keys[i].name, number(lengthOf(key)), inDegrees(angleBetween(query, key)), number(dot(query, key)),
        attending.isOpen(i) ? number(attending.reads(i) * attending.factor) : "closed", number(weights[i])]))));
  }

  say() {
    const shares = this.weights.map((weight, key) => `${this.data.keys[key].name} ${toDecimals(weight, 2)}`);
    this.output.textContent = `Weights: ${shares.join(", ")}.`;
  }

  nudge(tip, dx, dy) {
    const [kind, role, index] = tip.split("-");
    if (role === "space") {
      this.planes[kind].turn(dx, dy);
      this.fit(kind);
    } else {
      this.planes[kind].move(this.vectorOf({ role, at: Number(index) }), dx, dy);
      this.attending.isMine = true;
    }
    this.draw();
  }

  // Follows the pointer until it is let go.
  grab(kind, event) {
    const svg = this.drawing(kind);
    const isSpace = event.target.classList.contains("back") && this.planes[kind].kind === "space";
    const tip = isSpace ? `${kind}-space` : event.target.closest("[data-tip]")?.dataset.tip;
    if (!tip) return;
    event.preventDefault();
    this.details.querySelector(`[data-tip="${tip}"]`).focus({ preventScroll: true });
    const width = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    let { clientX: x, clientY: y } = event;
    const follow = (to) => {
      if (to.pointerId !== event.pointerId) return;
      this.nudge(tip, (to.clientX - x) / width, (to.clientY - y) / width);
      [x, y] = [to.clientX, to.clientY];
    };
    const stop = new AbortController();
    const end = () => {
      stop.abort();
      this.keepInside();
      this.say();
    };
    window.addEventListener("pointermove", follow, { signal: stop.signal });
    for (const over of ["pointerup", "pointercancel"]) window.addEventListener(over, end, { signal: stop.signal });
  }

  press(event) {
    const tip = event.target.closest?.("[data-tip]")?.dataset.tip;
    const by = { ArrowLeft: [-4, 0], ArrowRight: [4, 0], ArrowUp: [0, -4], ArrowDown: [0, 4] }[event.key];
    if (!tip || !by) return;
    event.preventDefault();
    event.stopPropagation();
    this.nudge(tip, ...by);
    this.keepInside();
    this.say();
  }
}

// The corners of the smallest polygon around points.
function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (all) => {
    const chain = [];
    for (const p of all) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

// Each is built when it is opened first.
function startGeometry() {
  for (const details of document.querySelectorAll("details.geometry")) {
    const data = details.querySelector("script");
    if (!data) continue;
    details.addEventListener("toggle", () => {
      if (!details.open || details.classList.contains("moves")) return;
      details.classList.add("moves");
      const figure = new MovingFigure(details, JSON.parse(data.textContent));
      details.addEventListener("keydown", (event) => figure.press(event));
    });
  }
}
