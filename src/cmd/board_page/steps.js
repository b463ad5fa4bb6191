// Stepping through a game: buttons, keys, slider, graph.

/**
 * Has buttons, slider and graph go through the game: `turn` and `last` tell the current and the last position, `go`
 * goes to one and tells whether it is another one. Returns what keys do, by their names.
 */
function addStepping({ turn, last, go }) {
  const by = (count) => () => go(turn() + count);
  const steps = {
    first: () => go(0),
    back10: by(-10),
    back: by(-1),
    next: by(1),
    next10: by(10),
    last: () => go(last()),
  };
  for (const [id, step] of Object.entries(steps)) find(id).addEventListener("click", step);
  const [slider, graph] = [find("slider"), find("graph")];
  slider.addEventListener("input", () => go(Number(slider.value)));
  const follow = (event) => {
    if (event.type === "pointerdown" || event.buttons > 0) go(turnAt(graph, event, last()));
  };
  graph.addEventListener("pointerdown", follow);
  graph.addEventListener("pointermove", follow);
  return {
    ArrowLeft: steps.back,
    ArrowRight: steps.next,
    PageUp: steps.back10,
    PageDown: steps.next10,
    Home: steps.first,
    End: steps.last,
  };
}

/** Shows the current position by buttons and slider. */
function showTurn(turn, last, isEnabled) {
  for (const id of ["first", "back", "back10"]) find(id).disabled = turn === 0 || !isEnabled;
  for (const id of ["last", "next", "next10"]) find(id).disabled = turn === last || !isEnabled;
  const slider = find("slider");
  slider.disabled = !isEnabled;
  slider.max = last;
  slider.value = turn;
  slider.setAttribute("aria-valuetext", `move ${turn} of ${last}`);
}
