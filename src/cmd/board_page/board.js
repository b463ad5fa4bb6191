// The board: captures, and its picture. Points are indices from the top left, row by row; -1 is a pass.

let [width, height] = [19, 19];
const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
const OWNERSHIP_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
const NAMES = { B: "Black", W: "White" };

/** The size of the board from here on: columns and rows. */
function setBoardSize(size) {
  [width, height] = size;
}

const other = (color) => (color === "B" ? "W" : "B");

const find = (id) => document.getElementById(id);

/** An element, of SVG if the parent is. */
function element(parent, name, attributes = {}, text = null) {
  const space = parent.namespaceURI;
  const made = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return parent.appendChild(made);
}

function indexOf(text) {
  if (text === "pass") return -1;
  return (height - Number(text.slice(1))) * width + LETTERS.indexOf(text[0]);
}

function textOf(index) {
  return index < 0 ? "pass" : `${LETTERS[index % width]}${height - Math.floor(index / width)}`;
}

function neighbors(index) {
  const column = index % width;
  const found = [];
  if (column > 0) found.push(index - 1);
  if (column < width - 1) found.push(index + 1);
  if (index >= width) found.push(index - width);
  if (index < width * (height - 1)) found.push(index + width);
  return found;
}

/** The stones of a chain, or nothing if it has liberties. */
function captured(stones, start) {
  const color = stones[start];
  const seen = new Set([start]);
  for (const index of seen) {
    for (const next of neighbors(index)) {
      if (!stones[next]) return [];
      if (stones[next] === color) seen.add(next);
    }
  }
  return [...seen];
}

/** The stones after a move. */
function played(stones, index, color) {
  const after = stones.slice();
  if (index < 0) return after;
  after[index] = color;
  const around = neighbors(index).filter((next) => after[next] === other(color));
  for (const next of [...around, index]) {
    if (after[next]) for (const taken of captured(after, next)) after[taken] = null;
  }
  return after;
}

/** The stones after 0, 1, 2, ... moves: `setup` has those at the start, Black's and White's; moves are color and place. */
function allStones(setup, moves) {
  const start = new Array(width * height).fill(null);
  setup[0].forEach((text) => (start[indexOf(text)] = "B"));
  setup[1].forEach((text) => (start[indexOf(text)] = "W"));
  const all = [start];
  for (const [color, text] of moves) all.push(played(all[all.length - 1], indexOf(text), color));
  return all;
}

/** Columns or rows with star points. */
function stars(length) {
  if (length < 7) return [];
  const edge = length < 13 ? 2 : 3;
  const found = [edge, length - 1 - edge];
  if (length % 2 === 1 && length > 8) found.push((length - 1) / 2);
  return found;
}

const EDGE = 1.5;
const x = (index) => (index % width) + EDGE;
const y = (index) => Math.floor(index / width) + EDGE;

/** The empty board with coordinates; returns the layers that change. */
function drawEmptyBoard(svg) {
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width + 2} ${height + 2}`);
  element(svg, "rect", { class: "wood", width: width + 2, height: height + 2, rx: 0.2 });
  const [right, bottom] = [width - 1 + EDGE, height - 1 + EDGE];
  const grid = element(svg, "g", { class: "grid" });
  for (let column = 0; column < width; column++) {
    element(grid, "line", { x1: column + EDGE, x2: column + EDGE, y1: EDGE, y2: bottom });
  }
  for (let row = 0; row < height; row++) {
    element(grid, "line", { x1: EDGE, x2: right, y1: row + EDGE, y2: row + EDGE });
  }
  for (const column of stars(width)) {
    for (const row of stars(height)) {
      element(grid, "circle", { cx: column + EDGE, cy: row + EDGE, r: 0.1 });
    }
  }
  const texts = element(svg, "g", { class: "coordinates", "aria-hidden": "true" });
  for (let column = 0; column < width; column++) {
    for (const place of [0.65, bottom + 1.08]) {
      element(texts, "text", { x: column + EDGE, y: place }, LETTERS[column]);
    }
  }
  for (let row = 0; row < height; row++) {
    for (const place of [0.5, right + 1]) {
      element(texts, "text", { x: place, y: row + EDGE + 0.16 }, height - row);
    }
  }
  const layer = (name) => element(svg, "g", { class: name });
  return {
    stones: layer("stones"),
    ownership: layer("ownership"),
    marks: layer("marks"),
    variation: layer("variation"),
    candidates: layer("candidates"),
  };
}

function drawStone(layer, index, color) {
  return element(layer, "circle", { class: `stone ${color}`, cx: x(index), cy: y(index), r: 0.47 });
}

function drawStones(layer, stones) {
  layer.replaceChildren();
  stones.forEach((color, index) => color && drawStone(layer, index, color));
}

/** Squares on points that somebody owns, but for living stones: the larger, the more certain. */
function drawOwnership(layer, text, stones) {
  layer.replaceChildren();
  [...(text || "")].forEach((digit, index) => {
    const value = OWNERSHIP_DIGITS.indexOf(digit) / 31 - 1;
    const side = 0.5 * Math.sqrt(Math.abs(value));
    if (side < 0.12 || stones[index] === (value > 0 ? "B" : "W")) return;
    const place = { x: x(index) - side / 2, y: y(index) - side / 2, width: side, height: side };
    element(layer, "rect", { class: value > 0 ? "B" : "W", ...place });
  });
}

/** A variation as stones with numbers. */
function drawVariation(layer, stones, color, moves) {
  layer.replaceChildren();
  const numbers = new Map();
  let after = stones;
  moves.forEach((text, order) => {
    const index = indexOf(text);
    if (index >= 0) numbers.set(index, order + 1);
    after = played(after, index, order % 2 === 0 ? color : other(color));
  });
  drawStones(layer, after);
  for (const [index, number] of numbers) {
    const stone = after[index] || "none";
    element(layer, "text", { class: `number on-${stone}`, x: x(index), y: y(index) + 0.19 }, number);
  }
}
