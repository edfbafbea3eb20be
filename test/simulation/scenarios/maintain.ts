/** Work beside requests, as services and maintainers do it, here at any moment and all at once. */
import { collectObjects } from '../../../lib/aws/collect-objects.ts';
import type { KnownStream } from '../../../lib/aws/known-stream.ts';
import { mintUlid } from '../../../lib/aws/mint-ulid.ts';
import { evictPublishers } from '../../../lib/aws/publisher-side.ts';
import { removeDropped } from '../../../lib/aws/remove-dropped.ts';
import { sealSegments } from '../../../lib/aws/seal-segments.ts';
import { spillWhile } from '../../../lib/aws/spill-refs.ts';
import { decodeGrave, sweepGrave } from '../../../lib/aws/sweep-streams.ts';
import { GRAVES } from '../../../lib/aws/table-key.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

export async function spill(stage: Stage): Promise<void> {
  const kept = stage.chance.below(3);
  await onStream(stage, async ({ context }, stream) => {
    await spillWhile(context, stream, ({ refs }) => refs.length > kept);
  });
}

export async function seal(stage: Stage): Promise<void> {
  await onStream(stage, ({ context }, stream) => sealSegments(context, stream));
}

export async function evict(stage: Stage): Promise<void> {
  await onStream(stage, ({ context }, stream) => evictPublishers(context, stream));
}

export async function remove(stage: Stage): Promise<void> {
  await onStream(stage, ({ context }, stream) => removeDropped(context, stream));
}

/** Without any grace: that is for readers outside, not for safety. */
export async function collect(stage: Stage): Promise<void> {
  await onStream(stage, async ({ context }, stream) => {
    await collectObjects(context, stream, mintUlid(context));
  });
}

export async function sweep(stage: Stage): Promise<void> {
  await stage.call(async ({ context }) => {
    const { items } = await context.table.query({ k: GRAVES });
    for (const grave of items.map(decodeGrave)) await sweepGrave(context, grave);
  });
}

/** Whatever is due. */
export async function maintain(stage: Stage): Promise<void> {
  await stage.call(({ maintenance }) => maintenance.run(new AbortController().signal));
}

async function onStream(
  stage: Stage,
  work: (service: Service, stream: KnownStream) => Promise<void>,
): Promise<void> {
  const name = stage.stream();
  await stage.call(async (service) => {
    const stream = await service.context.streams.load(name);
    if (stream !== undefined) await work(service, stream);
  });
}
