import type { MessageInitShape } from '@bufbuild/protobuf'
import { PresenceHintSchema } from '@parley/contracts/internal'
import { presenceHintSubject } from '@parley/events'
import { encode } from '@parley/protobuf'
import type { Bus } from '@parley/rpc'
import type { Audiences } from './audiences.ts'

export type Hint = { userId: string } & Extract<MessageInitShape<typeof PresenceHintSchema>, { $typeName?: never }>
/** `crowded`: so many people are online that only the user's audience is notified. */
export type Announce = (hints: readonly Hint[], crowded: boolean) => Promise<void>

/**
 * Publishes hints over core NATS, which does not store them. In a crowd, a hint contains its recipients. If the service
 * `rooms` is unavailable and the recipients are not cached, everybody is notified. Resolves when the bus has received
 * the hints.
 */
export const presenceAnnouncer =
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
