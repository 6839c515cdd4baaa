// The verdict line, what was refused, and a page that broke.

import {byId, set, setText} from 'doorway/dom.js';
import {onChange, open} from 'doorway/run.js';

let again = ''; // the text with which a refused one can be tried all the same

/** Shows the verdict after each step, and why a choice or an address was refused. */
export function showMessages() {
  onChange(({view}) => {
    set(byId('verdict'), {'data-kind': view.verdict.kind});
    setText(byId('verdict'), view.verdict.text);
    refuse(view.refused, view.again);
  });
  byId('again').onclick = () => open(again);
  byId('dismiss').onclick = () => refuse('');
}

/** Says why something was not done; with a text, it can be tried all the same. */
export function refuse(sentence, text) {
  again = text ?? '';
  byId('refused').hidden = !sentence;
  byId('message').hidden = !sentence;
  byId('again').hidden = !again;
  setText(byId('message'), sentence);
}

/** Says a sentence to who cannot see the page; not for each event. */
export function announce(sentence) {
  setText(byId('announcement'), sentence);
}

/** Says that the page is broken. What it shows stays, and it can be opened anew with the run of the address. */
export function broken(why) {
  if (document.body.dataset.state === 'broken') return;
  document.body.dataset.state = 'broken';
  set(byId('verdict'), {'data-kind': 'failed'});
  setText(byId('verdict'), 'The page is broken: what it shows was true until now.');
  refuse(why);
  byId('loading').hidden = true;
  byId('dismiss').hidden = true;
  byId('reload').hidden = false;
  byId('anew').hidden = false;
  for (const id of ['top', 'files', 'related', 'choices', 'checked', 'transport']) byId(id).inert = true;
}

/** Makes every error of the page known. */
export function watchErrors() {
  addEventListener('error', (event) => {
    if (event.error) broken(event.error.message); // without an error it is a notice, such as ResizeObserver gives
  });
  addEventListener('unhandledrejection', (event) => broken(event.reason?.message ?? String(event.reason)));
  byId('reload').onclick = () => location.reload();
  byId('anew').onclick = () => {
    history.replaceState(null, '', '#');
    location.reload();
  };
}
