import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
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

export type IdKind = keyof typeof prefixes

const digits = 14

/** A new identifier: the kind's letter and 14 random base62 digits. Readers must treat it as opaque. */
export function newId(kind: IdKind): string {
  return prefixes[kind] + randomBase62(digits)
}

/**
 * The room id of the direct message between these people. It depends only on the set of people and the key of the
 * installation, not on order or duplicates, so a set of people has one such room, and the id cannot be computed without
 * the key.
 */
export function dmRoomId(key: Uint8Array, userIds: readonly string[]): string {
  return roomIdFrom(createHmac('sha256', key), userIds)
}

/** The room id without a key, as it was derived in earlier releases. */
export function unkeyedDmRoomId(userIds: readonly string[]): string {
  return roomIdFrom(createHash('sha256'), userIds)
}

function roomIdFrom(hash: Hash | Hmac, userIds: readonly string[]): string {
  if (userIds.length === 0) throw new RangeError('a direct message needs at least one participant')
  for (const userId of [...new Set(userIds)].sort()) hash.update(userId).update('\0')
  return prefixes.room + base62(BigInt(`0x${hash.digest('hex')}`), digits)
}

/**
 * An identifier computed from its parts. A repeated attempt to create the same thing gets the same id.
 */
export function derivedId(kind: IdKind, ...parts: readonly string[]): string {
  const hash = createHash('sha256').update(kind)
  for (const part of parts) hash.update('\0').update(part)
  return prefixes[kind] + base62(BigInt(`0x${hash.digest('hex')}`), digits)
}
