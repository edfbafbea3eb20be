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
