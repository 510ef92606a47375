import type { Role } from '@parley/client/contract'
import { text } from './texts.ts'

/** What the server calls the roles that every server has, until somebody calls them otherwise. */
const builtIn = {
  everyone: { displayName: 'Everyone', description: 'Held by every account.' },
  moderator: { displayName: 'Moderator', description: 'Keeps conversations in order.' },
  admin: { displayName: 'Admin', description: 'Manages the server, its rooms and its accounts.' },
  owner: { displayName: 'Owner', description: 'May do everything.' },
} as const

const builtInNamed = (name: string) => (Object.hasOwn(builtIn, name) ? (name as keyof typeof builtIn) : undefined)

/** What a role is called in the language that is spoken, as far as that is known. */
export function roleName({ name, displayName }: Pick<Role, 'name'> & Partial<Pick<Role, 'displayName'>>): string {
  const known = builtInNamed(name)
  const isAsBuilt = known && (displayName === undefined || displayName === builtIn[known].displayName)
  return isAsBuilt ? text(`role.${known}`) : displayName || name
}

/** What a role is for. */
export function roleDescription({ name, description }: Pick<Role, 'name' | 'description'>): string {
  const known = builtInNamed(name)
  return known && description === builtIn[known].description ? text(`role.${known}.description`) : description
}
