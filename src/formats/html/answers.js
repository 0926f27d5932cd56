// Answers hidden and revealed. What is hidden is taken out of the page, so that
// neither eye nor screen reader nor search finds it; its place stays as wide.

const veiled = new Map();  // element to what it holds

const isVeiled = (at) => veiled.has(at);

// The text of a cell, also where it is hidden just now.
function textOf(cell) {
  return veiled.has(cell) ? veiled.get(cell).text : cell.textContent;
}

// As wide as a digit, and as a point.
const blank = (text) => text.trim().replace(/./gu, (letter) => (letter === "." ? "\u2008" : "\u2007"));

function veil(at) {
  if (veiled.has(at)) return;
  const text = at.textContent;
  veiled.set(at, { text, nodes: [...at.childNodes] });
  at.replaceChildren(blank(text).slice(0, 24));
  at.classList.add("veiled");
  at.setAttribute("aria-label", "hidden");
  if (at.tagName !== "TD") becomeButton(at);
}

// What is no cell of a table has no keys of its own.
function becomeButton(at) {
  at.setAttribute("role", "button");
  at.setAttribute("tabindex", "0");
}

function unveil(at) {
  at.replaceChildren(...veiled.get(at).nodes);
  at.classList.remove("veiled");
  at.removeAttribute("aria-label");
  if (at.tagName !== "TD") for (const name of ["role", "tabindex"]) at.removeAttribute(name);
  veiled.delete(at);
}

function reveal(at) {
  unwatched(() => unveil(at));
  if (veiled.size === 0) showPictures(true);
  answerControls.say();
}

const isComputed = (index) => page.matrices[index].op.kind !== "given";

function computedCells() {
  const computed = [...tableOf].filter(([index]) => isComputed(index));
  return computed.flatMap(([, table]) => [...table.tBodies[0].querySelectorAll("td")]);
}

// Of a line of arithmetic all that is numbers: "q₁·k₂" only says what to do.
function resultsIn(line) {
  const remark = line.querySelector(".remark");
  if (remark?.textContent.includes("given")) return [];
  const sides = [...line.querySelectorAll(":scope > .side")].slice(1);
  const numbers = sides.filter((side) => ![...side.querySelectorAll("mi")].some((name) => name.textContent !== "e"));
  return remark && /\d/.test(remark.textContent) ? [...numbers, remark] : numbers;
}

function results() {
  return [...document.querySelectorAll(".derivation li, ul.tree .line")].flatMap(resultsIn);
}

// Drawings show weights, too.
function showPictures(visible) {
  for (const picture of document.querySelectorAll("figure.arcs svg, .overview svg")) {
    picture.classList.toggle("veiled", !visible);
    if (visible) picture.removeAttribute("aria-hidden");
    else picture.setAttribute("aria-hidden", "true");
  }
}

function hideAnswers() {
  unwatched(() => [...computedCells(), ...results()].forEach(veil));
  showPictures(false);
  answersChanged();
}

function revealAnswers() {
  unwatched(() => [...veiled.keys()].forEach(unveil));
  showPictures(true);
  answersChanged();
}

function answersChanged() {
  answerControls.say();
  askAgain();
}

const answerControls = {
  make() {
    const toggle = () => (veiled.size > 0 ? revealAnswers() : hideAnswers());
    this.hide = element("button", { type: "button", onclick: toggle }, "Hide answers");
    this.reveal = element("button", { type: "button", onclick: revealAnswers }, "Reveal all");
    this.say();
    return element("div", { class: "answers", role: "group", "aria-label": "Answers" }, this.hide, this.reveal);
  },

  say() {
    this.hide.setAttribute("aria-pressed", String(veiled.size > 0));
    this.reveal.hidden = veiled.size === 0;
  },
};

function onResult(event) {
  const result = event.target instanceof Element ? event.target.closest(".side.veiled, .remark.veiled") : null;
  if (!result || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  const next = result.nextElementSibling;
  reveal(result);
  if (event.type === "keydown") next?.focus?.();
}

function startAnswers(controls) {
  if (![...tableOf.keys()].some(isComputed) && results().length === 0) return;
  controls.append(answerControls.make());
  document.addEventListener("click", onResult);
  document.addEventListener("keydown", onResult);
}
