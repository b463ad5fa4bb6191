// What the page shows of the game.

const lastTurn = () => page.game.moves.length;
const colorAt = (turn) => (turn < lastTurn() ? page.game.moves[turn][0] : page.game.to_move);
/** Who plays a color. */
const seatOf = (color) => page.game.seats[color === "B" ? 0 : 1];
let layers = null;
let now = null;
let ghost = null;

/** Whether a position is the end of a game that was counted: what a search thinks of it is of no use. */
const isCounted = (turn) => turn === lastTurn() && page.game.stage === "over" && page.game.ownership !== null;

/** What the search for this page has found about the position that is looked at. */
const analysisHere = () => (isCounted(page.turn) ? undefined : page.analyses.get(page.turn));

/** Win rate and lead of a result such as `W+7.5`; without visits, as no search of the move before compares with it. */
function valueOfResult(result) {
  const lead = (result[0] === "W" ? -1 : 1) * Number(result.slice(2));
  return { winrate: (1 + Math.sign(lead)) / 2, lead, visits: 0 };
}

/** Win rate and lead of each position, as far as they are known. */
function allValues() {
  const values = page.stones.map((_, turn) => page.game.values[turn]);
  for (const [turn, position] of page.analyses) {
    const known = values[turn];
    if (turn < values.length && (!known || known.visits < position.visits)) values[turn] = position;
  }
  if (isCounted(lastTurn())) values[lastTurn()] = valueOfResult(page.game.result);
  return values;
}

/** Points lost by the move after `turn` moves; nothing if a value is missing or a guess. */
function lostAt(values, turn) {
  const [before, after] = [values[turn], values[turn + 1]];
  if (!before || !after || Math.min(before.visits, after.visits) < 16) return undefined;
  return (colorAt(turn) === "W" ? -1 : 1) * (before.lead - after.lead);
}

/** Whether a person plays who has not asked for an analysis: the program's own opinion would be help. */
function isPlainGame() {
  const { stage, seats } = page.game;
  const isAgainstKeima = seats[0].kind !== seats[1].kind;
  return isAgainstKeima && stage !== "over" && !find("analysis").checked;
}

function drawGraphOfGame() {
  find("figures").hidden = isPlainGame();
  const values = allValues();
  const mistakes = [];
  for (let turn = 0; turn < lastTurn(); turn++) {
    const lost = lostAt(values, turn);
    if (lost >= thresholds.mistake) {
      mistakes.push({ turn, color: colorAt(turn), isBlunder: lost >= thresholds.blunder });
    }
  }
  now = drawGraph(find("graph"), values, [], mistakes);
  markTurn(now, page.turn, lastTurn());
  find("scale").textContent = `(±${mostLead(values)} points)`;
}

function showVariation(candidate) {
  if (edit.isOn) return;
  find("board").classList.add("shows-variation");
  drawVariation(layers.variation, page.stones[page.turn], colorAt(page.turn), candidate.pv);
}

function hideVariation() {
  find("board").classList.remove("shows-variation");
  layers.variation.replaceChildren();
}

/** A stone that would be there after a click, or that asks for a second touch. */
function showGhost(index, asks) {
  hideGhost();
  if (index === null || page.stones[page.turn][index]) return;
  ghost = drawStone(layers.marks, index, colorAt(page.turn));
  ghost.classList.add("ghost");
  if (asks) ghost.classList.add("asks");
}

function hideGhost() {
  if (ghost) ghost.remove();
  ghost = null;
}

function drawDead(layer, points) {
  for (const text of points) {
    const [cx, cy] = [x(indexOf(text)), y(indexOf(text))];
    element(layer, "path", { class: "dead-mark", d: `M${cx - 0.2} ${cy - 0.2}l.4 .4m0 -.4l-.4 .4` });
  }
}

/** The board at the turn that is looked at. */
function drawBoard() {
  hideVariation();
  hideGhost();
  const { game, turn } = page;
  const stones = edit.isOn ? edit.stones : page.stones[turn];
  drawStones(layers.stones, stones);
  const extra = new Map();
  layers.ownership.replaceChildren();
  layers.marks.replaceChildren();
  layers.candidates.replaceChildren();
  if (!edit.isOn) drawOverlays(game, turn, stones, extra);
  if (waiting !== null) showGhost(waiting, true);
  labelSquares(stones, extra);
}

function drawOverlays(game, turn, stones, extra) {
  const isLast = turn === lastTurn();
  const analysis = analysisHere();
  const last = game.moves[turn - 1];
  if (isLast && game.ownership) {
    const digits = { B: "+", W: "A", "-": "f" };
    drawOwnership(layers.ownership, [...game.ownership].map((it) => digits[it]).join(""), stones.map((it, index) =>
      game.dead.includes(textOf(index)) ? null : it));
  } else if (find("show-ownership").checked && analysis) {
    drawOwnership(layers.ownership, analysis.ownership, stones);
  }
  drawMarks(layers.marks, last, isLast ? null : game.moves[turn][1]);
  if (last) addWords(extra, last[1], "last move");
  if (isLast) {
    drawDead(layers.marks, game.dead);
    for (const text of game.dead) addWords(extra, text, "dead");
  }
  const showsMoves = analysis && find("show-moves").checked;
  if (showsMoves) drawCandidates(layers.candidates, analysis, null, null);
  const candidates = new Set(showsMoves ? analysis.moves.map((it) => indexOf(it.move)) : []);
  drawBranches(layers.candidates, turn, stones, candidates, extra);
  if (showsMoves) {
    for (const { candidate, words } of describedMoves(analysis)) addWords(extra, candidate.move, words);
  }
}

