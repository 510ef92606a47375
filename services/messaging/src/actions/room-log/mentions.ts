import type { Policy } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { findHandles, readings } from '../../domain/mentions/find-handles.ts'
import { nobody, type Mentioned } from '../../domain/mentions/mentioned.ts'

/** Handles that name everyone in the room; nobody's login and no role's name. */
const everyone = new Set(['all', 'here'])
const possible = /^[a-z0-9][a-z0-9._-]{0,31}$/

/** Resolves the mentions of a text. Never fails: if accounts does not answer, the users are resolved later. */
export async function findMentioned(ctx: Pick<Context, 'handles' | 'policy'>, body: string): Promise<Mentioned> {
  const handles = findHandles(body)
  if (handles.length === 0) return nobody
  const roles = rolesByName(ctx.policy())
  const named = handles.flatMap((handle) => readings(handle).find((reading) => roles.has(reading)) ?? [])
  const candidates = handles.map((handle) =>
    readings(handle).filter((reading) => possible.test(reading) && !everyone.has(reading) && !roles.has(reading)),
  )
  const found = await ctx.handles.resolve([...new Set(candidates.flat())])
  const users = candidates.flatMap((alternatives) => {
    const handle = alternatives.find((reading) => found?.has(reading))
    return (handle !== undefined && found?.get(handle)) || []
  })
  const has = (word: string) => handles.some((handle) => readings(handle).includes(word))
  return {
    users: [...new Map(users.map((user) => [user.userId, user])).values()],
    roleIds: [...new Set(named.flatMap((name) => roles.get(name) ?? []))],
    all: has('all'),
    here: has('here'),
    pending: found === undefined,
  }
}

/** Every role's name, with its id if messages may mention it. */
const rolesByName = (policy: Policy): ReadonlyMap<string, string | undefined> =>
  new Map([...policy.roles.values()].map(({ id, name, pingable }) => [name, pingable ? id : undefined]))
