/** Who set which fencing token: each call takes effect at most once, and never after its answer. */
import type { Tail } from '../../../lib/aws/tail-item.ts';
import type { StreamId } from '../../../lib/core/log/ids.ts';
import { demand } from './violation.ts';

export interface TokenCall {
  readonly streamId: StreamId;
  readonly token: string | undefined;
  /** It may still take effect. */
  isOpen: boolean;
  /** It had no effect and will have none. */
  isVoid: boolean;
}

export class TokenHistory {
  readonly #calls: TokenCall[] = [];
  readonly #changes: Pick<TokenCall, 'streamId' | 'token'>[] = [];

  begin(streamId: StreamId, token: string | undefined): TokenCall {
    const call = { streamId, token, isOpen: true, isVoid: false };
    this.#calls.push(call);
    return call;
  }

  changed({ streamId, fencingToken: token }: Tail): void {
    this.#changes.push({ streamId, token });
    const isSame = (one: Pick<TokenCall, 'streamId' | 'token'>) =>
      one.streamId === streamId && one.token === token;
    const calls = this.#calls.filter((call) => isSame(call) && !call.isVoid);
    const what = () => `${token} of ${streamId}, which nobody is setting`;
    demand(
      calls.some(({ isOpen }) => isOpen),
      'TOKEN_SET_TWICE',
      what,
    );
    demand(this.#changes.filter(isSame).length <= calls.length, 'TOKEN_SET_TWICE', what);
  }
}
