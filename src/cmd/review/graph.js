// The graph of win rate and lead along the game.

const GRAPH = { width: 640, height: 200, left: 8, right: 8, top: 8, bottom: 22 };
const lastTurn = positions.length - 1;
const mostLead = Math.max(5, Math.ceil(Math.max(...positions.map((it) => Math.abs(it.lead))) / 5) * 5);

const graphX = (turn) =>
  GRAPH.left + (turn / Math.max(1, lastTurn)) * (GRAPH.width - GRAPH.left - GRAPH.right);
/** From 0 at the bottom to 1 at the top. */
const graphY = (share) => GRAPH.top + (1 - share) * (GRAPH.height - GRAPH.top - GRAPH.bottom);
const leadShare = (lead) => 0.5 + lead / mostLead / 2;

function isMistake(position) {
  return position.lost !== undefined && position.lost >= review.thresholds.mistake;
}

function isBlunder(position) {
  return position.lost !== undefined && position.lost >= review.thresholds.blunder;
}

function line(svg, name, share) {
  const points = positions.map((it, turn) => `${graphX(turn).toFixed(1)},${graphY(share(it)).toFixed(1)}`);
  element(svg, "polyline", { class: name, points: points.join(" ") });
}

/** Draws what never changes; returns the mark of the current position. */
function drawGraph(svg) {
  svg.setAttribute("viewBox", `0 0 ${GRAPH.width} ${GRAPH.height}`);
  const [left, right] = [graphX(0), graphX(Math.max(1, lastTurn))];
  element(svg, "rect", { class: "plot", x: left, y: graphY(1), width: right - left, height: graphY(0) - graphY(1) });
  for (const border of review.summary.borders.filter((border) => border < lastTurn)) {
    element(svg, "line", { class: "border", x1: graphX(border), x2: graphX(border), y1: graphY(1), y2: graphY(0) });
  }
  for (const share of [0.25, 0.5, 0.75]) {
    const name = share === 0.5 ? "middle" : "quarter";
    element(svg, "line", { class: name, x1: left, x2: right, y1: graphY(share), y2: graphY(share) });
  }
  const step = lastTurn > 200 ? 50 : lastTurn > 60 ? 20 : 10;
  for (let turn = 0; turn <= lastTurn; turn += step) {
    element(svg, "text", { x: graphX(turn), y: GRAPH.height - 6, class: "turn" }, turn);
  }
  line(svg, "winrate", (it) => it.winrate);
  line(svg, "lead", (it) => leadShare(it.lead));
  positions.forEach((it, turn) => {
    if (!isMistake(it)) return;
    const place = { cx: graphX(turn + 1), cy: graphY(leadShare(positions[turn + 1].lead)) };
    element(svg, "circle", { class: `mistake ${it.to_move}`, r: isBlunder(it) ? 5 : 3.2, ...place });
  });
  return element(svg, "line", { class: "now", y1: graphY(1), y2: graphY(0) });
}

/** The position that a pointer is on. */
function turnAt(svg, event) {
  const box = svg.getBoundingClientRect();
  const place = ((event.clientX - box.left) / box.width) * GRAPH.width;
  const share = (place - GRAPH.left) / (GRAPH.width - GRAPH.left - GRAPH.right);
  return Math.round(Math.min(1, Math.max(0, share)) * lastTurn);
}
