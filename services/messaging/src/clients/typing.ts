import type { MessageInitShape } from '@bufbuild/protobuf'
import { TypingHintSchema } from '@parley/contracts/internal'
import { typingHintSubject } from '@parley/events'
import { encode } from '@parley/protobuf'
import type { Bus } from '@parley/rpc'

type Hint = { roomId: string } & Extract<MessageInitShape<typeof TypingHintSchema>, { $typeName?: never }>

/** Sends a hint to the realtime nodes over core NATS; lost while the bus is down. */
export type NotifyTyping = (hint: Hint) => void

export const notifyTyping =
  ({ nc }: Bus): NotifyTyping =>
  (hint) =>
    nc.publish(typingHintSubject(hint.roomId), encode(TypingHintSchema, hint))
