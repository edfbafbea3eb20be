/** `/health/live`: the process answers. `/health/ready`: its store does too. */
import { listStreams } from '../../services/list-streams.ts';
import { jsonAnswer } from '../answer.ts';
import { liveOperation, readyOperation } from '../operations/service.ts';
import type { Route } from '../route.ts';

export const healthRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health/live',
    permission: 'open',
    operation: liveOperation,
    handle: (request) => jsonAnswer(request, { status: 'live' }),
  },
  {
    method: 'GET',
    path: '/health/ready',
    permission: 'open',
    operation: readyOperation,
    async handle(request) {
      await listStreams(request.components, { prefix: '', startAfter: '', limit: 1 });
      return jsonAnswer(request, { status: 'ready' });
    },
  },
];
