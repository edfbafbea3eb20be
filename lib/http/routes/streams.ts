/** `/v1/streams` and `/v1/streams/{s}`: declare, describe, change, delete, list. */
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
import { jsonEntityAnswer } from '../entity.ts';
import { parseListQuery } from '../list-query.ts';
import { refuseQuery } from '../no-query.ts';
import {
  changeStreamOperation,
  declareStreamOperation,
  deleteQuerySchema,
  deleteStreamOperation,
  describeStreamOperation,
  listStreamsOperation,
} from '../operations/streams.ts';
import { parseQuery } from '../query.ts';
import { holderMembers, retentionMembers } from '../render/segment-members.ts';
import { type Route, streamParam } from '../route.ts';

const PATH = '/v1/streams/:stream';

export const streamRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/streams',
    permission: 'read',
    operation: listStreamsOperation,
    async handle(request) {
      const query = parseListQuery(request.raw.url);
      const { items, hasMore } = await listStreams(request.components, query);
      return jsonEntityAnswer(request, { items: items.map(entryMembers), has_more: hasMore });
    },
  },
  {
    method: 'PUT',
    path: PATH,
    permission: 'configure',
    operation: declareStreamOperation,
    mayLackStream: () => true,
    async handle(request) {
      refuseQuery(request.raw.url);
      const name = streamParam(request);
      const members = await readJsonObject(request);
      // Null means the default also here, as it does in a change.
      const wanted = members && settingsOf(members).settings;
      const { created, description } = await declareStream(request.components, name, wanted);
      const status = created ? 201 : 200;
      return jsonAnswer(request, descriptionMembers(description), { status });
    },
  },
  {
    method: 'GET',
    path: PATH,
    permission: 'read',
    operation: describeStreamOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const description = await describeStream(request.components, streamParam(request));
      return jsonEntityAnswer(request, descriptionMembers(description));
    },
  },
  {
    method: 'PATCH',
    path: PATH,
    permission: 'configure',
    operation: changeStreamOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const name = streamParam(request);
      const members = await readJsonObject(request);
      if (members === undefined) throw invalid('the body', 'give the settings to change as JSON');
      const description = await changeStream(request.components, name, settingsOf(members));
      return jsonAnswer(request, descriptionMembers(description));
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    permission: 'configure',
    operation: deleteStreamOperation,
    mayLackStream: () => true,
    async handle(request) {
      const { if_exists = false } = parseQuery(request.raw.url, deleteQuerySchema);
      const name = streamParam(request);
      const removed = await deleteStream(request.components, name);
      if (!(removed || if_exists)) throw streamNotFound(name);
      return emptyAnswer(request);
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
  const { first, next, messages, bytes, segments, oldestMs, retention } = description;
  return {
    ...entryMembers(description),
    first,
    next,
    messages,
    bytes,
    segments,
    oldest: oldestMs,
    held_by: holderMembers(retention),
    retention: retentionMembers(retention),
  };
}
