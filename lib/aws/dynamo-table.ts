/**
 * The table on DynamoDB: single reads and writes. Reads are strongly consistent, updates answer with the
 * item after them, refusals with the item as it is, so that no protocol step needs a read of its own.
 */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { AwsCalls } from './aws-call.ts';
import type { AwsMetrics } from './aws-metrics.ts';
import { decodeItem, encodeItem, encodeKey } from './dynamo-attribute.ts';
import { createBatches } from './dynamo-batch.ts';
import { expressionInput } from './dynamo-request.ts';
import { createTransact } from './dynamo-transaction.ts';
import type { Item, QueryRequest, Repeat, Table, WriteResult } from './table.ts';

export interface DynamoOptions {
  readonly client: () => DynamoDBClient;
  readonly table: string;
  readonly calls: AwsCalls;
  readonly metrics: AwsMetrics;
}

/** What an answer says of the capacity it used. */
interface Charged {
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number | undefined } | undefined;
}

export function createDynamoTable(options: DynamoOptions): Table {
  return {
    ...createReads(options),
    ...createWrites(options),
    ...createBatches(options),
    transact: createTransact(options),
  };
}

function createReads(options: DynamoOptions): Pick<Table, 'get' | 'query'> {
  const { client, table, calls, metrics } = options;
  const getItem = calls.operation('dynamodb', 'GetItem');
  const queryItems = calls.operation('dynamodb', 'Query');
  const charge = ({ ConsumedCapacity }: Charged) =>
    metrics.readUnits.add(ConsumedCapacity?.CapacityUnits ?? 0);
  return {
    async get(key) {
      const command = new GetItemCommand({
        TableName: table,
        Key: encodeKey(key),
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
      });
      const answer = await getItem({
        effect: 'none',
        send: (abortSignal) => client().send(command, { abortSignal }),
      });
      charge(answer);
      return answer.Item === undefined ? undefined : decodeItem(answer.Item);
    },

    async query(request) {
      if (isEmptyRange(request)) return { items: [] };
      const command = new QueryCommand({ TableName: table, ...queryInput(request) });
      const answer = await queryItems({
        effect: 'none',
        send: (abortSignal) => client().send(command, { abortSignal }),
      });
      charge(answer);
      const items = (answer.Items ?? []).map(decodeItem);
      const next = answer.LastEvaluatedKey?.['s']?.S;
      return next === undefined ? { items } : { items, next };
    },
  };
}

function createWrites(options: DynamoOptions): Pick<Table, 'update' | 'put' | 'delete'> {
  const { client, table, calls, metrics } = options;
  const updateItem = calls.operation('dynamodb', 'UpdateItem');
  const putItem = calls.operation('dynamodb', 'PutItem');
  const deleteItem = calls.operation('dynamodb', 'DeleteItem');
  const fixed = {
    TableName: table,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  const done = ({ ConsumedCapacity }: Charged, item?: Item): WriteResult => {
    metrics.writeUnits.add(ConsumedCapacity?.CapacityUnits ?? 0);
    return item === undefined ? { kind: 'done' } : { kind: 'done', item };
  };
  return {
    update(request, repeat) {
      const command = new UpdateItemCommand({
        ...fixed,
        Key: encodeKey(request.key),
        UpdateExpression: request.update,
        ReturnValues: 'ALL_NEW',
        ...expressionInput(request, request.update),
      });
      return updateItem({
        ...written(repeat),
        async send(abortSignal) {
          const answer = await client().send(command, { abortSignal });
          return done(answer, decodeItem(answer.Attributes ?? {}));
        },
      });
    },

    put(request, repeat) {
      const command = new PutItemCommand({
        ...fixed,
        Item: encodeItem(request.item),
        ...expressionInput(request),
      });
      return putItem({
        ...written(repeat),
        send: async (abortSignal) => done(await client().send(command, { abortSignal })),
      });
    },

    delete(request, repeat) {
      const command = new DeleteItemCommand({
        ...fixed,
        Key: encodeKey(request.key),
        ...expressionInput(request),
      });
      return deleteItem({
        ...written(repeat),
        send: async (abortSignal) => done(await client().send(command, { abortSignal })),
      });
    },
  };
}

function written(repeat: Repeat) {
  const effect = repeat === 'once' ? 'once' : 'repeatable';
  return { effect, refusal: refusedWrite } as const;
}

function refusedWrite(error: unknown): { readonly answer: WriteResult } | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) return undefined;
  const { Item: item } = error;
  if (item === undefined) return { answer: { kind: 'refused' } };
  return { answer: { kind: 'refused', item: decodeItem(item) } };
}

/** DynamoDB refuses a range that ends before it begins. */
function isEmptyRange({ from, to }: QueryRequest): boolean {
  return from !== undefined && to !== undefined && Buffer.compare(bytes(from), bytes(to)) > 0;
}

function bytes(sortKey: string): Buffer {
  return Buffer.from(sortKey);
}

function queryInput(request: QueryRequest): Omit<QueryCommandInput, 'TableName'> {
  const { k, from, to, descending = false, limit, page } = request;
  const { ConditionExpression, ...names } = expressionInput({
    condition: `#k = :k${sortKeyCondition(request)}`,
    values: {
      ':k': { S: k },
      ...(from === undefined ? {} : { ':first': { S: from } }),
      ...(to === undefined ? {} : { ':last': { S: to } }),
    },
  });
  return {
    KeyConditionExpression: ConditionExpression,
    ...names,
    ConsistentRead: true,
    ScanIndexForward: !descending,
    ReturnConsumedCapacity: 'TOTAL',
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(page === undefined ? {} : { ExclusiveStartKey: encodeKey({ k, s: page }) }),
  };
}

function sortKeyCondition({ from, to }: QueryRequest): string {
  if (from === undefined) return to === undefined ? '' : ' AND #s <= :last';
  return to === undefined ? ' AND #s >= :first' : ' AND #s BETWEEN :first AND :last';
}
