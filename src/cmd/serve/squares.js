// The board as a grid of points that mouse, touch, keyboard and screen readers reach.

const squares = { cells: [], focus: 0 };

/** A point in words. */
function pointName(index, color, extra) {
  const content = color ? `${NAMES[color].toLowerCase()} stone` : "empty";
  return [textOf(index), content, extra].filter(Boolean).join(", ");
}

/** Makes the grid; `handlers` has `click`, `enter` and `leave`, which are told the index of a point. */
function makeSquares(grid, handlers) {
  const ratio = (width + 2) / (height + 2);
  find("place").style.setProperty("--ratio", ratio);
  grid.replaceChildren();
  grid.style.inset = `${100 / (height + 2)}% ${100 / (width + 2)}%`;
  grid.style.gridTemplate = `repeat(${height}, minmax(0, 1fr)) / repeat(${width}, minmax(0, 1fr))`;
  grid.setAttribute("aria-rowcount", height);
  grid.setAttribute("aria-colcount", width);
  // The mouse takes no focus, and leaves none in a field, so that arrow keys step through the game.
  grid.onmousedown = (event) => {
    event.preventDefault();
    if (document.activeElement.matches("select, input")) document.activeElement.blur();
  };
  squares.cells = [];
  for (let row = 0; row < height; row++) {
    const line = element(grid, "div", { role: "row" });
    for (let column = 0; column < width; column++) {
      const index = row * width + column;
      const cell = element(line, "div", { role: "gridcell", class: "square", tabindex: -1 });
      cell.dataset.point = textOf(index);
      cell.addEventListener("click", () => handlers.click(index));
      cell.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && handlers.enter(index));
      cell.addEventListener("pointerleave", handlers.leave);
      cell.addEventListener("focus", () => {
        moveFocus(index, false);
        if (cell.matches(":focus-visible")) handlers.enter(index);
      });
      cell.addEventListener("blur", handlers.leave);
      cell.addEventListener("keydown", (event) => squareKey(event, index, handlers));
      squares.cells.push(cell);
    }
  }
  moveFocus(Math.floor((width * height) / 2), false);
}

/** Makes a point the one that Tab reaches. */
function moveFocus(index, takesFocus) {
  const before = squares.cells[squares.focus];
  if (before) before.tabIndex = -1;
  squares.focus = index;
  squares.cells[index].tabIndex = 0;
  if (takesFocus) squares.cells[index].focus();
}

function squareKey(event, index, handlers) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const [column, row] = [index % width, Math.floor(index / width)];
  const steps = {
    ArrowLeft: column > 0 && -1,
    ArrowRight: column < width - 1 && 1,
    ArrowUp: row > 0 && -width,
    ArrowDown: row < height - 1 && width,
  };
  if (event.key in steps) {
    if (steps[event.key]) moveFocus(index + steps[event.key], true);
  } else if (event.key === "Enter" || event.key === " ") {
    // Who holds the key down has not asked twice.
    if (!event.repeat) handlers.click(index);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Adds to what is said of a point: a move that is analyzed may begin a variation as well. */
function addWords(extra, text, words) {
  if (text === "pass") return;
  const index = indexOf(text);
  extra.set(index, [extra.get(index), words].filter(Boolean).join(", "));
}

/** Says what is on each point; `extra` has more to say of some. */
function labelSquares(stones, extra) {
  squares.cells.forEach((cell, index) => {
    const label = pointName(index, stones[index], extra.get(index));
    if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
  });
}
