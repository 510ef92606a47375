import { bitsOf, type Bits } from './bits.ts'

/** Not granted in a direct message, regardless of decisions; for owners, {@link neverInDmForOwners} applies instead. */
export const neverInDm: Bits = bitsOf(
  'room.create',
  'room.manage',
  'room.ban-member',
  'message.manage',
  'message.echo',
  'message.post-in-thread',
)

/** Not even owners have these in a direct message. */
export const neverInDmForOwners: Bits = bitsOf('message.post-in-thread')

/** Granted in a direct message if there is no decision. */
export const defaultInDm: Bits = bitsOf('room.join', 'message.post', 'message.attach', 'message.react')
