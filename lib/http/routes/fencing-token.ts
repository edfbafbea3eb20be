/** `/v1/streams/{s}/fencing-token` (SPEC P5). */
import { z } from 'zod';
import { FENCING_TOKEN_BYTES_MAX } from '../../core/log/limits.ts';
import { setFencingToken, showFencingToken } from '../../services/set-fencing-token.ts';
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import { readControlBody } from '../control-body.ts';
import { refuseQuery } from '../no-query.ts';
import { type Route, streamParam } from '../route.ts';

const PATH = '/v1/streams/:stream/fencing-token';
const bodySchema = z.strictObject({
  fencing_token: z.string().min(1).max(FENCING_TOKEN_BYTES_MAX),
});

export const fencingTokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: PATH,
    permission: 'read',
    async handle(request) {
      refuseQuery(request.raw.url);
      const token = await showFencingToken(request.components, streamParam(request));
      return jsonAnswer({ fencing_token: token ?? null }, request);
    },
  },
  {
    method: 'PUT',
    path: PATH,
    permission: 'configure',
    async handle(request) {
      refuseQuery(request.raw.url);
      const stream = streamParam(request);
      const { fencing_token } = await readControlBody(request, bodySchema);
      const replaced = await setFencingToken(request.components, stream, fencing_token);
      return jsonAnswer(
        { fencing_token },
        { status: replaced ? 200 : 201, requestId: request.requestId },
      );
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    permission: 'configure',
    async handle(request) {
      refuseQuery(request.raw.url);
      await setFencingToken(request.components, streamParam(request), undefined);
      return emptyAnswer(request.requestId);
    },
  },
];
