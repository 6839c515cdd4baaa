// The run that is shown: what Go answered last, and all events so far. Who shows some of it listens.

import {call} from 'doorway/go.js';

/**
 * What is shown: the run, the last view of it, all its events, what the reader has selected, and what was forgotten:
 * {text, made, choices}, the text of the run before another choice was made at made, in place of so many choices.
 */
export const model = {run: {key: 0, names: []}, view: null, events: [], selected: null, forgotten: null};

let whole = ''; // a text that opens the run with what was taken back

const viewers = [];
const leavers = [];
const selectors = [];

/** Calls listener(model) after each step and opening. */
export function onChange(listener) {
  viewers.push(listener);
}

/** Calls listener() before another run takes the place of the one that is shown. */
export function onOpen(listener) {
  leavers.push(listener);
}

/** Calls listener(model) after each selection. */
export function onSelect(listener) {
  selectors.push(listener);
}

/** Opens a text; what stands in it before a mistake is played. */
export function open(text) {
  for (const listener of leavers) listener();
  whole = text;
  show(call({do: 'open', text}));
  return model.view;
}

/** Makes choices: one of the view, or several with points between them. */
export function choose(choices) {
  const {made, kept, forward} = model.view;
  const view = call({do: 'choose', choices, since: model.events.length});
  if (view.kept === 0 && view.made > made && (kept > 1 || kept === 1 && choices !== forward)) {
    model.forgotten = {text: whole, made, choices: kept};
  }
  show(view);
}

/** Opens the run again that had what was forgotten, where the other choice was made. */
export function restore() {
  const {text, made} = model.forgotten;
  open(text);
  to(made);
}

/** Goes back or forward until n choices are made. */
export function to(n) {
  if (n < model.view.made && model.view.kept === 0) whole = text();
  show(call({do: 'to', n, since: model.events.length}));
}

/** The text of the run. It may take a second the first time. */
export function text() {
  return call({do: 'text'}).text;
}

/** The choice that would be made by itself; undefined: there is none. */
export function next() {
  return model.view.choices.find((choice) => choice.do === model.view.next);
}

/** How many choices there are, with those that were taken back. */
export function length() {
  return model.view.made + model.view.kept;
}

/** Selects {member, event, transit or choice} in all pictures; null: nothing. */
export function select(what) {
  if (JSON.stringify(what) === JSON.stringify(model.selected)) return;
  model.selected = what;
  for (const listener of selectors) listener(model);
}

function show(view) {
  if (view.run.key !== model.run.key && view.from > 0) view = call({do: 'view', since: 0});
  if (view.run.key !== model.run.key) {
    model.events = [];
    model.selected = null;
    model.forgotten = null;
  }
  const chosen = model.selected?.choice;
  if (chosen && !view.choices.some((choice) => choice.do === chosen)) model.selected = null;
  if (view.run.algorithm) model.run = view.run;
  model.events.length = Math.min(model.events.length, view.from);
  for (const event of view.events) model.events.push(event);
  model.view = view;
  for (const listener of viewers) listener(model);
}
