// Best moves: their grades, their table, their places on the board; and the marks of moves.

/** Losses in points from which a move is a mistake or a blunder. */
let thresholds = { mistake: 2, blunder: 6 };

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function leadText(lead) {
  if (Math.abs(lead) < 0.05) return "even";
  return lead > 0 ? `B+${lead.toFixed(1)}` : `W+${(-lead).toFixed(1)}`;
}

/** Points lost by a candidate compared with the best move. */
function lossOf(position, candidate) {
  const sign = position.to_move === "W" ? -1 : 1;
  return sign * (position.moves[0].lead - candidate.lead);
}

/** A class for a loss. */
function gradeOf(lost) {
  const { mistake, blunder } = thresholds;
  if (lost >= blunder) return "blunder";
  if (lost >= mistake) return "mistake-made";
  if (lost >= mistake / 2) return "doubtful";
  return "fine";
}

function gradeText(lost) {
  const name = { blunder: "blunder", "mistake-made": "mistake" }[gradeOf(lost)];
  if (lost < 0.05) return "lost nothing";
  const points = `lost ${lost.toFixed(1)} points`;
  return name ? `${name}, ${points}` : points;
}

function paragraph(parent, parts) {
  const made = element(parent, "p");
  for (const part of parts) {
    if (typeof part === "string") made.append(part);
    else element(made, part[0], { class: part[2] || "" }, part[1]);
  }
}

/** The table of a position's best moves; `show` and `hide` are called as its rows are pointed at. */
function listMoves(body, position, show, hide) {
  const order = [position.turn, position.played, ...position.moves.map((it) => it.move)].join(" ");
  if (body.dataset.order === order) fillMoves(body, position);
  else {
    body.dataset.order = order;
    const focused = body.contains(document.activeElement) ? document.activeElement.textContent : null;
    const isShown = document.getElementById("board").classList.contains("shows-variation");
    body.replaceChildren();
    for (const { move } of position.moves) addMove(body, move, position.played, show, hide);
    // The button that gets the focus shows its variation, which its row has to know by then.
    fillMoves(body, position);
    const rows = [...body.rows];
    const again = focused && (rows.find((row) => row.dataset.move === focused) ?? rows[0]);
    if (again) again.querySelector("button").focus();
    if (again && !isShown) hide();
  }
}

function fillMoves(body, position) {
  position.moves.forEach((candidate, index) => fillMove(body.rows[index], position, candidate));
}

/** A row without its figures. */
function addMove(body, move, played, show, hide) {
  const row = element(body, "tr");
  row.dataset.move = move;
  const cell = element(row, "td", { class: "left" });
  const button = element(cell, "button", { type: "button", "aria-label": `${move}: show its variation` }, move);
  if (move === played) element(cell, "span", { class: "note" }, " played");
  for (const kind of ["", "whole", "", "", "whole"]) element(row, "td", { class: kind });
  const shows = () => row.candidate && show(row.candidate);
  row.addEventListener("mouseenter", shows);
  row.addEventListener("mouseleave", hide);
  button.addEventListener("focus", shows);
  button.addEventListener("blur", hide);
  button.addEventListener("click", shows);
}

function fillMove(row, position, candidate) {
  row.candidate = candidate;
  const lost = lossOf(position, candidate);
  const { winrate, lead, visits, prior } = candidate;
  const texts = [Math.abs(lost) < 0.05 ? "0.0" : lost.toFixed(1), percent(winrate), leadText(lead), visits, percent(prior)];
  texts.forEach((text, index) => (row.cells[index + 1].textContent = text));
  row.cells[1].className = gradeOf(lost);
}

/** Draws what a position's best moves lose; `show` and `hide`, if there are any, are called as they are pointed at. */
function drawCandidates(layer, position, show, hide) {
  layer.replaceChildren();
  for (const [order, candidate] of position.moves.entries()) {
    const index = indexOf(candidate.move);
    if (index < 0) continue;
    const lost = lossOf(position, candidate);
    const label = show &&
      `${NAMES[position.to_move]} ${candidate.move}, loses ${lost.toFixed(1)} points compared with the ` +
      `best move, ${candidate.visits} visits; shows its variation`;
    const group = element(layer, "g", show ? { tabindex: 0, role: "button", "aria-label": label } : {});
    const name = order === 0 ? "best" : gradeOf(lost);
    element(group, "circle", { class: `candidate ${name}`, cx: x(index), cy: y(index), r: 0.43 });
    const digits = Math.abs(lost) < 9.95 ? 1 : 0;
    const text = Math.abs(lost) < 0.05 ? "0" : (-lost).toFixed(digits).replace("-", "−");
    element(group, "text", { x: x(index), y: y(index) + 0.13 }, order === 0 ? "best" : text);
    if (!show) continue;
    group.addEventListener("mouseenter", () => show(candidate));
    group.addEventListener("mouseleave", hide);
    group.addEventListener("focus", () => show(candidate));
    group.addEventListener("blur", hide);
  }
}

/** A ring on the last move, by its color and place, and a dashed one on the next; either may be missing. */
function drawMarks(layer, last, next) {
  layer.replaceChildren();
  const at = (text) => ({ cx: x(indexOf(text)), cy: y(indexOf(text)) });
  if (last && last[1] !== "pass") {
    element(layer, "circle", { class: `last on-${last[0]}`, ...at(last[1]), r: 0.22 });
  }
  if (next && next !== "pass") element(layer, "circle", { class: "next", ...at(next), r: 0.47 });
}
