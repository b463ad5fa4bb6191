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

/** A number with a minus that is as wide as a plus. */
const signed = (number, digits) => number.toFixed(digits).replace("-", "−");

/** What a move loses, in words; a search may find it better than the best move. */
function lossText(lost) {
  if (Math.abs(lost) < 0.05) return "loses nothing";
  return `${lost < 0 ? "gains" : "loses"} ${Math.abs(lost).toFixed(1)} points`;
}

/** The moves of a position in groups of those that are symmetric to each other, of which only one is searched. */
function symmetryGroups(position) {
  const groups = new Map();
  for (const candidate of position.moves) {
    const searched = candidate.symmetric_to ?? candidate.move;
    groups.set(searched, [...(groups.get(searched) ?? []), candidate]);
  }
  return [...groups.values()];
}

/** A class for a loss. */
function gradeOf(lost) {
  const { mistake, blunder } = thresholds;
  if (lost >= blunder) return "blunder";
  if (lost >= mistake) return "mistake-made";
  if (lost >= mistake / 2) return "doubtful";
  return "fine";
}

/** What a move of the game loses and what that is called; `verb` is "lost" or "loses". */
function gradeText(lost, verb) {
  const name = { blunder: "blunder", "mistake-made": "mistake" }[gradeOf(lost)];
  if (lost < 0.05) return `${verb} nothing`;
  const points = `${verb} ${lost.toFixed(1)} points`;
  return name ? `${name}, ${points}` : points;
}

function paragraph(parent, parts) {
  const made = element(parent, "p");
  for (const part of parts) {
    if (typeof part === "string") made.append(part);
    else element(made, part[0], { class: part[2] || "" }, part[1]);
  }
}

/**
 * The table of a position's best moves, with a row for moves that are symmetric to each other; `show` and `hide` are
 * called as its rows are pointed at.
 */
function listMoves(body, position, show, hide) {
  const groups = symmetryGroups(position);
  const names = groups.map((group) => group.map((it) => it.move));
  const order = [position.turn, position.played, ...names].join(" ");
  const fill = () => groups.forEach(([first], index) => fillMove(body.rows[index], position, first));
  if (body.dataset.order === order) fill();
  else {
    body.dataset.order = order;
    const focused = body.contains(document.activeElement) ? document.activeElement.textContent : null;
    const isShown = find("board").classList.contains("shows-variation");
    body.replaceChildren();
    for (const group of names) addMove(body, group, position.played, show, hide);
    // The button that gets the focus shows its variation, which its row has to know by then.
    fill();
    const rows = [...body.rows];
    const again = focused && (rows.find((row) => row.dataset.move === focused) ?? rows[0]);
    if (again) again.querySelector("button").focus();
    if (again && !isShown) hide();
  }
}

/** A row without its figures. */
function addMove(body, [move, ...others], played, show, hide) {
  const row = element(body, "tr");
  row.dataset.move = move;
  const cell = element(row, "td", { class: "left" });
  const button = element(cell, "button", { type: "button", "aria-label": `${move}: show its variation` }, move);
  const alike = others.length > 0 ? ` or ${others.join(", ")}` : "";
  const mark = alike ? `; ${played} played` : " played";
  element(cell, "span", { class: "note" }, alike + ([move, ...others].includes(played) ? mark : ""));
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
  const points = Math.abs(lost) < 0.05 ? "0.0" : signed(lost, 1);
  const texts = [points, percent(winrate), leadText(lead), visits, percent(prior)];
  texts.forEach((text, index) => (row.cells[index + 1].textContent = text));
  row.cells[1].className = gradeOf(lost);
}

/** A loss as the board shows it: with a minus, or a plus where the search finds the move better than the best one. */
function changeText(lost) {
  if (Math.abs(lost) < 0.05) return "0";
  return `${lost < 0 ? "+" : ""}${signed(-lost, Math.abs(lost) < 9.95 ? 1 : 0)}`;
}

/** The best moves with what is said of each: on the board, and in words. */
function describedMoves(position) {
  return symmetryGroups(position).flatMap((group, order) =>
    group.map((candidate, place) => {
      const lost = lossOf(position, candidate);
      const isBest = order === 0;
      const own = isBest ? ["best", "best move"] : [changeText(lost), lossText(lost)];
      const [text, words] = place === 0 ? own : ["", `the same as ${group[0].move}`];
      return { candidate, lost, isBest, text, words };
    }),
  );
}

/**
 * Draws what a position's best moves lose; of those that are symmetric to each other one has the number. `show` and
 * `hide`, if there are any, are called as they are pointed at.
 */
function drawCandidates(layer, position, show, hide) {
  layer.replaceChildren();
  for (const { candidate, lost, isBest, text, words } of describedMoves(position)) {
    const index = indexOf(candidate.move);
    if (index < 0) continue;
    const { move, visits } = candidate;
    const label = `${NAMES[position.to_move]} ${move}, ${words}, ${visits} visits; shows its variation`;
    const group = element(layer, "g", show ? { tabindex: 0, role: "button", "aria-label": label } : {});
    const name = [isBest ? "best" : gradeOf(lost), text ? "" : "image"].join(" ");
    element(group, "circle", { class: `candidate ${name}`, cx: x(index), cy: y(index), r: text ? 0.43 : 0.3 });
    element(group, "text", { x: x(index), y: y(index) + 0.13 }, text);
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
