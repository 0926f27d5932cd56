// The rows of very large tables, drawn when they come into sight: a million cells at once are more
// than a browser can hold. Until then a row has its numbers as the bytes of doubles, and no cells.

function numbersOf(row, count) {
  const bytes = Uint8Array.from(atob(row.dataset.numbers), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const numbers = Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
  while (numbers.length < count) numbers.push(numbers.at(-1));  // what it ends in over and over stands once
  return numbers;
}

// "4-1000 1003-1003"
function isInRuns(runs, number) {
  return runs.some(([first, last]) => first <= number && number <= last);
}

function drawnCell(value, isClosed, format, isHeat) {
  const text = isClosed && value === 0 ? "0" : spelled(value, format);
  const cell = element("td", {}, text);
  if (isClosed) cell.classList.add("closed");
  if (!text.includes(".") && format.decimals > 0) cell.classList.add("whole");
  if (!Object.is(parsed(text), value) && !(value === 0 && parsed(text) === 0)) cell.dataset.v = String(value);
  if (isHeat && Number.isFinite(value)) cell.style.setProperty("--w", Math.min(Math.max(value, 0), 1).toPrecision(4));
  return cell;
}

function drawRow(row) {
  if (row?.dataset.numbers === undefined) return;
  const table = row.closest("table");
  const { columns } = page.matrices[table.dataset.matrix];
  const format = { decimals: Number(table.dataset.decimals), scientific: table.dataset.scientific !== undefined };
  const runs = (row.dataset.closed ?? "").split(" ").filter(Boolean).map((run) => run.split("-").map(Number));
  const isHeat = table.closest(".heat") !== null;
  const cells = numbersOf(row, columns)
    .map((value, i) => drawnCell(value, isInRuns(runs, i + 1), format, isHeat));
  delete row.dataset.numbers;
  unwatched(() => {
    row.append(...cells);
    if (veiled.size > 0 && isComputed(Number(table.dataset.matrix))) cells.forEach(veil);
  });
}

function startRows() {
  const late = document.querySelectorAll("tr[data-numbers]");
  if (late.length === 0) return;
  const seen = new IntersectionObserver((rows) => {
    for (const { target, isIntersecting } of rows) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      drawRow(target);
    }
  });
  for (const row of late) {
    if (row.sectionRowIndex === 0) drawRow(row);  // it says how wide the columns are
    else seen.observe(row);
  }
}
