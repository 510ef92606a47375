import { create, toBinary } from '@bufbuild/protobuf'
import { EventBatchSchema } from '@parley/contracts/internal'
import { connectToStream } from './stream-connection.ts'

/** The ids of the recipients make up most of an event's size, about 40 KB. */
const recipients = Array.from({ length: 1_000 }, (_, n) => `nobody-${String(n).padStart(32, '0')}`)

export async function fillStream(bytes: number): Promise<void> {
  const nc = await connectToStream()
  try {
    const stream = nc.jetstream()
    for (let sent = 0, n = 1; sent < bytes; n++) {
      const event = {
        ...{ id: `crowd-${Date.now()}-${n}`, kind: 'room_groups_reordered', version: BigInt(n) },
        ...{ aggregateType: 'layout', aggregateId: 'nobody' },
        deliveries: [{ audience: { case: 'users' as const, value: { userIds: recipients } } }],
      }
      const message = toBinary(EventBatchSchema, create(EventBatchSchema, { events: [event] }))
      await stream.publish(`evt.layout.nobody.${event.kind}`, message)
      sent += message.length
    }
  } finally {
    await nc.close()
  }
}
