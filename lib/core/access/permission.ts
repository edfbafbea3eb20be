/**
 * Who may do what (SPEC A5). Every route names the permission it needs, and is refused before it is
 * known whether the resource exists. Until tokens are built the one principal is whoever reaches the
 * server, which therefore listens on loopback only (SPEC A6).
 */

/** `open` needs none: health and the description of the service itself. */
export type Permission = 'configure' | 'read' | 'write' | 'open';

export type Principal = { readonly kind: 'anyone' };

export function permits(principal: Principal, permission: Permission): boolean {
  switch (principal.kind) {
    case 'anyone':
      return ['configure', 'read', 'write', 'open'].includes(permission);
  }
}
