// Stepping through the game.

const find = (id) => document.getElementById(id);
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

/** Goes to a position. */
function go(turn) {
  const wanted = Math.min(lastTurn, Math.max(0, turn));
  if (wanted === current) return;
  current = wanted;
  find("slider").value = current;
  find("slider").setAttribute("aria-valuetext", `move ${current} of ${lastTurn}`);
  markTurn(now, current, lastTurn);
  for (const id of ["first", "back", "back10"]) find(id).disabled = current === 0;
  for (const id of ["last", "next", "next10"]) find(id).disabled = current === lastTurn;
  describe(find("status"), current);
  listMoves(find("moves").tBodies[0], positions[current], showVariation, hideVariation);
  drawLayers();
  history.replaceState(null, "", `#${current}`);
}

/** To the position before the next mistake; from the last one to the first. */
function goToMistake() {
  const turns = positions.map((_, turn) => turn).filter((turn) => isMistake(positions[turn]));
  const next = turns.find((turn) => turn > current);
  if (turns.length > 0) go(next === undefined ? turns[0] : next);
}

const steps = {
  first: () => go(0),
  back10: () => go(current - 10),
  back: () => go(current - 1),
  next: () => go(current + 1),
  next10: () => go(current + 10),
  last: () => go(lastTurn),
  worse: goToMistake,
};
for (const [id, step] of Object.entries(steps)) find(id).addEventListener("click", step);

function toggleOwnership() {
  find("show-ownership").checked = !find("show-ownership").checked;
  drawLayers();
}

obeyKeys({
  ArrowLeft: steps.back,
  ArrowRight: steps.next,
  PageUp: steps.back10,
  PageDown: steps.next10,
  Home: steps.first,
  End: steps.last,
  m: goToMistake,
  o: toggleOwnership,
});

function follow(event) {
  if (event.type === "pointerdown" || event.buttons > 0) go(turnAt(find("graph"), event, lastTurn));
}
find("graph").addEventListener("pointerdown", follow);
find("graph").addEventListener("pointermove", follow);

find("scale").textContent = `(±${mostLead(positions)} points)`;
find("slider").max = lastTurn;
find("slider").addEventListener("input", () => go(Number(find("slider").value)));
for (const id of ["show-moves", "show-ownership"]) find(id).addEventListener("change", drawLayers);
const hasOwnership = positions.some((it) => it.ownership);
find("show-ownership").disabled = !hasOwnership;
listMistakes(find("mistakes"), find("mistakes-title"), go);
const fromLink = () => go(Number.parseInt(location.hash.slice(1), 10) || 0);
window.addEventListener("hashchange", fromLink);
fromLink();
