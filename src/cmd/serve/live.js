// What happens: the game arrives, persons move, look at positions, have them analyzed.

/** Prisoners of both colors after 0, 1, 2, ... moves. */
function allPrisoners(stones, moves) {
  const count = (all, color) => all.filter((it) => it === color).length;
  const found = [{ B: 0, W: 0 }];
  moves.forEach(([color, text], turn) => {
    const before = { ...found[turn] };
    for (const side of ["B", "W"]) {
      const added = text !== "pass" && side === color ? 1 : 0;
      before[other(side)] += count(stones[turn], side) + added - count(stones[turn + 1], side);
    }
    found.push(before);
  });
  return found;
}

/** The moves that are new, in words. */
function newMoves(before, game) {
  if (!before || before.course !== game.course) return "";
  const added = game.moves.slice(before.moves.length);
  return added.map(moveText).join(". ");
}

function receiveGame(game) {
  const before = page.game;
  const wasAtEnd = !before || page.turn >= before.moves.length;
  if (before && before.course !== game.course) page.analyses.clear();
  page.game = game;
  page.isChanging = false;
  waiting = null;
  if (!layers || game.size[0] !== width || game.size[1] !== height) {
    setBoardSize(game.size);
    layers = drawEmptyBoard(find("board"));
    makeSquares(find("squares"), { click: clickPoint, enter: enterPoint, leave: leavePoint });
  }
  page.stones = allStones(game.setup, game.moves);
  page.prisoners = allPrisoners(page.stones, game.moves);
  const isOther = before && before.course !== game.course;
  const wanted = isOther && page.wanted !== null ? page.wanted : wasAtEnd ? game.moves.length : page.turn;
  page.turn = Math.min(wanted, game.moves.length);
  if (isOther) page.wanted = null;
  receiveClocks();
  showAll();
  const words = [newMoves(before, game), game.stage === "playing" ? "" : stageText()].filter(Boolean).join(". ");
  if (words) announce(words);
  requestAnalysis();
}

function receiveValues(values) {
  for (const [turn, value] of values) page.game.values[turn] = value;
  drawGraphOfGame();
  showEvaluation();
}

function receiveAnalysis({ course, position }) {
  if (!page.game || course !== page.game.course || !find("analysis").checked) return;
  page.analyses.set(position.turn, position);
  if (position.turn === page.turn) {
    if (!find("board").classList.contains("shows-variation")) drawBoard();
    showEvaluation();
  }
  drawGraphOfGame();
}

const receivers = {
  hello: ({ client }) => {
    page.client = client;
    asked = "";
    sent = Promise.resolve();
    requestAnalysis();
  },
  game: receiveGame,
  values: receiveValues,
  analysis: receiveAnalysis,
  failure: ({ message }) => showMessage(message),
  gone: startInstead,
};

let asked = "";
let timer = null;
/** What was asked for last, and the answer before which nothing more is: no request overtakes another. */
let wish = null;
let sent = Promise.resolve();

/** Has the position analyzed that is looked at, if that is wanted, unless it is already. */
function requestAnalysis() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (!page.client || !page.game) return;
    const isOn = find("analysis").checked && !edit.isOn;
    const whole = find("whole").checked;
    const visits = isOn ? Number(find("visits").value) : null;
    const wanted = { do: "analyze", client: page.client, turn: page.turn, visits, whole: isOn && whole };
    const key = JSON.stringify([wanted, isOn && page.game.course, isOn && whole && lastTurn()]);
    if (key === asked || (!isOn && asked === "")) return;
    asked = isOn ? key : "";
    wish = wanted;
    sent = sent.then(() => wish === wanted && page.client === wanted.client && act(wanted));
  }, 60);
}

/** Looks at a position; whether it is another one. */
function go(turn) {
  if (!page.game || edit.isOn) return false;
  const wanted = Math.min(lastTurn(), Math.max(0, turn));
  if (wanted === page.turn) return false;
  page.turn = wanted;
  waiting = null;
  showMessage("");
  drawBoard();
  showPlayers();
  showStatus();
  showBranches();
  showEvaluation();
  showButtons();
  markTurn(now, page.turn, lastTurn());
  announce(find("status").innerText);
  requestAnalysis();
  return true;
}

let changeTimer = null;

