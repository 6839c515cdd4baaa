// The Go program of the page: all of its logic. The page asks it by JSON and shows the answers.

import 'doorway/wasm_exec.js';
import sources from 'doorway/sources.js';

/** The program ended or panicked: what is shown stays, but nothing more can be asked. */
export class Broken extends Error {}

let ended = null;

/** Starts the program, and hands it the source of the locks; ends(sentence) is called if it ends. */
export async function startGo(module, ends) {
  const go = new globalThis.Go();
  const instance = await WebAssembly.instantiate(await module, go.importObject);
  const over = (why) => {
    ended = why;
    ends(why);
  };
  go.run(instance).then(
    () => over('The program of the page has ended.'),
    (error) => over('The program of the page has failed: ' + error.message));
  call({do: 'sources', files: sources});
}

/** Asks the program, and returns its answer. It throws Broken if there is none. */
export function call(request) {
  if (ended) throw new Broken(ended);
  const answer = JSON.parse(globalThis.doorway.call(JSON.stringify(request)));
  if (answer.panic) throw new Broken('The program of the page panicked: ' + answer.panic);
  return answer;
}
