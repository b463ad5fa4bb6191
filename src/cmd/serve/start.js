// Buttons and keys, and the beginning.

const actions = {
  pass: () => play("pass"),
  undo,
  resign,
  accept: () => actOnGame("accept"),
  resume: () => actOnGame("resume"),
  "go-back": goBack,
};
for (const [id, action] of Object.entries(actions)) find(id).addEventListener("click", action);

/** Goes back to the game before a position set up by hand, or out of a variation. */
function goBack() {
  const isLost = page.game.is_set_up && lastTurn() > 0;
  if (isLost && !confirm("Go back to the game before this position? The moves since then will be lost.")) return;
  actOnGame("back");
}

/** Turns a switch, or presses a button; whether it can be used. */
function flip(id) {
  const isUsable = !find(id).disabled;
  find(id).click();
  return isUsable;
}

obeyKeys({
  ...addStepping({ turn: () => page.turn, last: () => (page.game ? lastTurn() : 0), go }),
  ArrowUp: () => stepBranch(-1),
  ArrowDown: () => stepBranch(1),
  p: () => flip("pass"),
  u: () => flip("undo"),
  a: () => flip("analysis"),
  o: () => flip("show-ownership"),
  b: () => flip("show-moves"),
  n: () => flip("new"),
});

for (const color of ["B", "W"]) {
  find(`seat-${color}`).addEventListener("change", async () => {
    const [black, white] = ["B", "W"].map((it) => JSON.parse(find(`seat-${it}`).value));
    if (!(await actOnGame("seats", { black, white }))) showPlayers();
  });
}
addEditHandlers();
addNewGameHandlers(startGame);
addRecordHandlers(enter);
addGamesHandlers(enter);
const redraw = () => page.game && drawBoard();
addSettingsHandlers({
  theme: applyTheme,
  visits: requestAnalysis,
  confirm: () => {},
  coordinates: applyCoordinates,
  whole: () => {
    const analysis = find("analysis");
    if (find("whole").checked && !analysis.checked) analysis.click();
    requestAnalysis();
  },
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
