/** `/metrics` and `/v1/overview`: how the service does, without a message of it (SPEC A8). */
import { showOverview } from '../../services/show-overview.ts';
import { answerHeaders, jsonAnswer } from '../answer.ts';
import { refuseQuery } from '../no-query.ts';
import { metricsOperation, overviewOperation } from '../operations/monitoring.ts';
import { EXPOSITION_TYPE } from '../prometheus-meter.ts';
import type { Route } from '../route.ts';

export const monitoringRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/metrics',
    permission: 'monitoring',
    operation: metricsOperation,
    // Takes any parameter: a scraper may send some of its own.
    handle(request) {
      const text = request.metrics.exposition();
      return new Response(text, {
        headers: answerHeaders(request, { 'content-type': EXPOSITION_TYPE }),
      });
    },
  },
  {
    method: 'GET',
    path: '/v1/overview',
    permission: 'monitoring',
    operation: overviewOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const { about, components, metrics } = request;
      const { streams } = await showOverview(components);
      return jsonAnswer(request, {
        version: about.version,
        started_at: about.startedMs,
        store: about.store,
        streams: { count: streams.count, has_more: streams.hasMore },
        connections: metrics.connections.value(),
      });
    },
  },
];
