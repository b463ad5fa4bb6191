// Setting up a position by hand.

const edit = { isOn: false, stones: [] };

const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`).value;

function startEdit() {
  if (!page.game) return;
  edit.isOn = true;
  edit.stones = page.stones[page.turn].slice();
  const toMove = document.querySelector(`input[name="to-move"][value="${colorAt(page.turn)}"]`);
  toMove.checked = true;
  showEditTools();
}

function endEdit() {
  edit.isOn = false;
  showEditTools();
}

function showEditTools() {
  find("edit-tools").hidden = !edit.isOn;
  find("edit").disabled = edit.isOn;
  drawBoard();
  showButtons();
}

/** Puts the chosen stone on a point, or takes the same one off. */
function editPoint(index) {
  const tool = chosen("tool") || null;
  edit.stones[index] = edit.stones[index] === tool ? null : tool;
  drawBoard();
  announce(pointName(index, edit.stones[index]));
}

async function finishEdit() {
  const of = (color) => edit.stones.flatMap((it, index) => (it === color ? [textOf(index)] : []));
  const action = { black: of("B"), white: of("W"), to_move: chosen("to-move") };
  if (await actOnGame("setup", action)) endEdit();
}

function addEditHandlers() {
  find("edit").addEventListener("click", startEdit);
  find("edit-cancel").addEventListener("click", endEdit);
  find("edit-done").addEventListener("click", finishEdit);
  find("edit-clear").addEventListener("click", () => {
    edit.stones.fill(null);
    drawBoard();
  });
}
