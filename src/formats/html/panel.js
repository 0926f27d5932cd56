// The sum of a number in a panel beside it, with the row and the column that it was made from drawn in.

const panel = element("output", { class: "sum", "aria-live": "polite" });
const apart = 10;  // from the number, and at least so far from what must stay in sight

// Above it stand controls that stay in view.
function windowEdges() {
  const bar = document.getElementById("controls").getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  return { left: 8, top: Math.max(8, bar.bottom + 4), right: clientWidth - 8, bottom: clientHeight - 8 };
}

function columnName(cell) {
  return cell.closest("table").tHead.rows[0].cells[cell.cellIndex];
}

function clipped(rect, by) {
  const left = Math.max(rect.left, by.left), top = Math.max(rect.top, by.top);
  const right = Math.min(rect.right, by.right), bottom = Math.min(rect.bottom, by.bottom);
  return right > left && bottom > top ? { left, top, right, bottom } : null;
}

// What can be seen of elements that may scroll in a box.
function seen(element, edges) {
  const box = element.closest(".scroll");
  const inBox = box ? clipped(element.getBoundingClientRect(), box.getBoundingClientRect()) : null;
  return inBox && clipped(inBox, edges);
}

const overlap = (a, b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;

// Below the number or above it, where need be above the names of the columns or at its side:
// the nearest place that hides neither the number nor the names of its row and its column,
// and few of the numbers that are lit.
function placesAround(cell, head, { width, height }, edges) {
  const within = (x, least, most) => Math.max(least, Math.min(x, most));
  const x = (at) => within(at, edges.left, edges.right - width);
  const y = (at) => within(at, edges.top, edges.bottom - height);
  const lines = [cell.bottom + apart, cell.top - apart - height, ...(head ? [head.top - apart - height] : [])];
  const columns = [cell.left, cell.right - width, cell.right + apart, cell.left - apart - width];
  const places = lines.flatMap((top) => columns.map((left) => ({ left: x(left), top })));
  places.push(...columns.slice(2).map((left) => ({ left, top: y(cell.top - height / 2) })));
  places.push({ left: x(cell.left), top: edges.top }, { left: x(cell.left), top: edges.bottom - height });
  return places.map(({ left, top }) => ({ left, top, right: left + width, bottom: top + height }));
}

function keepInside() {
  if (!asked || !panel.hasChildNodes()) return;
  const edges = windowEdges();
  const cell = seen(asked, edges);
  panel.classList.toggle("unseeable", !cell);
  if (!cell) return;
  const size = panel.getBoundingClientRect();
  const names = [columnName(asked), asked.parentNode.cells[0]].map((name) => seen(name, edges));
  const mustShow = [cell, ...names].filter(Boolean);
  // Of a number that was read more than of those along its row and its column.
  const shouldShow = lit.map(([one, name]) => [seen(one, edges), name === "along" ? 8 : 40]).filter(([one]) => one);
  const cost = (place) => {
    const isIn = place.left >= edges.left && place.right <= edges.right && place.top >= edges.top && place.bottom <= edges.bottom;
    const hides = mustShow.filter((one) => overlap(place, one)).length + (overlap(place, cell) ? 3 : 0);
    const gap = Math.max(place.top - cell.bottom, cell.top - place.bottom, apart) - apart;
    const away = 4 * gap + Math.abs(place.left - cell.left) / 4;
    const covered = shouldShow.reduce((sum, [one, weight]) => sum + (overlap(place, one) ? weight : 0), 0);
    return (isIn ? 0 : 1e7) + hides * 1e5 + covered + away;
  };
  const [best] = placesAround(cell, names[0], size, edges).sort((a, b) => cost(a) - cost(b));
  panel.style.left = `${best.left}px`;
  panel.style.top = `${best.top}px`;
}

// The numbers of each operand in a row of cells, those that are multiplied below each other,
// and their products: what a dot product looks like.
function strips(operands, isProduct) {
  const [first, second = []] = operands;
  if (!first || first.length < 2) return [];
  const room = Math.floor((Math.min(580, innerWidth - 40) - 60) / 58);
  const count = first.length > room ? room - 1 : first.length;
  const said = (place) => (isVeiled(cellAt(place)) ? "?" : inLine(numberIn(cellAt(place)), place.matrix.decimals));
  const row = (name, texts, className) => {
    const more = first.length > count ? [element("td", {}, "…")] : [];
    return element("tr", { class: className }, element("th", {}, name), ...texts.map((text) => element("td", {}, text)), ...more);
  };
  const rows = operands.filter((places) => places.length > 1)
    .map((places, i) => row(places[0].matrix.symbol, places.slice(0, count).map(said), `of-${i}`));
  if (isProduct && second.length === first.length) {
    const product = (a, b) => (said(a) === "?" || said(b) === "?" ? "?" : inLine(numberIn(cellAt(a)) * numberIn(cellAt(b))));
    rows.push(row("×", first.slice(0, count).map((place, i) => product(place, second[i])), "products"));
  }
  return [element("table", { class: "strips", "aria-hidden": "true" }, element("tbody", {}, ...rows))];
}
