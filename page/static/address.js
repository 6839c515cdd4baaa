// The address holds the run, after "#": whoever opens it sees the same.

import {model, onChange, open, text} from 'doorway/run.js';
import {refuse} from 'doorway/message.js';

// Longer ones are refused before they are decoded; Go has limits of its own for what they say.
const longest = 200_000; // characters

// When a reader makes step after step, the address waits: the text of a run may take a second the first time.
const idle = 300; // milliseconds

let timer = 0;

/** Opens the run of the address, or first if it has none; from then on the address follows the run. */
export function follow(first) {
  const why = openAddress(location.hash);
  if (why !== '') open(first);
  if (why) refuse(why);
  addEventListener('hashchange', ({newURL}) => {
    const refused = openAddress(new URL(newURL).hash); // the address may have been written meanwhile
    if (refused) refuse(refused);
  });
  let {key} = model.run;
  let {made} = model.view;
  onChange(({run, view}) => {
    const opened = run.key !== key;
    if (!opened && view.made === made) return;
    ({key} = run);
    ({made} = view);
    clearTimeout(timer);
    // An address that was refused stays: whoever mends it finds it as it was.
    if (!opened || !view.refused) timer = setTimeout(write, idle);
  });
}

/** Sets the address to that of the run, and returns it. */
export function write() {
  clearTimeout(timer);
  const hash = '#' + encodeURIComponent(text());
  if (location.hash !== hash) history.replaceState(null, '', hash);
  return location.href;
}

/** Opens the run of an address. It returns "", or why it did not; null: there is none. */
function openAddress(hash) {
  if (hash.length <= 1) return null;
  if (hash.length > longest) return `The address has ${hash.length} characters, and at most ${longest} are opened.`;
  open(decode(hash.slice(1)));
  return '';
}

/** Decodes an address; what is no encoding stays as it is, for Go to say what is wrong. */
function decode(address) {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
