// Checks every schedule beside the page. It stands behind wasm_exec.js in the Blob of a Worker, and is ended by
// terminate(): a check that is cancelled stops at once, whatever it is about.

'use strict';

self.onmessage = async ({data: {module, text}}) => {
  try {
    const go = new Go();
    self.doorwayProgress = (doing, states) => self.postMessage({doing, states});
    go.run(await WebAssembly.instantiate(module, go.importObject)).then(() => {
      self.postMessage({broken: 'The check ended before its time.'});
    });
    self.postMessage({checked: JSON.parse(self.doorway.call(JSON.stringify({do: 'check', text})))});
  } catch (error) {
    self.postMessage({broken: error.message});
  }
};
