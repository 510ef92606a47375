/** Scopes at which a decision may be stored. */
export type ScopeKind = 'server' | 'group' | 'room'

const everywhere = ['server', 'group', 'room'] as const
const serverOnly = ['server'] as const

const definitions = [
  ['server.manage', serverOnly],
  ['room.create', ['server', 'group']],
  ['room.join', everywhere],
  ['room.list', everywhere],
  ['room.manage', everywhere],
  ['room.ban-member', everywhere],
  ['message.post', everywhere],
  ['message.post-in-thread', everywhere],
  ['message.attach', everywhere],
  ['message.manage', everywhere],
  ['message.react', everywhere],
  ['message.echo', everywhere],
  ['role.manage', serverOnly],
  ['role.assign', serverOnly],
  ['admin.view-users', serverOnly],
  ['admin.view-audit', serverOnly],
  ['user.delete-any', serverOnly],
  ['user.delete-self', serverOnly],
  ['user.manage-accounts', serverOnly],
  ['user.manage-permissions', serverOnly],
] as const satisfies readonly (readonly [string, readonly ScopeKind[]])[]

export type Permission = (typeof definitions)[number][0]

export type PermissionInfo = { readonly permission: Permission; readonly scopes: readonly ScopeKind[] }

/** In the order of matrices, explanations and grants. */
export const permissions: readonly PermissionInfo[] = definitions.map(([permission, scopes]) => ({
  permission,
  scopes,
}))

const scopesOf: ReadonlyMap<string, readonly ScopeKind[]> = new Map(
  permissions.map(({ permission, scopes }) => [permission, scopes]),
)

export function isPermission(text: string): text is Permission {
  return scopesOf.has(text)
}

/** Whether a decision about the permission may be stored at that kind of scope; false for unknown permissions. */
export function appliesAt(permission: string, kind: ScopeKind): boolean {
  return scopesOf.get(permission)?.includes(kind) ?? false
}
