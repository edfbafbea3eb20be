/** `/offsets`, `/trim` and `/purge` of a stream: what of it is retained, asked and changed. */
import { resolveOffset } from '../../services/resolve-offset.ts';
import { purgeStream, trimStream } from '../../services/trim-stream.ts';
import { jsonAnswer } from '../answer.ts';
import { readControlBody, refuseBody } from '../control-body.ts';
import { refuseQuery } from '../no-query.ts';
import {
  offsetsOperation,
  purgeOperation,
  trimOperation,
  trimSchema,
} from '../operations/retained-range.ts';
import { parseQuery } from '../query.ts';
import { gapMembers } from '../render/page-answer.ts';
import { type Route, streamParam } from '../route.ts';
import { startRequest, startSchema } from '../schemas/read-parameters.ts';

export const retainedRangeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/streams/:stream/offsets',
    permission: 'read',
    operation: offsetsOperation,
    async handle(request) {
      const parameters = parseQuery(request.raw.url, startSchema);
      const stream = streamParam(request);
      const { gap, streamId, ...rest } = await resolveOffset(request.components, {
        stream,
        ...startRequest(parameters),
      });
      const value = { ...rest, ...(gap && { gap: gapMembers(gap) }), stream_id: streamId };
      return jsonAnswer(request, value);
    },
  },
  {
    method: 'POST',
    path: '/v1/streams/:stream/trim',
    permission: 'configure',
    operation: trimOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const { before } = await readControlBody(request, trimSchema);
      return jsonAnswer(
        request,
        await trimStream(request.components, streamParam(request), before),
      );
    },
  },
  {
    method: 'POST',
    path: '/v1/streams/:stream/purge',
    permission: 'configure',
    operation: purgeOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      await refuseBody(request);
      return jsonAnswer(request, await purgeStream(request.components, streamParam(request)));
    },
  },
];
