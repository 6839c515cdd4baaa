// Starts the page: the Go program, then the first picture, then all that may wait.

import {byId} from 'doorway/dom.js';
import {call, startGo} from 'doorway/go.js';
import {follow} from 'doorway/address.js';
import {showCatalog} from 'doorway/catalog.js';
import {showChecks} from 'doorway/checks.js';
import {showChoices} from 'doorway/choices.js';
import {showControls} from 'doorway/controls.js';
import {showFiles} from 'doorway/files.js';
import {showKeys} from 'doorway/keys.js';
import {broken, showMessages, watchErrors} from 'doorway/message.js';
import {showPanes} from 'doorway/panes.js';

/** Starts the page with its files: module is the promise of the compiled program, texts are those of its scripts. */
export async function start({module, texts}) {
  watchErrors();
  try {
    await startGo(module, broken);
    showAll({module, texts});
    document.body.dataset.state = 'ready';
  } catch (error) {
    broken(`The page could not be opened: ${error.message}`);
  }
  byId('loading').hidden = true;
}

function showAll(files) {
  const list = call({do: 'list'});
  showMessages();
  showControls();
  showChoices();
  showCatalog(list);
  showPanes();
  showFiles(list);
  showChecks(files);
  showKeys();
  follow(list);
}
