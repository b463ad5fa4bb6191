// The clocks of the game, which go on between messages.

/** Between looks at the clocks, in milliseconds. */
const CLOCK_PERIOD = 200;
/** Seconds after which the program is asked whether the game is lost on time; it waits a little less. */
const LATE = 0.6;
let clockTimer = null;
let clocksFrom = 0;
let flagged = 0;

/** A clock so many seconds after the beginning of the turn. */
function clockAfter({ seconds, count, overtime, has_periods }, elapsed) {
  let left = seconds - elapsed;
  let rest = count;
  if (overtime && rest === 0 && left <= 0) {
    left += overtime[0];
    rest = overtime[1];
  }
  if (has_periods && rest > 1 && left < 0) {
    const lost = Math.min(rest - 1, Math.ceil(-left / overtime[0]));
    left += lost * overtime[0];
    rest -= lost;
  }
  return { left, rest };
}

function clockText({ overtime, has_periods }, { left, rest }) {
  const whole = Math.max(0, Math.ceil(left));
  const time = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  if (!overtime || rest === 0) return time;
  const unit = has_periods ? "period" : "move";
  return `${time}, ${rest} ${unit}${rest === 1 ? "" : "s"}`;
}

/** Takes up the clocks of a message. */
function receiveClocks() {
  clearInterval(clockTimer);
  clocksFrom = performance.now();
  const { clocks } = page.game;
  for (const color of ["B", "W"]) find(`clock-${color}`).hidden = !clocks;
  if (!clocks) return;
  showClocks();
  if (clocks.used !== null) clockTimer = setInterval(showClocks, CLOCK_PERIOD);
}

function stopClocks() {
  clearInterval(clockTimer);
}

function showClocks() {
  const { clocks, to_move } = page.game;
  const elapsed = clocks.used === null ? 0 : clocks.used + (performance.now() - clocksFrom) / 1000;
  ["B", "W"].forEach((color, order) => {
    const goes = clocks.used !== null && color === to_move;
    const now = clockAfter(clocks.clocks[order], goes ? elapsed : 0);
    const field = find(`clock-${color}`);
    const text = clockText(clocks.clocks[order], now);
    if (field.textContent !== text) field.textContent = text;
    field.classList.toggle("goes", goes);
    field.classList.toggle("low", now.left < 10);
    if (goes && now.left < -LATE) claimTime();
  });
}

/** Asks at most once a second. */
function claimTime() {
  if (performance.now() - flagged < 1000) return;
  flagged = performance.now();
  actOnGame("flag");
}
