// The connection to the program: requests, and events as long as the page can be seen.

const SERVER_GONE = "keima does not answer";
const find = (id) => document.getElementById(id);

/**
 * What the page knows of the game. `turn` is the position that is looked at, `wanted` the one to look at when the other
 * moves arrive that were asked for.
 */
const page = { id: null, client: null, game: null, turn: 0, stones: [], prisoners: [], analyses: new Map(), wanted: null };

function showMessage(text) {
  find("message").textContent = text;
  find("message").hidden = !text;
}

/** Sends a request; its answer, or nothing after an error, which is shown. */
async function request(path, options) {
  showMessage("");
  try {
    const answer = await fetch(path, options);
    const value = await answer.json();
    if (answer.ok) return value;
    showMessage(value.error);
  } catch {
    showMessage(SERVER_GONE);
  }
  return null;
}

/** Has the program do something. */
function act(action) {
  const headers = { "content-type": "application/json" };
  return request("do", { method: "POST", headers, body: JSON.stringify(action) });
}

function actOnGame(what, more = {}) {
  return act({ do: what, game: page.id, ...more });
}

/** Loads a record, which may be in any encoding. */
function loadSgf(bytes) {
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
  source.addEventListener("open", () => (find("offline").hidden = true));
  source.addEventListener("error", () => {
    if (source !== events) return;
    page.client = null;
    find("offline").hidden = false;
    // A refusal is final for the browser: the game is gone, or there is no room.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => source === events && receivers.gone(), 1000);
  });
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
