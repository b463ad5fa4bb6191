// Stepping through the game.

const moves = positions.filter((it) => it.played).map((it) => [it.to_move, it.played]);
const stonesAt = allStones(review.stones, moves);
const layers = drawEmptyBoard(find("board"));
const now = drawGraph(find("graph"), positions, review.summary.borders, mistakes());
let current = -1;

/** Shows a candidate's variation instead of the marks. */
function showVariation(candidate) {
  find("board").classList.add("shows-variation");
  drawVariation(layers.variation, stonesAt[current], positions[current].to_move, candidate.pv);
}

function hideVariation() {
  find("board").classList.remove("shows-variation");
  layers.variation.replaceChildren();
}

function drawLayers() {
  hideVariation();
  drawStones(layers.stones, stonesAt[current]);
  const ownership = find("show-ownership").checked ? positions[current].ownership : "";
  drawOwnership(layers.ownership, ownership, stonesAt[current]);
  drawMarks(layers.marks, moves[current - 1], positions[current].played);
  const shown = find("show-moves").checked ? positions[current] : { moves: [] };
  drawCandidates(layers.candidates, shown, showVariation, hideVariation);
}

/** Goes to a position; whether it is another one. */
function go(turn) {
  const wanted = Math.min(lastTurn, Math.max(0, turn));
  if (wanted === current) return false;
  current = wanted;
  showTurn(current, lastTurn, true);
  markTurn(now, current, lastTurn);
  describe(find("status"), current);
  listMoves(find("moves").tBodies[0], positions[current], showVariation, hideVariation);
  drawLayers();
  history.replaceState(null, "", `#${current}`);
  return true;
}

/** To the position before the next mistake; from the last one to the first. Whether there is another one. */
function goToMistake() {
  const turns = mistakenTurns();
  return go(turns.find((turn) => turn > current) ?? turns[0] ?? current);
}

function toggleOwnership() {
  find("show-ownership").checked = !find("show-ownership").checked;
  drawLayers();
  return true;
}

find("worse").addEventListener("click", goToMistake);
const stepKeys = addStepping({ turn: () => current, last: () => lastTurn, go });
obeyKeys({ ...stepKeys, m: goToMistake, o: toggleOwnership });

find("scale").textContent = `(±${mostLead(positions)} points)`;
for (const id of ["show-moves", "show-ownership"]) find(id).addEventListener("change", drawLayers);
const hasOwnership = positions.some((it) => it.ownership);
find("show-ownership").disabled = !hasOwnership;
listMistakes(find("mistakes"), find("mistakes-title"), go);
const fromLink = () => go(Number.parseInt(location.hash.slice(1), 10) || 0);
window.addEventListener("hashchange", fromLink);
fromLink();
