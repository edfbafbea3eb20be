/** `POST /v1/streams/{s}/read-plan`: URLs by which a reader fetches stored objects past the service. */
import { planRead } from '../../services/plan-read.ts';
import { jsonAnswer } from '../answer.ts';
import { readJsonObject } from '../control-body.ts';
import { refuseQuery } from '../no-query.ts';
import { PLAN_BYTES_DEFAULT, planSchema, readPlanOperation } from '../operations/read-plan.ts';
import { validate } from '../query.ts';
import { gapMembers } from '../render/page-answer.ts';
import { type Route, streamParam } from '../route.ts';
import { startRequest } from '../schemas/read-parameters.ts';

export const readPlanRoute: Route = {
  method: 'POST',
  path: '/v1/streams/:stream/read-plan',
  permission: 'read',
  operation: readPlanOperation,
  async handle(request) {
    refuseQuery(request.raw.url);
    const members = (await readJsonObject(request)) ?? {};
    const parameters = validate(members, planSchema);
    const { gap, streamId, objects, expiresMs, ...rest } = await planRead(request.components, {
      stream: streamParam(request),
      ...startRequest(parameters),
      bytesMax: parameters.max_bytes ?? PLAN_BYTES_DEFAULT,
    });
    return jsonAnswer(request, {
      ...rest,
      ...(gap && { gap: gapMembers(gap) }),
      stream_id: streamId,
      expires_at: expiresMs,
      objects: objects.map(({ kind, start, end, timeBelowMs, url }) => {
        return { kind, start, end, timestamp_below: timeBelowMs, url };
      }),
    });
  },
};
