/**
 * Says of blocks by their summaries whether a filtered reader can pass them over. Never passes over a message that
 * matches (SPEC F7); a block without a match may be read in vain.
 */
import type { FilterPart, GeoBox, GeoPoint, MessageFilter } from '../core/filter/filter.ts';
import { type BlockSummary, mayHoldHeader, mayHoldValue } from './block-summary.ts';

/** False only when no message of the block is wanted. */
export type BlockFilter = (summary: BlockSummary) => boolean;

/** Some 0.1 m: what rounding could amount to when distances are compared. */
const MARGIN_DEGREES = 1e-6;
const KM_PER_DEGREE = (6371.0 * Math.PI) / 180;
const LAT_MAX = 90;
const LON_MAX = 180;
const TURN = 360;

/** To be made once for many blocks. */
export function createBlockFilter(filter: MessageFilter): BlockFilter {
  const parts = filter.parts.map(partFilter);
  const isAny = filter.match === 'any' && parts.length > 0;
  return (summary) => {
    if (filter.matchUnfiltered && summary.hasUnfiltered) return true;
    const holds = (part: BlockFilter) => part(summary);
    return isAny ? parts.some(holds) : parts.every(holds);
  };
}

function partFilter(part: FilterPart): BlockFilter {
  switch (part.kind) {
    case 'value':
      return (summary) => mayHoldValue(summary, part.value);
    case 'header':
      return (summary) => mayHoldHeader(summary, part.name, part.text);
    case 'box':
      return touching([part.box]);
    case 'polygon':
      return touching([boxAround(part.points)]);
    case 'radius':
      return touching(boxesOf(part.center, part.radiusKm));
  }
}

/** Bounds are no place: that they touch does not mean that a message lies there. */
function touching(boxes: readonly GeoBox[]): BlockFilter {
  return ({ bounds }) => bounds !== undefined && boxes.some((box) => touches(box, bounds));
}

function touches(a: GeoBox, b: GeoBox): boolean {
  return (
    a.minLat <= b.maxLat && b.minLat <= a.maxLat && a.minLon <= b.maxLon && b.minLon <= a.maxLon
  );
}

function boxAround(points: readonly GeoPoint[]): GeoBox {
  const [lats, lons] = [points.map(({ lat }) => lat), points.map(({ lon }) => lon)];
  return {
    minLat: Math.min(...lats),
    maxLat: Math.max(...lats),
    minLon: Math.min(...lons),
    maxLon: Math.max(...lons),
  };
}

/** Boxes that hold the circle: two when it lies over the antimeridian, all longitudes when it holds a pole. */
function boxesOf({ lat, lon }: GeoPoint, radiusKm: number): readonly GeoBox[] {
  const reach = radiusKm / KM_PER_DEGREE + MARGIN_DEGREES;
  const [minLat, maxLat] = [lat - reach, lat + reach];
  const holdsPole = minLat <= -LAT_MAX || maxLat >= LAT_MAX;
  const width = holdsPole ? LON_MAX : widthDegrees(lat, reach);
  const whole = { minLat, maxLat, minLon: lon - width, maxLon: lon + width };
  return [-TURN, 0, TURN].map((turn) => {
    return { ...whole, minLon: whole.minLon + turn, maxLon: whole.maxLon + turn };
  });
}

/** The widest the circle is to either side: at a latitude a little nearer to the pole than its centre. */
function widthDegrees(lat: number, reach: number): number {
  const sine = Math.sin(radians(reach)) / Math.cos(radians(lat));
  return sine >= 1 ? LON_MAX : (Math.asin(sine) * 180) / Math.PI + MARGIN_DEGREES;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
