// Which rows of a long picture are visible, so that only those are elements. It follows the end, until it is
// scrolled back.

const spare = 5; // rows above and below the visible ones

/** Watches a scroller of rows of one height below a head that stays; draw is called when other rows are visible. */
export function makeScroll(scroller, head, high, draw) {
  const s = {follows: true, frame: 0};
  const redraw = () => {
    if (scroller.clientHeight > 0) draw(); // else it is hidden, maybe as the run is one of another kind
  };
  const follow = () => {
    if (s.follows) scroller.scrollTop = scroller.scrollHeight;
  };
  scroller.onscroll = () => {
    s.follows = scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - high;
    s.frame ||= requestAnimationFrame(() => {
      s.frame = 0;
      redraw();
    });
  };
  new ResizeObserver(() => {
    follow();
    redraw();
  }).observe(scroller);
  return {
    /** Scrolls to the end if it was there before; anew: in any case. */
    follow(anew) {
      s.follows ||= anew;
      follow();
    },

    /** Scrolls to a row, if it is not to be seen. */
    reveal(row) {
      const top = scroller.scrollTop;
      const room = scroller.clientHeight - (head?.offsetHeight ?? 0);
      const above = row * high < top;
      if (!above && (row + 1) * high <= top + room) return;
      scroller.scrollTop = above ? Math.max(0, row * high - room / 3) : (row + 1) * high - (2 * room) / 3;
      s.follows = false; // until it is known whether this is the end
    },

    /** The first row to draw of so many, and the one after the last. */
    visible(count) {
      follow(); // it may have come into sight
      const top = Math.max(0, Math.floor(scroller.scrollTop / high) - spare);
      return [top, Math.min(count, top + Math.ceil(scroller.clientHeight / high) + 2 * spare)];
    },
  };
}

/** The row to which a key leads from another; undefined: it is none of these keys. */
export function rowByKey(key, row, count) {
  const to = {ArrowUp: row - 1, ArrowDown: row + 1, Home: 0, End: count - 1, PageUp: row - 10, PageDown: row + 10}[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}
