// The connection to the program: requests, and events as long as the page can be seen.

const SERVER_GONE = "keima does not answer";

/**
 * What the page knows of the game. `turn` is the position that is looked at, `wanted` the one to look at when the other
 * moves arrive that were asked for; `isChanging` from a move or an undo of this page until the game has it.
 */
const page = {
  id: null,
  client: null,
  game: null,
  turn: 0,
  stones: [],
  prisoners: [],
  analyses: new Map(),
  wanted: null,
  isChanging: false,
};

/** Says what has gone wrong, in the dialog that is open or above the board. */
function showMessage(text) {
  const place = document.querySelector("dialog[open] .message") ?? find("message");
  for (const box of document.querySelectorAll(".message")) {
    box.textContent = box === place ? text : "";
    box.hidden = !box.textContent;
  }
}

/** Clears the message that the program does not answer. */
function clearServerGone() {
  const boxes = [...document.querySelectorAll(".message")];
  if (boxes.some((box) => box.textContent === SERVER_GONE)) showMessage("");
}

/** What an answer says of an error; only a request that is refused altogether is answered in plain text. */
function errorIn(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return text;
  }
}

/** Sends a request; its answer, or nothing after an error, which is shown. */
async function request(path, options) {
  try {
    const answer = await fetch(path, options);
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    showMessage(errorIn(text));
  } catch {
    showMessage(SERVER_GONE);
  }
  return null;
}

/** What the page asks for by itself: messages stay. */
const BY_ITSELF = ["analyze", "flag"];

/** Has the program do something. */
function act(action) {
  if (!BY_ITSELF.includes(action.do)) showMessage("");
  const headers = { "content-type": "application/json" };
  return request("do", { method: "POST", headers, body: JSON.stringify(action) });
}

/** Has it do something with the game; nothing without a connection, as the game may have gone on unseen. */
async function actOnGame(what, more = {}) {
  if (find("offline").hidden) return act({ do: what, game: page.id, ...more });
  showMessage(SERVER_GONE);
  return null;
}

/** Loads a record, which may be in any encoding. */
function loadSgf(bytes) {
  showMessage("");
  const headers = { "content-type": "application/x-go-sgf" };
  return request("sgf", { method: "POST", headers, body: bytes });
}

let events = null;

function disconnect() {
  if (events) events.close();
  events = null;
  page.client = null;
  stopClocks();
}

/** Listens to the game. Browsers allow few connections to a server, so hidden pages do without. */
function connect(receivers) {
  disconnect();
  if (!page.id || document.hidden) return;
  const source = new EventSource(`events?game=${page.id}`);
  events = source;
  for (const [name, receive] of Object.entries(receivers)) {
    source.addEventListener(name, (event) => source === events && receive(JSON.parse(event.data)));
  }
  source.addEventListener("open", () => {
    find("offline").hidden = true;
    clearServerGone();
  });
  source.addEventListener("error", () => {
    if (source !== events) return;
    page.client = null;
    page.isChanging = false;
    stopClocks();
    find("offline").hidden = false;
    // A refusal is final for the browser.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => connectAgain(source, receivers), 1000);
  });
}

/** After a refusal: the game is gone, or the program has no room or does not know the page any more. */
async function connectAgain(source, receivers) {
  const answer = await fetch(`sgf?game=${page.id}`).catch(() => null);
  if (source !== events) return;
  if (answer?.status === 404) return receivers.gone();
  if (answer && !answer.ok) showMessage(errorIn(await answer.text()));
  setTimeout(() => source === events && connect(receivers), 4000);
}

/** A setting that the browser keeps; some do not let pages keep anything. */
function stored(name, otherwise) {
  try {
    return localStorage.getItem(`keima-${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function store(name, value) {
  try {
    localStorage.setItem(`keima-${name}`, value);
  } catch {
    // The setting holds as long as the page is open.
  }
}
