/**
 * The earthquakes that the demo publishes: the USGS records of one week (public domain, shipped by
 * the package vega-datasets), repeated week after week with ids and times of their own.
 */
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

interface Feature {
  readonly id: string;
  readonly properties: { readonly time: number; readonly updated: number };
}

export interface Quake {
  readonly magnitude: number;
  readonly place: string;
  readonly at: { readonly lat: number; readonly lon: number };
}

/** Of the body of a message. */
export function parseQuake(body: string): Quake {
  const { properties, geometry } = JSON.parse(body);
  const [lon = Number.NaN, lat = Number.NaN]: number[] = geometry.coordinates;
  return { magnitude: properties.mag ?? 0, place: properties.place, at: { lat, lon } };
}

const EARTH_KM = 6371;

/** By the angle between two directions from the centre of the earth. */
export function distanceKm(a: Quake['at'], b: Quake['at']): number {
  const [from, to] = [direction(a), direction(b)];
  const cosine = from.reduce((sum, part, axis) => sum + part * (to[axis] ?? 0), 0);
  return EARTH_KM * Math.acos(Math.min(Math.max(cosine, -1), 1));
}

function direction({ lat, lon }: Quake['at']): readonly number[] {
  const [up, around] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180];
  return [Math.cos(up) * Math.cos(around), Math.cos(up) * Math.sin(around), Math.sin(up)];
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

export interface Quakes {
  /** Records of the original week. */
  readonly count: number;
  /** The body of the message with this offset: always the same bytes. */
  body(offset: number): string;
}

export async function loadQuakes(): Promise<Quakes> {
  // The package exports its code only; the data lies beside it.
  const packageFile = findPackageJSON('vega-datasets', import.meta.url) ?? '';
  const file = join(dirname(packageFile), 'data', 'earthquakes.json');
  const { features }: { features: Feature[] } = JSON.parse(await readFile(file, 'utf8'));
  // Oldest first, as a seismograph would have reported them.
  features.sort((a, b) => a.properties.time - b.properties.time);
  return {
    count: features.length,
    body: (offset) => {
      const week = Math.floor(offset / features.length);
      const feature = features[offset % features.length];
      if (feature === undefined) throw new Error(`no earthquake for offset ${offset}`);
      const { properties } = feature;
      const shifted = {
        ...feature,
        id: `${feature.id}-week-${week}`,
        properties: {
          ...properties,
          time: properties.time + week * WEEK_MS,
          updated: properties.updated + week * WEEK_MS,
        },
      };
      return JSON.stringify(shifted);
    },
  };
}
