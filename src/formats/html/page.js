// Start: what all parts share.

const page = JSON.parse(document.getElementById("numbers").textContent);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function openAround(target) {
  for (let at = target.parentElement?.closest("details"); at; at = at.parentElement?.closest("details")) at.open = true;
}
