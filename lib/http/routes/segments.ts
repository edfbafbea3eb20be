/** `GET /v1/streams/{s}/segments`: what retention keeps or drops as a whole. */
import { LIST_LIMIT_DEFAULT } from '../../core/log/limits.ts';
import { listSegments } from '../../services/list-segments.ts';
import { jsonAnswer } from '../answer.ts';
import { segmentsOperation, segmentsQuerySchema } from '../operations/segments.ts';
import { parseQuery } from '../query.ts';
import { segmentMembers } from '../render/segment-members.ts';
import { type Route, streamParam } from '../route.ts';

export const segmentsRoute: Route = {
  method: 'GET',
  path: '/v1/streams/:stream/segments',
  permission: 'read',
  operation: segmentsOperation,
  async handle(request) {
    const { from = 0, limit = LIST_LIMIT_DEFAULT } = parseQuery(
      request.raw.url,
      segmentsQuerySchema,
    );
    const { segments, next, streamId } = await listSegments(
      request.components,
      streamParam(request),
      { from, limit },
    );
    return jsonAnswer(request, {
      segments: segments.map(segmentMembers),
      next: next ?? null,
      stream_id: streamId,
    });
  },
};
