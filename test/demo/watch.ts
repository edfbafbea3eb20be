/** What the demo's watcher looks for: earthquakes of some magnitude around Anchorage. */
export const WATCH = {
  stream: 'week',
  consumer: 'anchorage',
  center: { lat: 61.22, lon: -149.9 },
  radiusKm: 500,
  magnitude: 2.5,
};

/** As the service takes it: a filter value and a place, both of them. */
export const WATCHED = {
  'x-stream-filter': magnitudeValue(WATCH.magnitude),
  'geo-within-radius': { ...WATCH.center, radius_km: WATCH.radiusKm },
};

/** Filter values are equal or not, so a magnitude is given as all the halves it reaches: `m0,m0.5,m1` for 1.2. */
export function magnitudeValues(magnitude: number): string {
  const halves = Math.max(Math.floor(magnitude * 2), 0);
  return Array.from({ length: halves + 1 }, (_, half) => magnitudeValue(half / 2)).join(',');
}

function magnitudeValue(magnitude: number): string {
  return `m${magnitude}`;
}