/** The stage of the game in words. */
function stageText() {
  const { game } = page;
  const stages = {
    counting: "Both have passed; keima looks for dead stones …",
    agreeing:
      "Both have passed. Crossed stones are dead: touch a stone to change that of its chain, then count; " +
      `as it stands ${game.proposal}.`,
  };
  if (game.stage === "over") return `The game is over: ${game.result_in_words}.`;
  if (stages[game.stage]) return stages[game.stage];
  const thinks = game.is_busy ? ", keima thinks …" : "";
  return `${NAMES[game.to_move]} to move${seatOf(game.to_move).kind === "engine" ? thinks : ""}`;
}

const moveText = ([color, text]) => `${NAMES[color]} ${text === "pass" ? "passes" : text}`;

function showStatus() {
  const { game, turn } = page;
  const status = find("status");
  status.replaceChildren();
  const last = game.moves[turn - 1];
  const line = game.is_game ? "" : " (variation)";
  const move = last ? `Move ${turn} of ${lastTurn()}${line}, ${moveText(last)}` : "Start";
  paragraph(status, [["b", move], turn === lastTurn() ? "" : ` – ${game.is_game ? "the game stands" : "it ends"} at move ${lastTurn()}`]);
  if (touchAgain()) paragraph(status, [["b", touchAgain()]]);
  else if (turn === lastTurn()) paragraph(status, [stageText()]);
  for (const account of turn === lastTurn() ? game.accounts : []) element(status, "p", { class: "note" }, account);
  if (game.fault) element(status, "p", { class: "fault" }, `keima does not play on: ${game.fault}`);
  if (game.comments[turn]) element(status, "blockquote", {}, game.comments[turn]);
}

const visitsText = (visits) => (visits === 1 ? "1 visit" : `${visits} visits`);

function showEvaluation() {
  const box = find("evaluation");
  box.replaceChildren();
  const values = allValues();
  const value = values[page.turn];
  if (isPlainGame()) {
    find("moves").hidden = true;
    return;
  }
  if (isCounted(page.turn)) {
    paragraph(box, [["b", `Counted: ${page.game.result}`]]);
  } else if (value) {
    paragraph(box, [["b", `Black ${percent(value.winrate)}`], `, ${leadText(value.lead)}, ${visitsText(value.visits)}`]);
  } else if (find("analysis").checked) {
    paragraph(box, ["Analysis begins …"]);
  }
  const lost = page.turn > 0 ? lostAt(values, page.turn - 1) : undefined;
  if (lost !== undefined) {
    const [color, text] = page.game.moves[page.turn - 1];
    paragraph(box, [`${NAMES[color]} ${text}: `, ["span", gradeText(lost, "lost"), gradeOf(lost)]]);
  }
  const analysis = analysisHere();
  find("moves").hidden = !analysis;
  if (analysis) listMoves(find("moves").tBodies[0], analysis, showVariation, hideVariation);
}

/** Whether a person may play in the position that is looked at: in an earlier one that begins a variation. */
function mayPlay() {
  const { game, turn } = page;
  const isPersons = seatOf(colorAt(turn)).kind === "person";
  return !edit.isOn && isPersons && (turn < lastTurn() || game.stage === "playing");
}

function showButtons() {
  const { game, turn } = page;
  const isLast = turn === lastTurn();
  const isGoing = game.stage === "playing" && !edit.isOn;
  find("pass").disabled = !mayPlay();
  // It takes back the last move, which must be on the board.
  find("undo").disabled = !isLast || (turn === 0 && game.stage === "playing") || edit.isOn;
  find("resign").disabled = !isGoing || !game.seats.some((it) => it.kind === "person");
  for (const id of ["accept", "resume"]) find(id).hidden = game.stage !== "agreeing";
  find("go-back").hidden = !game.has_left;
  const agrees = isLast && game.stage === "agreeing";
  find("place").classList.toggle("can-play", edit.isOn || agrees || mayPlay());
  showTurn(turn, lastTurn(), !edit.isOn);
}

/** Who plays a color, in the words of the list. */
function seatText({ kind, visits, rank }) {
  if (kind === "person") return "a person";
  return rank ? `keima like ${rank}` : `keima, ${visits ? visitsText(visits) : "full strength"}`;
}

/** Chooses a player in a list, which gets those of games from elsewhere. */
function chooseSeat(select, seat) {
  const wanted = JSON.stringify(seat);
  const isKnown = [...select.options].some((option) => option.value === wanted);
  if (!isKnown) element(select, "option", { value: wanted }, seatText(seat));
  if (select.value !== wanted) select.value = wanted;
}

function showPlayers() {
  const { game } = page;
  ["B", "W"].forEach((color, order) => {
    chooseSeat(find(`seat-${color}`), game.seats[order]);
    const name = game.names[order];
    find(`name-${color}`).textContent = name && game.seats[order].kind === "person" ? name : "";
    find(`prisoners-${color}`).textContent = `${page.prisoners[page.turn][color]} prisoners`;
  });
  const handicap = game.handicap > 0 ? `handicap ${game.handicap}` : "";
  const result = game.stated_result && `result of the record ${game.stated_result}`;
  const facts = [game.event, game.date, `${width}×${height}`, game.rules, `komi ${game.komi}`, handicap, result];
  find("facts").textContent = facts.filter(Boolean).join(", ");
  find("remarks").replaceChildren();
  for (const remark of game.remarks) element(find("remarks"), "li", {}, remark);
}

/** All of it. */
function showAll() {
  drawBoard();
  showPlayers();
  showStatus();
  showBranches();
  showEvaluation();
  showButtons();
  drawGraphOfGame();
}

/** Says something to those who do not see the board. */
function announce(text) {
  find("announcer").textContent = text;
}
