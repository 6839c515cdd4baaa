// The line below a picture: what its letters and tints mean, and the way back to what is selected.
import {element, set} from 'doorway/dom.js';
import {eventOf, phaseLetter, phaseMeaning, selection} from 'doorway/history.js';

/**
 * Makes the line below a picture. Of the phases, always are explained from the start, and others when there was one.
 * What it returns, update(model, history), brings it up to date.
 */
export function makeFoot(root, act, always = [], others = []) {
  const make = (phase) => element('li', {title: phaseMeaning(phase)},
    element('b', {class: 'phase-' + phase}, phaseLetter(phase) || 'R'), phase === 'two' ? ' two inside' : ' ' + phase);
  const later = others.map((phase) => ({phase, item: make(phase)}));
  const items = [...always.map(make), ...later.map(({item}) => item)];
  const legend = element('ul', {class: 'foot-legend', 'aria-label': 'Letters', hidden: items.length === 0}, ...items);
  const back = element('button', {type: 'button'}, 'Go back to here');
  root.append(element('div', {class: 'foot'}, legend, back));
  return (model, history) => {
    for (const {phase, item} of later) item.hidden = !history.seen.has(phase);
    const event = eventOf(history, selection(model).event);
    const goes = event && event.choice < model.view.made;
    set(back, {
      class: goes ? 'foot-back' : 'foot-back gone', // its room stays, so that nothing moves below the pointer
      title: goes ? 'after ' + event.text : null,
      click: () => {
        act.to(event.choice);
        root.querySelector('[tabindex="0"]')?.focus({preventScroll: true}); // as the button goes
      },
    });
  };
}
