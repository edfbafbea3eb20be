/** `POST /v1/exchanges/{x}/messages` (SPEC X2-X4, X7, X8, X11, D13). */
import { publishToExchange } from '../../services/publish-to-exchange.ts';
import { jsonAnswer } from '../answer.ts';
import { parsePublish } from '../body/parse-publish.ts';
import {
  mergeOptions,
  parseExchangeQuery,
  publisherClaim,
  refuseStreamOptions,
} from '../body/publish-options.ts';
import { readBody } from '../body/read-body.ts';
import { publishExchangeOperation } from '../operations/exchanges.ts';
import { exchangeAnswerMembers, failuresOf } from '../render/exchange-answer.ts';
import { exchangeParam, faultFields, type Route, type RouteRequest } from '../route.ts';

export const exchangePublishRoute: Route = {
  method: 'POST',
  path: '/v1/exchanges/:exchange/messages',
  permission: 'write',
  operation: publishExchangeOperation,
  handle: publish,
};

async function publish(request: RouteRequest): Promise<Response> {
  const query = parseExchangeQuery(request.raw.url);
  const exchange = exchangeParam(request);
  const body = await readBody(request.raw, request.bodies);
  try {
    const { headers } = request.raw;
    const { built, options: given } = parsePublish(body.bytes, { headers, query });
    const options = mergeOptions(query, given);
    refuseStreamOptions(options);
    const publisher = publisherClaim(options, built);
    const answer = await publishToExchange(request.components, {
      exchange,
      batch: built.batch,
      delayed: built.delayed,
      ...(publisher && { publisher }),
      takeTurn: () => request.turns.pages.take(),
    });
    // The answer is no problem, so nobody else would tell the operators.
    for (const error of failuresOf(answer)) {
      request.telemetry.error('destination_failed', { ...faultFields(request), exchange, error });
    }
    return jsonAnswer(request, exchangeAnswerMembers(answer));
  } finally {
    body.release();
  }
}
