// Buttons and keys, and the beginning.

const steps = {
  first: () => go(0),
  back10: () => go(page.turn - 10),
  back: () => go(page.turn - 1),
  next: () => go(page.turn + 1),
  next10: () => go(page.turn + 10),
  last: () => go(lastTurn()),
};
const actions = {
  pass: () => play("pass"),
  undo: () => actOnGame("undo"),
  resign: () => confirm("Resign the game?") && actOnGame("resign"),
  accept: () => actOnGame("accept"),
  resume: () => actOnGame("resume"),
  "go-back": goBack,
};
for (const [id, step] of Object.entries({ ...steps, ...actions })) find(id).addEventListener("click", step);

/** Goes back to the game before a position set up by hand, or out of a variation. */
function goBack() {
  const isLost = page.game.is_set_up && lastTurn() > 0;
  if (isLost && !confirm("Go back to the game before this position? The moves since then will be lost.")) return;
  actOnGame("back");
}

/** Turns a switch. */
function flip(id) {
  find(id).click();
}

obeyKeys({
  ArrowLeft: steps.back,
  ArrowRight: steps.next,
  ArrowUp: () => stepBranch(-1),
  ArrowDown: () => stepBranch(1),
  PageUp: steps.back10,
  PageDown: steps.next10,
  Home: steps.first,
  End: steps.last,
  p: () => flip("pass"),
  u: () => flip("undo"),
  a: () => flip("analysis"),
  o: () => flip("show-ownership"),
  b: () => flip("show-moves"),
  n: () => flip("new"),
});

function follow(event) {
  if (page.game && (event.type === "pointerdown" || event.buttons > 0)) {
    go(turnAt(find("graph"), event, lastTurn()));
  }
}
find("graph").addEventListener("pointerdown", follow);
find("graph").addEventListener("pointermove", follow);
find("slider").addEventListener("input", () => go(Number(find("slider").value)));
for (const color of ["B", "W"]) {
  find(`seat-${color}`).addEventListener("change", async () => {
    const [black, white] = ["B", "W"].map((it) => JSON.parse(find(`seat-${it}`).value));
    if (!(await actOnGame("seats", { black, white }))) showPlayers();
  });
}
addEditHandlers();
addNewGameHandlers(enter);
addRecordHandlers(enter);
addGamesHandlers(enter);
const redraw = () => page.game && drawBoard();
addSettingsHandlers({
  theme: applyTheme,
  visits: requestAnalysis,
  confirm: () => {},
  coordinates: applyCoordinates,
  whole: requestAnalysis,
  "show-moves": redraw,
  "show-ownership": redraw,
});
find("analysis").addEventListener("change", () => {
  if (!find("analysis").checked) page.analyses.clear();
  if (page.game) showAll();
  requestAnalysis();
});
applyTheme();
applyCoordinates();
document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect(receivers)));
/** Whether a text can name a game. */
const isGame = (id) => /^[0-9a-f]+$/.test(id);
window.addEventListener("hashchange", () => {
  const id = location.hash.slice(1);
  if (isGame(id) && id !== page.id) enter(id);
});
const known = location.hash.slice(1) || stored("game", "");
if (isGame(known)) enter(known);
else startGame();
