// What is said of a position, its best moves, and the mistakes of the game.

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
  const { mistake, blunder } = review.thresholds;
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

/** The position in words. */
function describe(status, turn) {
  status.replaceChildren();
  const now = positions[turn];
  paragraph(status, [
    ["b", turn === 0 ? "Start" : `Move ${turn} of ${lastTurn}`],
    `: Black wins ${percent(now.winrate)}, ${leadText(now.lead)}`,
  ]);
  const before = positions[turn - 1];
  if (before) {
    const place = before.rank ? `, choice ${before.rank} of the search` : "";
    paragraph(status, [
      `${NAMES[before.to_move]} ${before.played}: `,
      ["span", gradeText(before.lost), gradeOf(before.lost)],
      place,
    ]);
  }
  if (now.comment) element(status, "blockquote", {}, now.comment);
  if (now.played) {
    const ring = now.played === "pass" ? "" : " (dashed ring)";
    paragraph(status, [`Next in the game: ${NAMES[now.to_move]} ${now.played}${ring}`]);
  } else {
    paragraph(status, [`${NAMES[now.to_move]} to move; the record ends here`]);
  }
}

/** The table of best moves; `show` and `hide` are called as its rows are pointed at. */
function listMoves(body, turn, show, hide) {
  body.replaceChildren();
  const position = positions[turn];
  for (const candidate of position.moves) {
    const row = element(body, "tr");
    const cell = element(row, "td", { class: "left" });
    const label = `${candidate.move}: show its variation`;
    const button = element(cell, "button", { type: "button", "aria-label": label }, candidate.move);
    if (candidate.move === position.played) element(cell, "span", { class: "note" }, " played");
    const lost = lossOf(position, candidate);
    element(row, "td", { class: gradeOf(lost) }, lost.toFixed(1));
    element(row, "td", { class: "whole" }, percent(candidate.winrate));
    element(row, "td", {}, leadText(candidate.lead));
    element(row, "td", {}, candidate.visits);
    element(row, "td", { class: "whole" }, percent(candidate.prior));
    row.addEventListener("mouseenter", () => show(candidate));
    row.addEventListener("mouseleave", hide);
    button.addEventListener("focus", () => show(candidate));
    button.addEventListener("blur", hide);
    button.addEventListener("click", () => show(candidate));
  }
}

/** All mistakes, the largest first. */
function listMistakes(list, title, go) {
  const turns = positions.map((_, turn) => turn).filter((turn) => isMistake(positions[turn]));
  turns.sort((a, b) => positions[b].lost - positions[a].lost);
  title.textContent = turns.length === 0 ? "No mistakes" : `Mistakes (${turns.length})`;
  for (const turn of turns) {
    const position = positions[turn];
    const item = element(list, "li");
    const button = element(item, "button", { type: "button" });
    button.append(`Move ${turn + 1}, ${NAMES[position.to_move]} ${position.played}: `);
    element(button, "span", { class: gradeOf(position.lost) }, `−${position.lost.toFixed(1)}`);
    const best = position.moves[0];
    if (best) button.append(position.rank === 1 ? ", first choice of the search" : `, better ${best.move}`);
    button.addEventListener("click", () => go(turn));
  }
}
