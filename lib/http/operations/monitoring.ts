/** What the description says of metrics, the overview, and who is asking. */
import * as z from 'zod';
import { grantsOf } from '../../core/access/permission.ts';
import { entityOf, jsonAnswerOf, OF_STORE, type Operation } from '../openapi/operation.ts';
import { lazy } from '../schemas/lazy.ts';
import { timeValue } from '../schemas/log-values.ts';

const exposition = lazy(() => z.string().describe('Families of metrics, named `varve_…`.'));

const overview = lazy(() =>
  z.object({
    version: z.string().describe('Of the service.'),
    started_at: timeValue('When it was started'),
    store: z.enum(['embedded', 'aws']).describe('Which kind of store it runs on.'),
    streams: z.object({
      count: z.int().min(0).describe('How many there are, counted up to 1000.'),
      has_more: z.boolean().describe('There are more than were counted.'),
    }),
    connections: z.int().min(0).describe('Open ones, this one included.'),
  }),
);

const whoami = lazy(() =>
  z.object({
    principal: z.literal('anyone').describe('Without tokens, whoever reaches the service.'),
    permissions: z.array(z.enum(grantsOf({ kind: 'anyone' }))),
  }),
);

export const metricsOperation: Operation = {
  id: 'getMetrics',
  tag: 'Service',
  summary: 'Show metrics',
  description:
    'Counters, gauges and histograms in the text format of Prometheus. They begin at 0 with the process. No label names a stream.',
  answers: {
    200: { description: 'As they stand.', content: { 'text/plain': { schema: exposition } } },
  },
  errors: [],
  example: {},
};

export const overviewOperation: Operation = {
  id: 'getOverview',
  tag: 'Service',
  summary: 'Show the service at a glance',
  description: 'Its version and store, and how much there is.',
  answers: { 200: jsonAnswerOf('The service.', overview) },
  errors: OF_STORE,
  example: {},
};

export const whoamiOperation: Operation = {
  id: 'getWhoami',
  tag: 'Service',
  summary: 'Ask who is asking',
  description: 'Who the service takes the caller for, and what that one may do.',
  ...entityOf('The caller.', whoami),
  errors: [],
  example: {},
};
