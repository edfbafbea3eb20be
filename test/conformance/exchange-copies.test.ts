/** `CC` and `BCC`: routed like the key, and what readers see of them. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { told } from '../support/publish-steps.ts';
import {
  bind,
  countsIn,
  declareExchange,
  declareStreams,
  fanout,
  messagesIn,
  send,
  takers,
} from '../support/routing-steps.ts';

describe('copies', () => {
  test('X4: copies go where the key goes, and readers see CC alone', async ({ api }) => {
    await declareStreams(api, 'k', 'a', 'b');
    await declareExchange(api, 'e', { type: 'direct' });
    for (const key of ['k', 'a', 'b']) await bind(api, ['e', key], { key });
    const headers = { CC: ['a', 'k'], BCC: ['b'], x: 1 };
    expect(await takers(api, 'e', { routing_key: 'k', headers })).toEqual(['a', 'b', 'k']);
    for (const stream of ['k', 'a', 'b']) {
      expect(await messagesIn(api, stream)).toMatchObject([{ headers: { CC: ['a', 'k'], x: 1 } }]);
      for (const as of ['json', 'ndjson', 'text', 'binary', 'sse', 'cloudevents']) {
        for (const filter of ['', '&filter={"x":1}']) {
          const path = `/v1/streams/${stream}/messages?as=${as}&limit=1${filter}`;
          const { text } = await api.call(`GET ${path}`);
          expect(text).not.toContain('BCC');
          expect(text).not.toContain('"b"');
        }
      }
    }
  });

  test('X4 P10: however its name is written, alone or twice, BCC is not shown', async ({ api }) => {
    await declareStreams(api, 'b', 'c');
    await declareExchange(api, 'e', { type: 'direct' });
    for (const key of ['b', 'c']) await bind(api, ['e', key], { key });
    const written = [
      '{"B\\u0043C":["b"]}',
      '{"a":1,"\\u0042CC":["b"],"z":"BCC"}',
      '{"BCC":["c"],"BC\\u0043":["b"]}',
    ];
    const headers = { 'content-type': 'application/json' };
    for (const text of written) {
      const body = `{"messages":[{"text":"m","routing_key":"x","headers":${text}}]}`;
      await api.call('POST /v1/exchanges/e/messages', { body, headers });
    }
    const shown = (await messagesIn(api, 'b')).map((message) => message['headers']);
    expect(shown).toEqual([undefined, { a: 1, z: 'BCC' }, undefined]);
    expect(await countsIn(api, 'c')).toEqual([0]);
  });

  test.for([{ CC: 'a' }, { CC: [1] }, { BCC: {} }, { CC: ['a'.repeat(256)] }])(
    'X4: headers %j are refused, and nothing stored',
    async (headers, { api }) => {
      await fanout(api, 'q');
      expect(told(await send(api, 'e', { headers }))).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
      expect(await countsIn(api, 'q')).toEqual([0]);
    },
  );
});
