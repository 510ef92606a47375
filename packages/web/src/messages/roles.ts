import type { Role } from '@parley/client/contract'
import { text } from './texts.ts'

/** Names and descriptions that the server gives to the built-in roles. */
const builtIn = {
  everyone: { displayName: 'Everyone', description: 'Held by every account.' },
  moderator: { displayName: 'Moderator', description: 'Keeps conversations in order.' },
  admin: { displayName: 'Admin', description: 'Manages the server, its rooms and its accounts.' },
  owner: { displayName: 'Owner', description: 'May do everything.' },
} as const

const findBuiltIn = (name: string) => (Object.hasOwn(builtIn, name) ? (name as keyof typeof builtIn) : undefined)

/** The name of a built-in role is translated, unless it has been changed on the server. */
export function roleName({ name, displayName }: Pick<Role, 'name'> & Partial<Pick<Role, 'displayName'>>): string {
  const known = findBuiltIn(name)
  const isUnchanged = known && (displayName === undefined || displayName === builtIn[known].displayName)
  return isUnchanged ? text(`role.${known}`) : displayName || name
}

export function roleDescription({ name, description }: Pick<Role, 'name' | 'description'>): string {
  const known = findBuiltIn(name)
  return known && description === builtIn[known].description ? text(`role.${known}.description`) : description
}
