const isTouched = matchMedia("(pointer: coarse)").matches;
const tip = isTouched
  ? "Press a number to see what it was made from; press it again to follow it back to what is given."
  : "Point at a number to see what it was made from; press it to follow it back to what is given.";

// What the keys do, for who asks.
function keyHelp() {
  const keys = [
    ["Point or Tab", "shows how a number was made"],
    ["Arrow keys", "from number to number"],
    ["Enter or click", "why a number is what it is"],
    ["Home, End", "to the ends of a row"],
    ["Esc", "takes that away again"],
    ["n, p", "next and previous step"],
  ];
  const rows = keys.map(([key, does]) => element("div", {}, element("dt", {}, key), element("dd", {}, does)));
  return element("details", { class: "help" }, element("summary", {}, "Keyboard"), element("dl", {}, ...rows));
}

// All steps of a long page folded up, or none.
function foldingControls() {
  const folds = [...document.querySelectorAll("main details:not(#behind)")];
  if (!folds.some((fold) => fold.classList.contains("fold"))) return [];
  const button = (words, isOpen) => {
    const turn = () => folds.forEach((fold) => (fold.open = isOpen));
    return element("button", { type: "button", onclick: turn }, words);
  };
  const buttons = [button("Open all", true), button("Close all", false)];
  return [element("div", { class: "folding", role: "group", "aria-label": "Steps" }, ...buttons)];
}

startRows();
startPointing();
startKeys();
startFigures();
startHeads();
startShades();
startPrinting();
startGeometry();
{
  const controls = document.getElementById("controls");
  controls.closest("header").after(controls);  // so that it can stay in view
  startAnswers(controls);
  controls.append(...foldingControls());
  startLecture(controls);
  if (tableOf.size > 0) {
    controls.append(keyHelp());
    controls.after(element("p", { class: "hint tip" }, tip));
  }
}
