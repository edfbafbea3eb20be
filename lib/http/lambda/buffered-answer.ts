/**
 * An answer as a function returns it where it is handed over as a whole. The runtime writes the result as
 * JSON of at most 6 MB, in which every quote takes two bytes: base64 is taken where that is shorter.
 */
import { isUtf8 } from 'node:buffer';
import type { AnswerHeaders } from '../answer.ts';

export interface BufferedAnswer {
  readonly statusCode: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** What the body of a result may have, as it is encoded: the rest of 6 MB is for headers (SPEC LR4). */
const ENCODED_BYTES_MAX = 5.5 * 1024 * 1024;

/** Three bytes are four in base64, and no body is encoded longer than that. */
export const BUFFERED_BODY_BYTES_MAX = (ENCODED_BYTES_MAX / 4) * 3;

export async function bufferAnswer(answer: Response): Promise<BufferedAnswer> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    ...encodeBody(bytes),
  };
}

function encodeBody(bytes: Buffer): Pick<BufferedAnswer, 'body' | 'isBase64Encoded'> {
  const encodedLength = Math.ceil(bytes.length / 3) * 4;
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    const isShorter = Buffer.byteLength(JSON.stringify(text)) - 2 <= encodedLength;
    if (isShorter) return { body: text, isBase64Encoded: false };
  }
  return { body: bytes.toString('base64'), isBase64Encoded: true };
}
