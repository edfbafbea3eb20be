/** `/v1/whoami`: who the service takes the caller for, and what that one may do. */
import { grantsOf } from '../../core/access/permission.ts';
import { jsonEntityAnswer } from '../entity.ts';
import { refuseQuery } from '../no-query.ts';
import { whoamiOperation } from '../operations/monitoring.ts';
import { ANYONE, type Route } from '../route.ts';

export const whoamiRoute: Route = {
  method: 'GET',
  path: '/v1/whoami',
  permission: 'open',
  operation: whoamiOperation,
  handle(request) {
    refuseQuery(request.raw.url);
    return jsonEntityAnswer(request, { principal: ANYONE.kind, permissions: grantsOf(ANYONE) });
  },
};
