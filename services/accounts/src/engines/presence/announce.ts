import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { PresenceHintSchema } from '@parley/contracts/internal'
import { presenceHintSubject } from '@parley/events'
import type { Bus } from '@parley/rpc'
import type { Audiences } from './audiences.ts'

export type Hint = { userId: string } & Extract<MessageInitShape<typeof PresenceHintSchema>, { $typeName?: never }>
/** `crowded`: so many people are there that not everybody is told. */
export type Announce = (hints: readonly Hint[], crowded: boolean) => Promise<void>

/**
 * Tells nodes who came and went, over core NATS: hints are not stored. In a crowd a hint names whom it is for, unless rooms
 * does not say. Resolves when the bus has taken them.
 */
export const announcePresence =
  (bus: Bus, audiences: Pick<Audiences, 'of'>): Announce =>
  async (hints, crowded) => {
    const others = crowded ? await audiences.of(hints.map(({ userId }) => userId)) : undefined
    for (const hint of hints) {
      const known = others?.get(hint.userId)
      const audience = known && { crowded, audience: [hint.userId, ...known] }
      const bytes = toBinary(PresenceHintSchema, create(PresenceHintSchema, { ...hint, ...audience }))
      bus.nc.publish(presenceHintSubject(hint.userId), bytes)
    }
    await bus.nc.flush()
  }
