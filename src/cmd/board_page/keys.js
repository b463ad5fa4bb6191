// Keys that do something wherever the focus is.

/**
 * Has keys do what `actions` says, by their names; letters are lower-case. An action tells whether it did anything:
 * otherwise the key does what it does anyway, such as scroll the page.
 */
function obeyKeys(actions) {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const isLetter = key.length === 1;
    const action = actions[isLetter ? key.toLowerCase() : key];
    const isModified = event.ctrlKey || event.altKey || event.metaKey;
    const isField = target.closest("select, dialog, input:not([type=checkbox], [type=range])");
    // A slider goes with these the way that it shows, and the page with it.
    const isSliders = target.type === "range" && /^(Arrow|Home|End)/.test(key);
    // Who holds a key down steps on, but does not pass for both.
    const isHeldLetter = event.repeat && isLetter;
    if (!action || isModified || isField || isSliders || isHeldLetter) return;
    if (action()) event.preventDefault();
  });
}
