/** `/v1/streams/{s}/fencing-token` (SPEC P5). */
import { setFencingToken, showFencingToken } from '../../services/set-fencing-token.ts';
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import { readControlBody } from '../control-body.ts';
import { jsonEntityAnswer } from '../entity.ts';
import { refuseQuery } from '../no-query.ts';
import {
  fencingTokenSchema,
  removeFencingTokenOperation,
  setFencingTokenOperation,
  showFencingTokenOperation,
} from '../operations/fencing-token.ts';
import { type Route, streamParam } from '../route.ts';

const PATH = '/v1/streams/:stream/fencing-token';

export const fencingTokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: PATH,
    permission: 'read',
    operation: showFencingTokenOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const token = await showFencingToken(request.components, streamParam(request));
      return jsonEntityAnswer(request, { fencing_token: token ?? null });
    },
  },
  {
    method: 'PUT',
    path: PATH,
    permission: 'configure',
    operation: setFencingTokenOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const stream = streamParam(request);
      const { fencing_token } = await readControlBody(request, fencingTokenSchema);
      const replaced = await setFencingToken(request.components, stream, fencing_token);
      return jsonAnswer(request, { fencing_token }, { status: replaced ? 200 : 201 });
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    permission: 'configure',
    operation: removeFencingTokenOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      await setFencingToken(request.components, streamParam(request), undefined);
      return emptyAnswer(request);
    },
  },
];
