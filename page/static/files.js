// The run as a link and as files, and files as runs.

import {byId, setText} from 'doorway/dom.js';
import {write} from 'doorway/address.js';
import {call} from 'doorway/go.js';
import {refuse} from 'doorway/message.js';
import {onChange, open, text} from 'doorway/run.js';

let largest = 0; // bytes: a larger file is refused before it is read

/** Wires the buttons for files, and makes a file open that is dropped anywhere. */
export function showFiles({longest}) {
  largest = longest;
  byId('copy-link').onclick = copyLink;
  onChange(() => say(''));
  for (const as of ['scenario', 'test', 'svg']) byId('save-' + as).onclick = () => save(as);
  byId('file').onchange = () => {
    openFile(byId('file').files[0]);
    byId('file').value = ''; // so that the same one can be chosen again
  };
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    openFile(event.dataTransfer.files[0]);
  });
}

/** Copies the address of the run. */
export async function copyLink() {
  const address = write();
  try {
    await navigator.clipboard.writeText(address);
    say('The link is copied.');
  } catch {
    refuse('The browser does not let the page copy: copy the link from the address bar.');
  }
}

const uses = {
  scenario: 'doorway run prints its events, and compares them with what the file expects',
  test: 'put it into a package of your module, and go test repeats the run',
  svg: 'a picture of the run',
};

/** Says what became of the run, until it goes on. */
function say(sentence) {
  setText(byId('saved'), sentence);
}

/** Saves the run as a file. */
function save(as) {
  const {name, text, error} = call({do: 'save', as});
  if (error) {
    refuse(error);
    return;
  }
  const address = URL.createObjectURL(new Blob([text], {type: as === 'svg' ? 'image/svg+xml' : 'text/plain'}));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  say(`Saved ${name}: ${uses[as]}.`);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function openFile(file) {
  if (!file) return;
  if (file.size > largest) {
    refuse(`${file.name} has ${file.size} bytes; at most ${largest} can be opened.`);
    return;
  }
  if (file.size === 0) {
    refuse(`${file.name} is empty.`);
    return;
  }
  const before = text();
  const {refused, again, made} = open(await file.text());
  if (refused && made === 0) {
    open(before); // nothing in the file can be played: the run stays
    refuse(refused, again);
  }
}
