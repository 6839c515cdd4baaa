// The address holds the run, after "#": whoever opens it sees the same.

import {byId} from 'doorway/dom.js';
import {model, onChange, onOpen, open, text} from 'doorway/run.js';
import {refuse} from 'doorway/message.js';

// When a reader makes step after step, the address waits: the text of a run may take a second the first time.
const idle = 300; // milliseconds

let timer = 0; // of the next writing; 0: what is shown is written
let entry = 0; // the key of the run that the current entry of the browser's history has
let first = ''; // the text of the run without an address
let most = 0; // how long a text may be

/**
 * Opens the run of the address, or the first one if it has none; from then on the address follows the run. Each run that
 * is opened is an entry of the browser's history: Back of the browser returns to the one before, as it was left.
 */
export function follow({first: text, longest}) {
  first = text;
  most = longest;
  openAddress(location.hash);
  addEventListener('hashchange', ({newURL}) => openAddress(new URL(newURL).hash)); // it may have been written meanwhile
  let {made} = model.view;
  let {key} = model.run;
  onOpen(() => {
    byId('intro').hidden = true; // before anything is drawn, as pictures are as high as there is room
    if (timer && entry === key) write(); // a run of which nothing was written yet leaves no entry
  });
  onChange(({run, view}) => {
    const opened = run.key !== key;
    if (!opened && view.made === made) return;
    ({key} = run);
    ({made} = view);
    clearTimeout(timer);
    // An address that was refused stays: whoever mends it finds it as it was.
    timer = opened && view.refused ? 0 : setTimeout(write, idle);
  });
}

/** Sets the address to that of the run, and returns it. */
export function write() {
  clearTimeout(timer);
  timer = 0;
  const hash = '#' + encodeURIComponent(text());
  if (location.hash !== hash) history[entry === model.run.key ? 'replaceState' : 'pushState'](null, '', hash);
  entry = model.run.key;
  return location.href;
}

/** Opens the run of an address, or the first one if it has none; or says why not. */
function openAddress(hash) {
  clearTimeout(timer);
  timer = 0; // the entry of the run that was shown is no longer the current one
  const empty = hash.length <= 1;
  const asked = empty ? first : decode(hash.slice(1));
  const long = asked.length > most;
  if (!long || model.run.key === 0) open(long ? first : asked);
  entry = model.run.key;
  byId('intro').hidden = !empty;
  if (long) refuse(`The text of the address has ${asked.length} characters, and at most ${most} are opened.`);
}

/** Decodes an address; what is no encoding stays as it is, for Go to say what is wrong. */
function decode(address) {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
