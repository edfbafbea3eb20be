/** What a reader wants of a stream, as parsed (SPEC F1-F5, G2-G4). No filter at all is none of these. */

export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

/** Inclusive on all edges; lat -90 … 90, lon -180 … 180. */
export interface GeoBox {
  readonly minLat: number;
  readonly maxLat: number;
  readonly minLon: number;
  readonly maxLon: number;
}

export type FilterPart =
  /** One of the message's filter values, compared exactly. */
  | { readonly kind: 'value'; readonly value: string }
  /** A header whose value, written as text, is this one. */
  | { readonly kind: 'header'; readonly name: string; readonly text: string }
  | { readonly kind: 'radius'; readonly center: GeoPoint; readonly radiusKm: number }
  | { readonly kind: 'box'; readonly box: GeoBox }
  /** At least three; the last edge closes it. */
  | { readonly kind: 'polygon'; readonly points: readonly GeoPoint[] };

export interface MessageFilter {
  readonly match: 'all' | 'any';
  /** None matches every message, as `all`. */
  readonly parts: readonly FilterPart[];
  /** A message without the header of filter values passes whatever the parts say (SPEC F5). */
  readonly matchUnfiltered: boolean;
}
