import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RoomFactSchema, type RoomFact } from '@parley/contracts/internal'
import { nextVersion } from '@parley/events'
import { newId } from '@parley/ids'

export type Change = NonNullable<MessageInitShape<typeof RoomFactSchema>['fact']>

/** The actor is empty for the system. */
export type Cause = { actorId: string; at: Date }

export function roomFact(
  previousVersion: bigint,
  change: Change,
  cause: Cause,
  version = nextVersion(previousVersion, cause.at),
): RoomFact {
  return create(RoomFactSchema, {
    version,
    previousVersion,
    eventId: newId('event'),
    occurredAt: timestampFromDate(cause.at),
    actorId: cause.actorId,
    fact: change,
  })
}

export function roomFacts(previousVersion: bigint, changes: readonly Change[], cause: Cause): RoomFact[] {
  let version = previousVersion
  return changes.map((change) => {
    const fact = roomFact(version, change, cause)
    version = fact.version
    return fact
  })
}

/** With `userId`, excludes facts about other users. */
export const isFactOf =
  (kinds: readonly RoomFact['fact']['case'][], userId?: string) =>
  ({ fact }: RoomFact): boolean =>
    kinds.includes(fact.case) &&
    (userId === undefined || fact.value === undefined || !('userId' in fact.value) || fact.value.userId === userId)

/** The call of such a change succeeds only once its event is on the stream. */
export function takesAccessAway(fact: RoomFact): boolean {
  const { fact: change } = fact
  switch (change.case) {
    case 'left':
    case 'banned':
    case 'archived':
    case 'moved':
      return true
    case 'universal':
      return !change.value.universal
    default:
      return false
  }
}
