// The page as a lecture: a slider through its stops. At 0 all is shown.

const stopsOfPage = [...document.querySelectorAll(".stop[id^='stop-']")];
let stopNow = 0;

// Sections and the like, with the first stop in each.
const holders = new Map();
stopsOfPage.forEach((stop, i) => {
  for (let at = stop.parentElement; at && at.id !== "lecture"; at = at.parentElement) {
    if (!holders.has(at)) holders.set(at, i + 1);
  }
});

function firstWords(stop) {
  const words = stop.querySelector("h1, h2, h3, h4, caption, figcaption, .title, .symbol") ?? stop;
  return words.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
}

// The headline that a stop stands under, or what it shows.
function nameOfStop(stop) {
  const own = stop.querySelector("h1, h2, h3")?.textContent.trim();
  if (own) return own;
  const part = stop.closest("section")?.querySelector("h2") ?? stop.closest("details")?.querySelector("summary");
  return part?.textContent.trim() || firstWords(stop);
}

function wordsAt(stop) {
  return stop === 0 ? "all" : `${stop} of ${stopsOfPage.length}: ${nameOfStop(stopsOfPage[stop - 1])}`;
}

function showStop(stop) {
  stopNow = Math.max(0, Math.min(stop, stopsOfPage.length));
  const isLater = (at) => stopNow > 0 && at > stopNow;
  stopsOfPage.forEach((one, i) => {
    one.classList.toggle("later", isLater(i + 1));
    one.classList.toggle("now", i + 1 === stopNow);
  });
  for (const [holder, first] of holders) holder.classList.toggle("later", isLater(first));
  // What shows all numbers at once waits for the last stop.
  for (const ahead of document.querySelectorAll("#behind, .overview")) {
    ahead.classList.toggle("later", isLater(stopsOfPage.length));
  }
  document.body.classList.toggle("lecturing", stopNow > 0);
  lectureControls.say(stopNow);
}

// By the slider, a button or a key: the page moves along, and its address says where it is.
function goToStop(stop) {
  showStop(stop);
  const here = location.href.split("#")[0];
  history.replaceState(null, "", stopNow === 0 ? here : `${here}#stop-${stopNow}`);
  if (stopNow > 0) bringIntoView(stopsOfPage[stopNow - 1]);
}

function bringIntoView(target) {
  openAround(target);
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const fits = target.getBoundingClientRect().height < innerHeight * 0.8;
  target.scrollIntoView({ behavior: isCalm ? "instant" : "smooth", block: fits ? "center" : "start" });
}

const lectureControls = {
  slider: null,
  output: null,

  make() {
    const button = (words, title, by) =>
      element("button", { type: "button", title, onclick: () => goToStop(stopNow + by) }, ...words);
    const wide = (word) => element("span", { class: "wide" }, word);  // there is no room for it on a phone
    this.slider = element("input", {
      type: "range", id: "lecture-stop", min: 0, max: stopsOfPage.length, value: 0, step: 1,
      oninput: () => goToStop(Number(this.slider.value)),
      onkeydown: (event) => this.onKey(event),
    });
    this.output = element("output", { for: "lecture-stop" });
    return element("div", { class: "lecture", role: "group", "aria-label": "Lecture" },
      button(["‹", wide(" Previous")], "Previous step (p)", -1),
      element("label", { for: "lecture-stop" }, "Step"), this.slider,
      button([wide("Next "), "›"], "Next step (n)", 1), this.output);
  },

  say(stop) {
    this.slider.value = stop;
    this.output.textContent = wordsAt(stop);
    this.slider.setAttribute("aria-valuetext", wordsAt(stop));
  },

  onKey(event) {
    const by = { PageDown: 1, PageUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    goToStop(stopNow + by);
  },
};

function onLectureKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches?.("input:not([type=range]), textarea, select, [contenteditable]")) return;
  const by = { n: 1, p: -1 }[event.key];
  if (by !== undefined) goToStop(stopNow + by);
}

// A link to a step or to a matrix: what is there is shown.
function followHash() {
  const stop = /^#stop-(\d+)$/.exec(location.hash);
  if (stop && lectureControls.slider) {
    goToStop(Number(stop[1]));
    return;
  }
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.closest(".later")) showStop(0);
  if (target.tagName === "DETAILS") target.open = true;
  openAround(target);
  target.scrollIntoView();
  const first = target.querySelector("table[role='grid'] tbody td");
  if (first) goTo(first, { preventScroll: true });  // the keys go on from there
}

function startLecture(controls) {
  if (stopsOfPage.length > 1) {
    controls.append(lectureControls.make());
    lectureControls.say(0);
    document.addEventListener("keydown", onLectureKey);
  }
  window.addEventListener("hashchange", followHash);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    if (link?.hash === location.hash) followHash();  // the address does not change
  });
  document.addEventListener("keydown", (event) => {
    const map = event.key === " " && event.target.closest?.(".overview a");
    if (!map) return;
    event.preventDefault();
    map.click();
  });
  followHash();
}
