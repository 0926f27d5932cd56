// A pressed cell opens its why: the line of the number, and below each number
// those that it was made from, back to the given ones.

const mostLinesOpen = 24;   // so many lines of the tree are open at once, about
const mostChildren = 16;    // of one operand, unless all are asked for

// What stands below a number: lists of its ingredients, an entry a line.
function partsOf(place) {
  const made = ingredients(place);
  const seen = new Set();
  const parts = [];
  for (const places of [...made.operands, closedOf(made.open)]) {
    const key = places.map((one) => `${one.matrix.step} ${offsetOf(one)}`).join();
    if (places.length === 0 || seen.has(key)) continue;
    seen.add(key);
    parts.push(places[0].matrix.op.kind === "given" ? { given: places } : { cells: places });
  }
  return parts;
}

function closedOf(open) {
  return open.filter((place) => numberIn(cellAt(place)) === 0);
}

// Neighbours along one axis are named and listed together: "keys[2,1…4] = [4, 4, 3, 1]".
function runsOf(places) {
  const runs = [];
  for (const place of places) {
    if (follows(runs.at(-1), place)) runs.at(-1).push(place);
    else runs.push([place]);
  }
  return runs;
}

function follows(run, place) {
  if (!run) return false;
  const [first, last] = [run[0], run.at(-1)];
  return axesBetween(first, place).length === 1 && axesBetween(last, place).join() === "1";
}

// How far the second is behind the first, of the axes along which they are apart.
function axesBetween(a, b) {
  const { shape } = a.matrix;
  const [from, to] = [indexOf(shape, offsetOf(a)), indexOf(shape, offsetOf(b))];
  return from.map((at, axis) => to[axis] - at).filter((by) => by !== 0);
}

function givenElement(run) {
  const { matrix } = run[0];
  const name = nameInStep(matrix, offsetOf(run[0]), offsetOf(run.at(-1)));
  const numbers = run.map((place) => numberIn(cellAt(place)));
  const relation = numbers.every(exact) ? "=" : "≈";
  const shown = run.map((place, i) => (isVeiled(cellAt(place)) ? "?" : inLine(numbers[i], matrix.decimals)));
  const open = numbers.includes(0) ? titleOf(matrix) : "open";
  const remark = (rules.has(matrix.step) && open) || "given";
  const list = run.length > 1 ? `[${shown.join(", ")}]` : shown[0];
  return element("span", { class: "arithmetic" }, `${name} ${relation} ${list} (${remark})`);
}

function cellLine(place, most) {
  const line = element("span", { class: "arithmetic" });
  if (isVeiled(cellAt(place))) line.append(`${fullName(place)} is hidden`);
  else writeLine(line, fullName(place), worked(place, { most, nameOf: fullName }));
  return line;
}

// A list that shows the first of its items, and the rest when asked.
function addItems(list, items, makeItem) {
  list.append(...items.slice(0, mostChildren).map(makeItem));
  const rest = items.slice(mostChildren);
  if (rest.length === 0) return;
  const more = element("li", {}, element("button", { type: "button", onclick: () => {
    const made = rest.map(makeItem);
    more.replaceWith(...made);
    made[0].querySelector("summary")?.focus();
  } }, `… ${rest.length} more`));
  list.append(more);
}

function listOf(place) {
  const list = element("ul");
  const item = (content) => element("li", {}, content);
  for (const part of partsOf(place)) {
    if (part.given) addItems(list, runsOf(part.given), (run) => item(givenElement(run)));
    else addItems(list, part.cells, (cell) => item(branch(cell)));
  }
  return list;
}

// A number with what it was made from folded up below it, made when it is unfolded.
function branch(place, most = mostTerms) {
  const line = cellLine(place, most);
  const hasParts = !isVeiled(cellAt(place)) && partsOf(place).length > 0;
  if (!hasParts) return line;
  const folded = element("details", {}, element("summary", {}, line));
  folded.unfold = () => {
    if (folded.children.length === 1) folded.append(listOf(place));
    folded.open = true;
  };
  folded.addEventListener("toggle", () => {
    if (folded.open) folded.unfold();
  });
  return folded;
}

// Level by level, as long as the lines are few.
function unfoldFirst(tree) {
  for (let level = [...tree.children]; level.length > 0;) {
    level.forEach((folded) => folded.unfold?.());
    const next = level.flatMap((folded) => [...folded.querySelectorAll("li > details")]);
    if (tree.querySelectorAll("li").length + 3 * next.length > mostLinesOpen) return;
    level = next;
  }
}

// "Scores: each query times each key · row Input 1, column Input 2 of S"
function meaningOf(place) {
  return [titleOf(place.matrix), whereabouts([place]), whyClosed(place)].filter(Boolean).join(" · ");
}

function openWhy(cell) {
  const place = placeOf(cell);
  const returnTo = cell;
  const tree = element("div", { class: "branches" }, branch(place, Infinity));
  unfoldFirst(tree);
  const close = element("button", { type: "button", class: "close", onclick: () => dialog.close() }, "Close");
  const dialog = element("dialog", { class: "why", "aria-labelledby": "why-title" },
    element("header", {}, element("h2", { id: "why-title" }, `Why ${fullName(place)}?`), close),
    element("p", { class: "meaning" }, meaningOf(place)), tree);
  dialog.addEventListener("close", () => {
    dialog.remove();
    returnTo.focus();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();  // beside the box
  });
  openAroundRead(cell);
  document.body.append(dialog);
  dialog.showModal();
}

// What the number was made from can be seen when the box is closed; the cell stays where it is.
function openAroundRead(cell) {
  const { top } = cell.getBoundingClientRect();
  for (const [read] of lit) openAround(read);
  window.scrollBy({ top: cell.getBoundingClientRect().top - top, behavior: "instant" });
}
