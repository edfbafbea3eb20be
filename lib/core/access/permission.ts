/**
 * Who may do what (SPEC A5, A8). Every route names the permission it needs, and is refused before it is
 * known whether the resource exists. Until tokens are built the one principal is whoever reaches the
 * server, which therefore listens on loopback only (SPEC A6).
 */

/** What a principal can be granted; `monitoring` sees how the service does, and no message. */
const GRANTS = ['configure', 'write', 'read', 'monitoring'] as const;

export type Grant = (typeof GRANTS)[number];

/** `open` needs no grant: health and the description of the service itself. */
export type Permission = Grant | 'open';

export type Principal = { readonly kind: 'anyone' };

export function permits(principal: Principal, permission: Permission): boolean {
  return permission === 'open' || grantsOf(principal).includes(permission);
}

export function grantsOf(principal: Principal): readonly Grant[] {
  switch (principal.kind) {
    case 'anyone':
      return GRANTS;
  }
}
