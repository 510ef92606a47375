import { consumeEvents, type ConsumerOptions, type EventPreparation } from '@parley/events'
import { Resources } from '@parley/runtime'
import type { Context } from '../context.ts'
import { onDeparture } from './departures.ts'
import { onMessage } from './messages.ts'
import { onRead } from './reads.ts'
import { onRetraction } from './retractions.ts'

type Listening = Pick<ConsumerOptions, 'bus' | 'db' | 'service'>

/** Listens to what is said in rooms and to what people read. */
export async function startConsumers(ctx: Context, listening: Listening): Promise<AsyncDisposable> {
  await using opened = new Resources()
  opened.use(
    await consumeEvents({
      ...{ ...listening, durable: 'rooms', subject: 'evt.room.>' },
      kinds: ['message_posted', 'mentions_resolved', 'message_retracted', 'user_left_room', 'member_banned'],
      prepare: onRoomEvent(ctx),
    }),
  )
  opened.use(
    await consumeEvents({
      ...{ ...listening, durable: 'readers', subject: 'evt.reader.>' },
      kinds: ['room_marked_as_read', 'thread_marked_as_read'],
      on: onRead(ctx),
    }),
  )
  return opened.move()
}

function onRoomEvent(ctx: Context): EventPreparation {
  const message = onMessage(ctx)
  const retraction = onRetraction(ctx)
  const departure = onDeparture(ctx)
  return async (event) => {
    switch (event.fact.case) {
      case 'messageRetracted':
        return retraction(event)
      case 'roomFact':
        return (tx) => departure(event, tx)
      default:
        return message(event)
    }
  }
}
