import type { Policy } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { findHandles, possibleHandles } from '../../domain/mentions/find-handles.ts'
import { noMentions, type FoundMentions } from '../../domain/mentions/mentioned.ts'

/** Handles that mention everyone in the room, or all who are not offline. They are never logins or names of roles. */
const everyone = new Set(['all', 'here'])
const loginPattern = /^[a-z0-9][a-z0-9._-]{0,31}$/

/** Never throws: if the call of the service `accounts` fails, `pending` is true. */
export async function findMentions(ctx: Pick<Context, 'handles' | 'policy'>, body: string): Promise<FoundMentions> {
  const handles = findHandles(body)
  if (handles.length === 0) return noMentions
  const roles = rolesByName(ctx.policy())
  const roleNames = handles.flatMap((handle) => possibleHandles(handle).find((name) => roles.has(name)) ?? [])
  const candidates = handles.map((handle) =>
    possibleHandles(handle).filter((name) => loginPattern.test(name) && !everyone.has(name) && !roles.has(name)),
  )
  const found = await ctx.handles.resolve([...new Set(candidates.flat())])
  const users = candidates.flatMap((alternatives) => {
    const handle = alternatives.find((name) => found?.has(name))
    return (handle !== undefined && found?.get(handle)) || []
  })
  const has = (word: string) => handles.some((handle) => possibleHandles(handle).includes(word))
  return {
    users: [...new Map(users.map((user) => [user.userId, user])).values()],
    roleIds: [...new Set(roleNames.flatMap((name) => roles.get(name) ?? []))],
    all: has('all'),
    here: has('here'),
    pending: found === undefined,
  }
}

const rolesByName = (policy: Policy): ReadonlyMap<string, string | undefined> =>
  new Map([...policy.roles.values()].map(({ id, name, pingable }) => [name, pingable ? id : undefined]))
