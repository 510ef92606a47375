import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { TypingHintSchema } from '@parley/contracts/internal'
import { typingHintSubject } from '@parley/events'
import type { Bus } from '@parley/rpc'

type Hint = { roomId: string } & Extract<MessageInitShape<typeof TypingHintSchema>, { $typeName?: never }>

/** Tells nodes who types where, over core NATS: nothing of it is stored, and it is lost when the bus is. */
export type TellTyping = (hint: Hint) => void

export const tellTyping =
  ({ nc }: Bus): TellTyping =>
  (hint) =>
    nc.publish(typingHintSubject(hint.roomId), toBinary(TypingHintSchema, create(TypingHintSchema, hint)))
