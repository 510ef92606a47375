import type { MessageInitShape } from '@bufbuild/protobuf'
import { PresenceHintSchema } from '@parley/contracts/internal'
import { presenceHintSubject } from '@parley/events'
import { encode } from '@parley/protobuf'
import type { Bus } from '@parley/rpc'
import type { Audiences } from './audiences.ts'

export type Hint = { userId: string } & Extract<MessageInitShape<typeof PresenceHintSchema>, { $typeName?: never }>
/** `crowded`: too many people are online to notify all of them. */
export type Announce = (hints: readonly Hint[], crowded: boolean) => Promise<void>

/**
 * Announces presence changes to nodes over core NATS; hints are not stored. If many people are online, a hint names its
 * recipients, unless rooms does not provide them. Resolves when the bus has accepted the hints.
 */
export const announcePresence =
  (bus: Bus, audiences: Pick<Audiences, 'of'>): Announce =>
  async (hints, crowded) => {
    const others = crowded ? await audiences.of(hints.map(({ userId }) => userId)) : undefined
    for (const hint of hints) {
      const known = others?.get(hint.userId)
      const audience = known && { crowded, audience: [hint.userId, ...known] }
      const bytes = encode(PresenceHintSchema, { ...hint, ...audience })
      bus.nc.publish(presenceHintSubject(hint.userId), bytes)
    }
    await bus.nc.flush()
  }
