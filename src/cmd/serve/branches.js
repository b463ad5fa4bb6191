// Variations: the ways to go on from a position.

/** The ways to go on after `turn` moves, where there are several, or where the line ends but moves are known. */
const branchesAt = (turn) => page.game.branches[turn] || [];

/** Has the line go on after `turn` moves with another move, and shows the position after `shown` moves. */
async function chooseBranch(turn, text, shown) {
  page.wanted = shown;
  if (!(await actOnGame("branch", { turn, move: text }))) page.wanted = null;
}

/** Goes to the variation before or after the one that the last move belongs to; whether there is one. */
function stepBranch(step) {
  if (!page.game || edit.isOn || page.turn === 0) return false;
  const branches = branchesAt(page.turn - 1);
  const next = branches[branches.findIndex((it) => it.is_shown) + step];
  if (next) chooseBranch(page.turn - 1, next.move[1], page.turn);
  return Boolean(next);
}

/** The letter of a variation, after the alphabet from its beginning again. */
function letterOf(turn, text) {
  const order = branchesAt(turn).findIndex((it) => it.move[1] === text);
  return String.fromCharCode(97 + (order % 26));
}

function listBranches(parent, words, branches, turn, shown) {
  if (branches.length === 0) return;
  const line = element(parent, "p", {}, `${words} `);
  for (const { move, is_shown } of branches) {
    const letter = is_shown ? "" : letterOf(turn, move[1]);
    const label = `${moveText(move)}${is_shown ? ", shown" : `, variation ${letter}`}`;
    const text = `${letter} ${move[1]}`.trim();
    const button = element(line, "button", { type: "button", "aria-label": label, "aria-pressed": is_shown }, text);
    button.addEventListener("click", () => (is_shown ? go(shown) : chooseBranch(turn, move[1], shown)));
    line.append(" ");
  }
}

/** The ways to go on from here, and those that could have led elsewhere. */
function showBranches() {
  const box = find("branches");
  const { turn } = page;
  box.replaceChildren();
  listBranches(box, "Next:", branchesAt(turn), turn, turn + 1);
  const others = turn > 0 ? branchesAt(turn - 1).filter((it) => !it.is_shown) : [];
  listBranches(box, "Instead of this move:", others, turn - 1, turn);
}

/**
 * Letters where variations begin, but for the one that is shown; at the edge of the circles of best moves, whose places
 * are `candidates`. `extra` gets the words for them.
 */
function drawBranches(layer, turn, stones, candidates, extra) {
  for (const { move, is_shown } of branchesAt(turn)) {
    const index = indexOf(move[1]);
    if (is_shown || index < 0 || stones[index]) continue;
    const letter = letterOf(turn, move[1]);
    const isAside = candidates.has(index);
    const [step, r] = isAside ? [0.34, 0.19] : [0, 0.3];
    const [cx, cy] = [x(index) + step, y(index) - step];
    element(layer, "circle", { class: "branch-ground", cx, cy, r });
    element(layer, "text", { class: isAside ? "branch aside" : "branch", x: cx, y: cy + 0.53 * r }, letter);
    addWords(extra, move[1], `variation ${letter}`);
  }
}
