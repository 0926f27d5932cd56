const tip =
  "Point at a number to see what it was made from; press it to follow it back to what is given.";

// What the keys do, for who asks.
function keyHelp() {
  const keys = [
    ["Point or Tab", "lights the numbers that a number was made from"],
    ["Arrow keys", "from number to number"],
    ["Enter or click", "why a number is what it is"],
    ["Esc", "closes that again"],
    ["n, p", "next and previous step"],
  ];
  const rows = keys.map(([key, does]) => element("div", {}, element("dt", {}, key), element("dd", {}, does)));
  return element("details", { class: "help" }, element("summary", {}, "Keyboard"), element("dl", {}, ...rows));
}

startRows();
startPointing();
startKeys();
startFigures();
startPrinting();
{
  const controls = document.getElementById("controls");
  controls.closest("header").after(controls);  // so that it can stay in view
  startAnswers(controls);
  startLecture(controls);
  if (tableOf.size > 0) {
    controls.append(keyHelp());
    controls.after(element("p", { class: "hint tip" }, tip));
  }
}
