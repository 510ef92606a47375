import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RoomFactSchema, type RoomFact } from '@parley/contracts/internal'
import { newId } from '@parley/ids'

/** What a change of a room says of itself. */
export type Change = NonNullable<MessageInitShape<typeof RoomFactSchema>['fact']>

/** Who changed something and when; the actor is empty for the system. */
export type Cause = { actorId: string; at: Date }

export function roomFact(version: bigint, change: Change, cause: Cause): RoomFact {
  return create(RoomFactSchema, {
    version,
    eventId: newId('event'),
    occurredAt: timestampFromDate(cause.at),
    actorId: cause.actorId,
    fact: change,
  })
}

/** Tells facts of these kinds, of a user's where they are about one. */
export const factsOf =
  (kinds: readonly RoomFact['fact']['case'][], userId?: string) =>
  ({ fact }: RoomFact): boolean =>
    kinds.includes(fact.case) &&
    (userId === undefined || fact.value === undefined || !('userId' in fact.value) || fact.value.userId === userId)

/** Changes that take access away: their calls succeed only when everybody can have heard of it. */
export function takesAccessAway(fact: RoomFact): boolean {
  const { fact: change } = fact
  switch (change.case) {
    case 'left':
    case 'banned':
    case 'archived':
    // The group it comes to may deny what the one before allowed.
    case 'moved':
      return true
    case 'universal':
      return !change.value.universal
    default:
      return false
  }
}
