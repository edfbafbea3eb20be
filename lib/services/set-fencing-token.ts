/** Shows, sets and takes away the token that fences off earlier writers (SPEC P5). */
import type { StreamName } from '../core/log/ids.ts';
import type { Components } from './components.ts';
import { loadStream } from './load-stream.ts';
import { streamNotFound } from './log-error.ts';

export async function showFencingToken(
  components: Components,
  stream: StreamName,
): Promise<string | undefined> {
  return (await loadStream(components, stream)).fencingToken;
}

/** `undefined` takes the token away. Answers whether there was one before. */
export async function setFencingToken(
  components: Components,
  stream: StreamName,
  token: string | undefined,
): Promise<boolean> {
  const { streamId, fencingToken } = await loadStream(components, stream);
  const isSet = await components.log.setFencingToken(streamId, token);
  if (!isSet) throw streamNotFound(stream);
  return fencingToken !== undefined;
}
