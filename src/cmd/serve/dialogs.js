// New games, records, settings.

function openDialog(dialog) {
  showMessage("");
  dialog.showModal();
}

/** What the dialog of a new game says. */
function newGameAction() {
  const size = Number(find("size").value);
  const komi = find("komi").value;
  return {
    do: "new",
    size: size ? [size, size] : [Number(find("columns").value), Number(find("rows").value)],
    rules: find("rules").value,
    komi: komi === "" ? null : Number(komi),
    handicap: Number(find("handicap").value),
    time: find("time").value.trim() || null,
    black: JSON.parse(find("new-B").value),
    white: JSON.parse(find("new-W").value),
  };
}

const NEW_GAME_FIELDS = ["size", "columns", "rows", "rules", "komi", "handicap", "time", "new-B", "new-W"];

/** What was chosen last time; whatever another page at this address has left there does no harm. */
function storedChoices() {
  try {
    return JSON.parse(stored("new-game", "{}")) ?? {};
  } catch {
    return {};
  }
}

/** Shows what was chosen last time; at first a person has Black against keima. */
function fillNewGame() {
  find("new-W").selectedIndex = 1;
  const known = storedChoices();
  for (const id of NEW_GAME_FIELDS) {
    if (typeof known[id] === "string") find(id).value = known[id];
    if (find(id).selectedIndex === -1) find(id).selectedIndex = 0;
  }
  showSizeFields();
}

function showSizeFields() {
  const isOther = find("size").value === "";
  for (const field of document.querySelectorAll(".other-size")) field.hidden = !isOther;
  for (const id of ["columns", "rows"]) find(id).disabled = !isOther;
}

/** `begin` begins a game as the dialog says; nothing comes of it if that is refused. */
function addNewGameHandlers(begin) {
  const dialog = find("new-game");
  fillNewGame();
  find("new").addEventListener("click", () => openDialog(dialog));
  find("new-cancel").addEventListener("click", () => dialog.close());
  find("size").addEventListener("change", showSizeFields);
  dialog.addEventListener("submit", async (event) => {
    // The dialog stays open until there is a game.
    event.preventDefault();
    const choices = Object.fromEntries(NEW_GAME_FIELDS.map((id) => [id, find(id).value]));
    find("new-start").disabled = true;
    const made = await begin();
    find("new-start").disabled = false;
    if (!made) return;
    dialog.close();
    store("new-game", JSON.stringify(choices));
  });
}

/** Has the game that is entered next analyzed, all of it, or not at all. */
function switchAnalysis(isOn) {
  for (const id of ["analysis", "whole"]) find(id).checked = isOn;
}

/** Goes over to a record, which is analyzed. */
function enterRecord(loaded, enter) {
  if (!loaded) return;
  switchAnalysis(true);
  enter(loaded.game);
}

function addRecordHandlers(enter) {
  const file = find("sgf-file");
  find("load").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosenFile] = file.files;
    if (chosenFile) enterRecord(await loadSgf(await chosenFile.arrayBuffer()), enter);
    file.value = "";
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    const [dropped] = event.dataTransfer.files;
    if (dropped) enterRecord(await loadSgf(await dropped.arrayBuffer()), enter);
  });
  find("save").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = `sgf?game=${page.id}`;
    link.download = "game.sgf";
    link.click();
  });
  if (find("library")) addLibraryHandlers(enter);
}

function addLibraryHandlers(enter) {
  const dialog = find("library-dialog");
  const list = async () => {
    const answer = await request("files");
    find("names").replaceChildren();
    for (const name of answer ? answer.names : []) {
      const button = element(element(find("names"), "li"), "button", { type: "button" }, name);
      button.addEventListener("click", async () => {
        dialog.close();
        enterRecord(await act({ do: "open", name }), enter);
      });
    }
  };
  find("library").addEventListener("click", () => {
    find("kept").textContent = "";
    openDialog(dialog);
    list();
  });
  find("keep-name").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // Not the button that closes the dialog.
    event.preventDefault();
    find("keep").click();
  });
  find("keep").addEventListener("click", async () => {
    const typed = find("keep-name").value.trim() || "game.sgf";
    const name = /\.sgf$/i.test(typed) ? typed : `${typed}.sgf`;
    const isKept = await actOnGame("keep", { name });
    find("kept").textContent = isKept ? `saved as ${name}` : "";
    list();
  });
}

/** Settings that the browser keeps, with what follows from a change. */
function addSettingsHandlers(changes) {
  const dialog = find("settings-dialog");
  find("settings").addEventListener("click", () => openDialog(dialog));
  for (const [id, change] of Object.entries(changes)) {
    const field = find(id);
    const isBox = field.type === "checkbox";
    const known = stored(id, null);
    if (known !== null && isBox) field.checked = known === "true";
    if (known !== null && !isBox) field.value = known;
    if (field.selectedIndex === -1) field.selectedIndex = 0;
    field.addEventListener("change", () => {
      store(id, isBox ? field.checked : field.value);
      change(field);
    });
  }
}

function applyTheme() {
  document.documentElement.dataset.theme = find("theme").value;
}

function applyCoordinates() {
  find("board").classList.toggle("hide-coordinates", find("coordinates").value === "hidden");
}
