// How numbers are spelled: the same as in explain/numerals.cpp, digit for digit.

const tooLarge = 1e9;           // from here on plain digits are hard to read
const mostExtraDecimals = 4;    // that a tiny number may have more than others
const mostDecimals = 17;

// Digits after the point, rounded to even where two are as near. toFixed takes
// the larger of them; value · 2^(decimals + 1) is odd just then, and exact.
function fixed(value, decimals) {
  const size = Math.abs(value);
  let digits = size.toFixed(decimals);
  const halves = size * 2 ** (decimals + 1);
  const isTie = halves % 2 === 1;
  if (isTie && "13579".includes(digits.at(-1))) digits = size.toFixed(decimals + 1).slice(0, decimals > 0 ? -1 : -2);
  return value < 0 && /[1-9]/.test(digits) ? "-" + digits : digits;
}

// "1.5e+20": rounded to even, too, and two digits of exponent at least.
function scientific(value, decimals) {
  const size = Math.abs(value);
  const [all] = size.toExponential(100).split("e");  // all the digits there are
  const kept = all.slice(0, decimals > 0 ? 2 + decimals : 1);
  const isTie = /^\.?50*$/.test(all.slice(kept.length));
  let [digits, exponent] = size.toExponential(decimals).split("e");
  if (isTie && "02468".includes(kept.at(-1))) {
    digits = kept;
    exponent = size.toExponential(100).split("e")[1];
  }
  const padded = exponent.length < 3 ? exponent[0] + "0" + exponent.slice(1) : exponent;
  return (value < 0 ? "-" : "") + digits + "e" + padded;
}

function withMinusSign(digits) {
  return digits.startsWith("-") ? "−" + digits.slice(1) : digits;
}

// What a reader takes the number for.
function readBack(value, decimals) {
  return Number(fixed(value, decimals));
}

// Whether two numbers are the same up to the last digits of the arithmetic.
function same(a, b) {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b);
  if (!Number.isFinite(a) || !Number.isFinite(b)) return a === b;
  return a === b || Math.abs(a - b) <= page.tolerance * Math.max(Math.abs(a), Math.abs(b));
}

function decimalsNeeded(value) {
  if (value === Math.floor(value)) return 0;
  let decimals = 0;
  while (decimals <= page.precision && !same(readBack(value, decimals), value)) ++decimals;
  return decimals;
}

// The first two digits that are not 0; one where that says all of it.
function twoDigits(value, mostPlaces) {
  const place = Math.abs(Number(scientific(value, 1).split("e")[1]));
  if (place >= mostPlaces) return { decimals: 1, scientific: true };
  return { decimals: readBack(value, place) === value ? place : place + 1 };
}

function lineFormat(value, atLeast) {
  if (Math.abs(value) >= tooLarge) return { decimals: Math.max(page.precision, 1), scientific: true };
  const needed = decimalsNeeded(value);
  const isTiny = needed > page.precision && readBack(value, page.precision) === 0;
  if (isTiny) return twoDigits(value, Math.min(page.precision + mostExtraDecimals, mostDecimals));
  return { decimals: Math.min(Math.max(needed, atLeast), page.precision) };
}

function spelled(value, format) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const inPowers = format.scientific && value !== 0;
  return withMinusSign(inPowers ? scientific(value, format.decimals) : fixed(value, format.decimals));
}

// A number within a line of arithmetic: "2", "0.5", "0.1353", "−3", "−∞".
function inLine(value, atLeast = 0) {
  return spelled(value, Number.isFinite(value) ? lineFormat(value, atLeast) : {});
}

// Whether inLine() says all of it.
function exact(value) {
  if (!Number.isFinite(value)) return true;
  if (Math.abs(value) >= tooLarge) return false;
  if (decimalsNeeded(value) <= page.precision) return true;
  const format = lineFormat(value, 0);
  return same(format.scientific ? Number(scientific(value, format.decimals)) : readBack(value, format.decimals), value);
}

// The number that digits stand for, as people or programs write them; NaN for "NaN" and for what is none.
function parsed(text) {
  const digits = text.trim().replaceAll("−", "-");
  const endless = { "∞": Infinity, "-∞": -Infinity, inf: Infinity, "-inf": -Infinity };
  if (digits in endless) return endless[digits];
  return digits === "" ? NaN : Number(digits);
}
