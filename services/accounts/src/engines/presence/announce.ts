import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { PresenceHintSchema } from '@parley/contracts/internal'
import { presenceHintSubject } from '@parley/events'
import type { Bus } from '@parley/rpc'

export type Hint = { userId: string } & Extract<MessageInitShape<typeof PresenceHintSchema>, { $typeName?: never }>
export type Announce = (hints: readonly Hint[]) => Promise<void>

/** Tells nodes who came and went, over core NATS: hints are not stored. Resolves when the bus has taken them. */
export const announcePresence =
  (bus: Bus): Announce =>
  async (hints) => {
    for (const hint of hints)
      bus.nc.publish(presenceHintSubject(hint.userId), toBinary(PresenceHintSchema, create(PresenceHintSchema, hint)))
    await bus.nc.flush()
  }
