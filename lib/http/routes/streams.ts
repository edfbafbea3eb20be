/** `/v1/streams` and `/v1/streams/{s}`: declare, describe, change, delete, list. */
import { z } from 'zod';
import { parseSettings } from '../../core/log/settings.ts';
import { changeStream } from '../../services/change-stream.ts';
import { declareStream } from '../../services/declare-stream.ts';
import { deleteStream } from '../../services/delete-stream.ts';
import { describeStream, type StreamDescription } from '../../services/describe-stream.ts';
import { listStreams } from '../../services/list-streams.ts';
import { invalid, LogError, streamNotFound } from '../../services/log-error.ts';
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import type { JsonObject } from '../body/json-body.ts';
import { readJsonObject } from '../control-body.ts';
import { parseListQuery } from '../list-query.ts';
import { refuseQuery } from '../no-query.ts';
import { parseQuery } from '../query.ts';
import { type Route, streamParam } from '../route.ts';

const PATH = '/v1/streams/:stream';
const deleteSchema = z.strictObject({ if_exists: z.boolean().optional() });

export const streamRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/streams',
    permission: 'read',
    async handle({ raw, components, requestId }) {
      const { items, hasMore } = await listStreams(components, parseListQuery(raw.url));
      return jsonAnswer({ items: items.map(entryMembers), has_more: hasMore }, { requestId });
    },
  },
  {
    method: 'PUT',
    path: PATH,
    permission: 'configure',
    mayLackStream: () => true,
    async handle(request) {
      const { components, requestId } = request;
      refuseQuery(request.raw.url);
      const name = streamParam(request);
      const members = await readJsonObject(request);
      // Null means the default also here, as it does in a change.
      const wanted = members && settingsOf(members).settings;
      const { created, description } = await declareStream(components, name, wanted);
      return jsonAnswer(descriptionMembers(description), {
        status: created ? 201 : 200,
        requestId,
      });
    },
  },
  {
    method: 'GET',
    path: PATH,
    permission: 'read',
    async handle(request) {
      refuseQuery(request.raw.url);
      const description = await describeStream(request.components, streamParam(request));
      return jsonAnswer(descriptionMembers(description), request);
    },
  },
  {
    method: 'PATCH',
    path: PATH,
    permission: 'configure',
    async handle(request) {
      refuseQuery(request.raw.url);
      const name = streamParam(request);
      const members = await readJsonObject(request);
      if (members === undefined) throw invalid('the body', 'give the settings to change as JSON');
      const description = await changeStream(request.components, name, settingsOf(members));
      return jsonAnswer(descriptionMembers(description), request);
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    permission: 'configure',
    mayLackStream: () => true,
    async handle(request) {
      const { if_exists = false } = parseQuery(request.raw.url, deleteSchema, new Set());
      const name = streamParam(request);
      const removed = await deleteStream(request.components, name);
      if (!(removed || if_exists)) throw streamNotFound(name);
      return emptyAnswer(request.requestId);
    },
  },
];

function settingsOf(members: JsonObject) {
  const parsed = parseSettings(members);
  if (parsed.kind === 'ok') return parsed;
  const { code, field, reason } = parsed;
  throw new LogError(reason, { code, details: { field } });
}

type EntryDescription = Pick<
  StreamDescription,
  'name' | 'streamId' | 'createdMs' | 'settings' | 'effectiveSettings'
>;

function entryMembers(entry: EntryDescription) {
  const { name, streamId, createdMs, settings, effectiveSettings } = entry;
  return {
    name,
    stream_id: streamId,
    created_at: createdMs,
    settings,
    effective_settings: effectiveSettings,
  };
}

function descriptionMembers(description: StreamDescription) {
  const { first, next, messages, bytes, segments, oldestMs } = description;
  return { ...entryMembers(description), first, next, messages, bytes, segments, oldest: oldestMs };
}
