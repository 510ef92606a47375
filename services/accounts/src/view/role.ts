import type { Policy } from '@parley/auth'

/** Roles are shown by name, by position; one that was deleted meanwhile is left out. */
export const roleNamesOf = (roleIds: readonly string[], policy: Policy): string[] =>
  roleIds
    .flatMap((id) => policy.roles.get(id) ?? [])
    .sort((a, b) => a.position - b.position)
    .map(({ name }) => name)
