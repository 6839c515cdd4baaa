// The address holds the run, after "#": whoever opens it sees the same.

import {model, onChange, open, text} from 'doorway/run.js';
import {refuse} from 'doorway/message.js';

// Longer ones are refused before they are decoded; Go has limits of its own for what they say.
const longest = 200_000; // characters

// When a reader makes step after step, the address waits: the text of a run may take a second the first time.
const idle = 300; // milliseconds

let timer = 0;
let written = ''; // what the address was set to last

/** Opens the run of the address, or first if it has none; from then on the address follows the run. */
export function follow(first) {
  if (!openAddress()) open(first);
  addEventListener('hashchange', () => {
    if (location.hash !== written) openAddress();
  });
  let key = model.run.key;
  let made = model.view.made;
  onChange(({run, view}) => {
    if (run.key === key && view.made === made) return;
    ({key} = run);
    ({made} = view);
    clearTimeout(timer);
    timer = setTimeout(write, idle);
  });
}

/** Sets the address to that of the run, and returns it. */
export function write() {
  clearTimeout(timer);
  written = '#' + encodeURIComponent(text());
  if (location.hash !== written) history.replaceState(null, '', written);
  return location.href;
}

/** Opens the run of the address, and reports whether it has one. */
function openAddress() {
  const hash = location.hash;
  if (hash.length <= 1) return false;
  if (hash.length > longest) {
    open('');
    refuse(`The address has ${hash.length} characters; at most ${longest} can be opened.`);
    return true;
  }
  open(decode(hash.slice(1)));
  return true;
}

/** Decodes an address; what is no encoding stays as it is, for Go to say what is wrong. */
function decode(address) {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