/** Changes the moves: the game comes by itself, and nothing is changed before. Whether that was not refused. */
async function change(what, more) {
  clearTimeout(changeTimer);
  page.isChanging = true;
  const isDone = Boolean(await actOnGame(what, more));
  const end = () => (page.isChanging = false);
  if (isDone) changeTimer = setTimeout(end, 1000);
  else end();
  return isDone;
}

/** Plays in the position that is looked at. At the end of the game the page follows it by itself. */
async function play(text) {
  const { turn, game } = page;
  if (!game || page.isChanging) return;
  const isLast = turn === lastTurn();
  if (!isLast && game.moves[turn][1] === text) return go(turn + 1);
  // A move that is known there goes on with all that followed it; after another one the page follows the new line.
  const isKnown = branchesAt(turn).some((it) => it.move[1] === text);
  page.wanted = isKnown ? turn + 1 : isLast ? null : Infinity;
  if (!(await change("play", { turn, move: text, shown: lastTurn() }))) page.wanted = null;
}

/** Takes back what is shown, and nothing else that is there by then. */
function undo() {
  if (page.game && !page.isChanging) change("undo", { turn: page.turn });
}

/** Gives up for the person whose turn it is, or who plays keima. */
function resign() {
  if (!page.game) return;
  const { to_move } = page.game;
  const loser = seatOf(to_move).kind === "person" ? to_move : other(to_move);
  const [lost, won] = [NAMES[loser], NAMES[other(loser)]];
  if (confirm(`Resign the game for ${lost}? ${won} wins.`)) actOnGame("resign", { color: loser });
}

let waiting = null;

/** Whether a second touch of the same point is to play. */
function asksFirst() {
  const how = find("confirm").value;
  return how === "always" || (how === "auto" && matchMedia("(pointer: coarse)").matches);
}

/** What is said as long as a second touch of a point would play there. */
function touchAgain() {
  if (waiting === null || !mayPlay() || page.stones[page.turn][waiting]) return "";
  return `Touch ${textOf(waiting)} again to play there`;
}

function clickPoint(index) {
  const { game, turn } = page;
  if (!game) return;
  if (edit.isOn) return editPoint(index);
  const isLast = turn === lastTurn();
  if (isLast && game.stage === "agreeing") return actOnGame("dead", { point: textOf(index) });
  if (isLast && game.stage === "over") return announce("The game is over");
  if (asksFirst() && waiting !== index) {
    waiting = index;
    hideVariation();
    showGhost(index, true);
    showCandidateAt(index);
    showStatus();
    return announce(touchAgain() || pointName(index, page.stones[turn][index]));
  }
  waiting = null;
  showStatus();
  return play(textOf(index));
}

/** Shows the variation of the best move on a point. */
function showCandidateAt(index) {
  const analysis = analysisHere();
  const shown = analysis && find("show-moves").checked ? analysis.moves : [];
  const candidate = shown.find((it) => it.move === textOf(index));
  if (candidate) showVariation(candidate);
  return Boolean(candidate);
}

function enterPoint(index) {
  if (!page.game || edit.isOn || waiting !== null) return;
  if (!showCandidateAt(index) && mayPlay()) showGhost(index, false);
}

function leavePoint() {
  if (!layers || waiting !== null) return;
  hideVariation();
  hideGhost();
}

/** Goes over to another game; the browser's Back leads to the one before. */
function enter(id) {
  const isFirst = page.id === null;
  Object.assign(page, { id, client: null, game: null, turn: 0, wanted: null, isChanging: false });
  page.analyses.clear();
  waiting = null;
  asked = "";
  edit.isOn = false;
  find("edit-tools").hidden = true;
  find("edit").disabled = false;
  store("game", id);
  if (isFirst) history.replaceState(null, "", `#${id}`);
  else if (location.hash !== `#${id}`) history.pushState(null, "", `#${id}`);
  connect(receivers);
}

/** Begins a game as it was chosen last, without analysis; nothing if that is refused. */
async function startGame() {
  const made = await act(newGameAction());
  if (!made) return null;
  switchAnalysis(false);
  enter(made.game);
  return made;
}

/** The game is gone: another one takes its place. */
async function startInstead() {
  page.id = null;
  if (await startGame()) showMessage("That game is not kept any more; this is a new one.");
}
