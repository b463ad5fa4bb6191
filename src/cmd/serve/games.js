// The games that the program keeps.

/** A game in a line. */
function gameText({ size, names, rules, komi, handicap, moves, result }) {
  const players = names.map((name) => name ?? "a person").join(" – ");
  const stones = handicap > 0 ? `handicap ${handicap}` : "";
  const length = moves === 1 ? "1 move" : `${moves} moves`;
  const facts = [size.join("×"), rules, `komi ${komi}`, stones, length, result];
  return `${players}: ${facts.filter(Boolean).join(", ")}`;
}

function addGamesHandlers(enter) {
  const dialog = find("games-dialog");
  const addGame = (game) => {
    const isShown = game.game === page.id;
    const item = element(find("kept-games"), "li");
    const button = element(item, "button", { type: "button", "aria-current": isShown }, gameText(game));
    button.addEventListener("click", () => {
      dialog.close();
      if (!isShown) enter(game.game);
    });
  };
  find("games").addEventListener("click", async () => {
    openDialog(dialog);
    const answer = await request("games");
    find("kept-games").replaceChildren();
    if (answer) answer.games.forEach(addGame);
  });
}
