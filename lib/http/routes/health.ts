/** `/health/live`: the process answers. `/health/ready`: its store does too. */
import { listStreams } from '../../services/list-streams.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../route.ts';

export const healthRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health/live',
    permission: 'open',
    handle: (request) => jsonAnswer({ status: 'live' }, request),
  },
  {
    method: 'GET',
    path: '/health/ready',
    permission: 'open',
    async handle(request) {
      await listStreams(request.components, { prefix: '', startAfter: '', limit: 1 });
      return jsonAnswer({ status: 'ready' }, request);
    },
  },
];
