import { consumeEvents, type ConsumerOptions } from '@parley/events'
import { Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { onCredentialsEnded } from './credentials.ts'
import { onReads } from './reads.ts'
import { isUrgent, onRoomEvents } from './room-events.ts'

type Listening = Pick<ConsumerOptions, 'bus' | 'db' | 'service'>

/** Events in one transaction: few, so that transactions that need all shards do not wait long. */
const maxAtOnce = 32

export async function startConsumers(ctx: Context, listening: Listening): Promise<AsyncDisposable> {
  await using opened = new Resources()
  opened.use(
    await consumeEvents({
      ...{ ...listening, durable: 'rooms', subject: 'evt.room.>' },
      kinds: ['message_posted', 'mentions_resolved', 'message_retracted', 'user_left_room', 'member_banned'],
      batches: { pace: { maxAtOnce, pauseMs: 100 }, isUrgent, beforeTransaction: onRoomEvents(ctx) },
    }),
  )
  opened.use(
    await consumeEvents({
      ...{ ...listening, durable: 'readers', subject: 'evt.reader.>' },
      kinds: ['room_marked_as_read', 'thread_marked_as_read'],
      batches: { pace: { maxAtOnce, pauseMs: 20 }, on: onReads(ctx) },
    }),
  )
  opened.use(
    await consumeEvents({
      ...{ ...listening, durable: 'credentials', subject: 'evt.control.user.*.credentials_ended' },
      beforeTransaction: onCredentialsEnded(ctx),
    }),
  )
  return opened.move()
}
