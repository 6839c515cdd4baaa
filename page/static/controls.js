// Back, step, play, forward, and the way to any position of the run.

import {byId, set, setText} from 'doorway/dom.js';
import {announce} from 'doorway/message.js';
import {choose, length, model, next, onChange, onOpen, restore, to} from 'doorway/run.js';

let timer = 0; // of the next step while the run plays; 0: it does not

/** Wires the controls. */
export function showControls() {
  byId('back').onclick = back;
  byId('forward').onclick = forward;
  byId('step').onclick = step;
  byId('play').onclick = play;
  byId('scrub').oninput = () => go(Number(byId('scrub').value));
  byId('restore').onclick = () => {
    restore();
    byId('forward').focus();
  };
  onOpen(pause);
  onChange(update);
}

/** Takes back the last choice. */
export function back() {
  go(model.view.made - 1);
}

/** Makes again the choice that was taken back last. */
export function forward() {
  go(model.view.made + 1);
}

/** Goes to a position of the run, if there is such a one. */
export function go(n) {
  pause();
  if (n >= 0 && n <= length()) to(n);
}

/** Makes the choice that would be made by itself. */
export function step() {
  pause();
  const choice = next();
  if (choice) choose(choice.do);
}

/** Makes a choice of the reader's. */
export function make(choices) {
  pause();
  choose(choices);
}

/** Plays, or pauses. */
export function play() {
  if (timer) {
    pause();
  } else if (canPlay()) {
    playOn();
    label();
  }
}

/** Pauses. */
export function pause() {
  clearTimeout(timer);
  timer = 0;
  label();
}

/** Changes the speed by so many of the steps of its list. */
export function faster(by) {
  const speed = byId('speed');
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), speed.options.length - 1);
}

/** Makes the next step, and again after a while. What was taken back is played to its end and not beyond. */
function playOn() {
  const replays = model.view.kept > 0;
  if (replays) to(model.view.made + 1);
  else choose(next().do);
  const over = replays ? model.view.kept === 0 : !canPlay();
  if (over) {
    pause();
    update(model); // as nothing is left to play
  } else {
    timer = setTimeout(playOn, 1000 / Number(byId('speed').value));
  }
}

function canPlay() {
  return model.view.kept > 0 || next() !== undefined && model.view.verdict.kind === 'going';
}

function update({view, forgotten}) {
  showForgotten(forgotten);
  byId('back').disabled = view.made === 0;
  byId('forward').disabled = view.kept === 0;
  byId('step').disabled = next() === undefined;
  byId('play').disabled = !timer && !canPlay();
  const total = String(length());
  if (byId('scrub').max !== total) byId('scrub').max = total;
  byId('scrub').value = String(view.made);
  const position = `${view.made} of ${total}`;
  set(byId('scrub'), {'aria-valuetext': position});
  setText(byId('position'), position);
}

let shown = null; // what is said to be forgotten

function showForgotten(forgotten) {
  if (forgotten === shown) return;
  shown = forgotten;
  byId('forgotten').hidden = !forgotten;
  if (!forgotten) return;
  const {choices} = forgotten;
  setText(byId('forgotten-text'), choices === 1 ? 'The choice taken back is forgotten.' : `The ${choices} choices taken back are forgotten.`);
  setText(byId('restore'), choices === 1 ? 'Get it back' : 'Get them back');
  announce(byId('forgotten-text').textContent);
}

function label() {
  set(byId('verdict'), {'aria-live': timer ? 'off' : null}); // a run that plays is not read aloud step by step
  setText(byId('play'), timer ? 'Pause' : 'Play');
  set(byId('play'), {'data-plays': timer !== 0});
}
