/** `POST /v1/streams/{s}/messages` */
import { publishMessages } from '../../services/publish-messages.ts';
import { jsonAnswer } from '../answer.ts';
import { parsePublish } from '../body/parse-publish.ts';
import { mergeOptions, parsePublishQuery, publisherClaim } from '../body/publish-options.ts';
import { readBody } from '../body/read-body.ts';
import { publishOperation } from '../operations/publish.ts';
import { publishMembers } from '../render/publish-answer.ts';
import { type Route, type RouteRequest, streamParam } from '../route.ts';

export const publishRoute: Route = {
  method: 'POST',
  path: '/v1/streams/:stream/messages',
  permission: 'write',
  operation: publishOperation,
  // A look only, since the parameters may be what is at fault.
  mayLackStream: ({ raw }) => /[?&]create(?:[=&]|$)/.test(raw.url),
  handle: publish,
};

async function publish(request: RouteRequest): Promise<Response> {
  const query = parsePublishQuery(request.raw.url);
  const stream = streamParam(request);
  const body = await readBody(request.raw, request.bodies);
  try {
    const { built, options: given } = parsePublish(body.bytes, {
      headers: request.raw.headers,
      query,
    });
    const options = mergeOptions(query, given);
    const publisher = publisherClaim(options, built);
    const answer = await publishMessages(request.components, {
      stream,
      batch: built.batch,
      delayed: built.delayed,
      ...(publisher && { publisher }),
      ...(options.expected_offset !== undefined && { expectedOffset: options.expected_offset }),
      ...(options.fencing_token !== undefined && { fencingToken: options.fencing_token }),
      create: query.create ?? false,
    });
    return jsonAnswer(request, publishMembers(answer));
  } finally {
    body.release();
  }
}
