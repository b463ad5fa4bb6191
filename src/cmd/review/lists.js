// The game, what is said of a position, and the mistakes of the game.

const review = JSON.parse(find("review").textContent);
const positions = review.positions;
const lastTurn = positions.length - 1;
setBoardSize(review.size);
thresholds = review.thresholds;

function isMistake(position) {
  return position.lost !== undefined && position.lost >= thresholds.mistake;
}

/** The turns of all mistakes. */
const mistakenTurns = () => [...positions.keys()].filter((turn) => isMistake(positions[turn]));

/** All mistakes as the graph shows them. */
function mistakes() {
  const isBlunder = (turn) => positions[turn].lost >= thresholds.blunder;
  return mistakenTurns().map((turn) => ({ turn, color: positions[turn].to_move, isBlunder: isBlunder(turn) }));
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
      ["span", gradeText(before.lost, "lost"), gradeOf(before.lost)],
      place,
    ]);
  }
  if (now.comment) element(status, "blockquote", {}, now.comment);
  if (now.played) {
    const ring = now.played === "pass" ? "" : " (dashed ring)";
    paragraph(status, [
      `Next in the game: move ${turn + 1}, ${NAMES[now.to_move]} ${now.played}${ring}: `,
      ["span", gradeText(now.lost, "loses"), gradeOf(now.lost)],
    ]);
  } else {
    paragraph(status, [`${NAMES[now.to_move]} to move; the record ends here`]);
  }
}

/** All mistakes, the largest first. */
function listMistakes(list, title, go) {
  const turns = mistakenTurns().sort((a, b) => positions[b].lost - positions[a].lost);
  title.textContent = turns.length === 0 ? "No mistakes" : `Mistakes and blunders (${turns.length})`;
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
