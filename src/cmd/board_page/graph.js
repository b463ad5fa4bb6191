// The graph of win rate and lead along the game.

const GRAPH = { width: 640, height: 200, left: 8, right: 8, top: 8, bottom: 22 };

/** From 0 at the bottom to 1 at the top. */
const graphY = (share) => GRAPH.top + (1 - share) * (GRAPH.height - GRAPH.top - GRAPH.bottom);

const graphX = (turn, last) =>
  GRAPH.left + (turn / Math.max(1, last)) * (GRAPH.width - GRAPH.left - GRAPH.right);

/** The lead at the upper border, so that all leads fit. */
function mostLead(values) {
  const leads = values.map((it) => (it ? Math.abs(it.lead) : 0));
  return Math.max(5, Math.ceil(Math.max(0, ...leads) / 5) * 5);
}

/** Positions that may be unknown within a line. */
const LONGEST_GAP = 1;

/** A line through what is known; it breaks where more is unknown. */
function drawLine(svg, name, values, share) {
  const last = values.length - 1;
  let [points, latest] = [[], 0];
  const end = () => {
    if (points.length > 0) element(svg, "polyline", { class: name, points: points.join(" ") });
    points = [];
  };
  values.forEach((it, turn) => {
    if (!it) return;
    if (turn - latest > LONGEST_GAP + 1) end();
    latest = turn;
    points.push(`${graphX(turn, last).toFixed(1)},${graphY(share(it)).toFixed(1)}`);
  });
  end();
}

/**
 * Draws a game: `values` has Black's win rate and lead of each position, or nothing; `borders` are turns between
 * phases; `mistakes` have turn, color, and whether they are blunders. Returns the mark of the current position.
 */
function drawGraph(svg, values, borders, mistakes) {
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${GRAPH.width} ${GRAPH.height}`);
  const last = values.length - 1;
  const most = mostLead(values);
  const leadShare = (it) => 0.5 + it.lead / most / 2;
  const [left, right] = [graphX(0, last), graphX(Math.max(1, last), last)];
  element(svg, "rect", { class: "plot", x: left, y: graphY(1), width: right - left, height: graphY(0) - graphY(1) });
  for (const border of borders.filter((border) => border < last)) {
    const at = graphX(border, last);
    element(svg, "line", { class: "border", x1: at, x2: at, y1: graphY(1), y2: graphY(0) });
  }
  for (const share of [0.25, 0.5, 0.75]) {
    const name = share === 0.5 ? "middle" : "quarter";
    element(svg, "line", { class: name, x1: left, x2: right, y1: graphY(share), y2: graphY(share) });
  }
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((it) => last <= 6 * it);
  for (let turn = 0; turn <= last; turn += step || 1000) {
    const at = graphX(turn, last);
    // At the border a number ends there.
    const name = at > GRAPH.width - 2 * GRAPH.right ? "turn end" : "turn";
    element(svg, "text", { x: at, y: GRAPH.height - 6, class: name }, turn);
  }
  drawLine(svg, "winrate", values, (it) => it.winrate);
  drawLine(svg, "lead", values, leadShare);
  for (const { turn, color, isBlunder } of mistakes) {
    const place = { cx: graphX(turn + 1, last), cy: graphY(leadShare(values[turn + 1])) };
    element(svg, "circle", { class: `mistake ${color}`, r: isBlunder ? 5 : 3.2, ...place });
  }
  return element(svg, "line", { class: "now", y1: graphY(1), y2: graphY(0) });
}

/** Moves the mark of the current position. */
function markTurn(mark, turn, last) {
  mark.setAttribute("x1", graphX(turn, last));
  mark.setAttribute("x2", graphX(turn, last));
}

/** The position that a pointer is on. */
function turnAt(svg, event, last) {
  const box = svg.getBoundingClientRect();
  const place = ((event.clientX - box.left) / box.width) * GRAPH.width;
  const share = (place - GRAPH.left) / (GRAPH.width - GRAPH.left - GRAPH.right);
  return Math.round(Math.min(1, Math.max(0, share)) * last);
}
