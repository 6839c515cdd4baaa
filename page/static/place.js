// Where messages in transit are drawn in the network: on the way from sender to receiver, and not upon each other.

const steps = [0, 0.08, -0.08, 0.16, -0.16, 0.24, -0.24, 0.32, -0.32, 0.4, -0.4];
const tries = [1, 2.6, -1].flatMap((side) => steps.map((step) => ({side, step})));

/** How far a message has come, from 0 to 1. */
export function progress(transit, sent, now) {
  const [from, to, at] = [sent?.at, transit.due, now].map(parseFloat);
  const part = (at - from) / (to - from);
  return Number.isFinite(part) ? Math.max(0, Math.min(1, part)) : 0.3;
}

/**
 * Places messages, given as {key, from, to, part} with the points of sender and receiver, and adds x and y. Each keeps
 * a distance of apart from nodes and from those before it, as far as there is room. Those that pass each other
 * keep to the right.
 */
export function place(messages, nodes, apart, node) {
  const placed = [];
  for (const m of messages) {
    let best = null;
    for (const {side, step} of tries) {
      const spot = onWay(m, Math.max(0.18, Math.min(0.82, 0.2 + 0.6 * m.part + step)), side * apart * 0.3);
      spot.free = room(spot, placed, nodes, apart, node);
      if (!best || spot.free > best.free + 0.01) best = spot;
      if (best.free >= 1) break;
    }
    placed.push(Object.assign(m, {x: best.x, y: best.y}));
  }
  return messages;
}

/** Where a label beside a glyph of radius r covers the least: at the right, the left, below or above. */
export function labelSpot(m, wide, r, obstacles, width) {
  const spots = [
    {x: r + 3, y: 4, 'text-anchor': 'start'}, {x: -r - 3, y: 4, 'text-anchor': 'end'},
    {x: 0, y: r + 13, 'text-anchor': 'middle'}, {x: 0, y: -r - 5, 'text-anchor': 'middle'},
  ];
  const covered = (spot) => {
    const left = m.x + spot.x - {start: 0, end: wide, middle: wide / 2}[spot['text-anchor']];
    const middle = m.y + spot.y - 4;
    const meets = (o) => o.x + o.r > left && o.x - o.r < left + wide && Math.abs(o.y - middle) < o.r + 6;
    return obstacles.filter(meets).length + (left < 0 || left + wide > width ? 3 : 0);
  };
  return spots.reduce((best, spot) => (covered(spot) < covered(best) ? spot : best));
}

/** The spot at a part of the way, to the side of the straight line. */
function onWay({from, to}, part, side) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  return {x: from.x + dx * part - (dy / length) * side, y: from.y + dy * part + (dx / length) * side};
}

/** How much room a spot has, as a part of what it should have: 1 is enough. */
function room(spot, placed, nodes, apart, node) {
  let least = 1;
  for (const p of placed) least = Math.min(least, Math.hypot(p.x - spot.x, p.y - spot.y) / apart);
  for (const n of nodes) least = Math.min(least, Math.hypot(n.x - spot.x, n.y - spot.y) / (node + apart / 2));
  return least;
}
