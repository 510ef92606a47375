import { createHash } from 'node:crypto'
import { base62, randomBase62 } from './random.ts'

const prefixes = {
  user: 'U',
  room: 'R',
  group: 'G',
  link: 'L',
  call: 'C',
  asset: 'A',
  event: 'E',
  notification: 'N',
  credential: 'S',
  role: 'O',
  invite: 'I',
} as const

/** What an identifier names. */
export type IdKind = keyof typeof prefixes

const digits = 14

/** A new identifier: the kind's letter and 14 random base62 digits. Readers must treat it as opaque. */
export function newId(kind: IdKind): string {
  return prefixes[kind] + randomBase62(digits)
}

/**
 * The room id of the direct conversation between these people. It depends on the set alone, not on order or
 * repetition, so a set of people has one conversation whoever starts it.
 */
export function dmRoomId(userIds: readonly string[]): string {
  if (userIds.length === 0) throw new RangeError('a direct conversation needs at least one participant')
  const hash = createHash('sha256')
  for (const userId of [...new Set(userIds)].sort()) hash.update(userId).update('\0')
  return prefixes.room + base62(BigInt(`0x${hash.digest('hex')}`), digits)
}

/**
 * An identifier that is the same whenever it is made of the same parts, for what may be begun twice before anything of it
 * is stored.
 */
export function derivedId(kind: IdKind, ...parts: readonly string[]): string {
  const hash = createHash('sha256').update(kind)
  for (const part of parts) hash.update('\0').update(part)
  return prefixes[kind] + base62(BigInt(`0x${hash.digest('hex')}`), digits)
}
