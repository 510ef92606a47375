import { headers } from 'nats'
import { repeatUntilDisposed } from './repeat-until-disposed.ts'
import { connectToStream } from './stream-connection.ts'

const eventStream = 'EVENTS'
const heartbeatMs = 500

export async function realtimeReaders(): Promise<string[]> {
  const nc = await connectToStream()
  try {
    const { consumers } = await nc.jetstreamManager({ checkAPI: false })
    const found = await consumers.list(eventStream).next()
    return found.map(({ name }) => name).filter((name) => name.startsWith('reader-realtime-'))
  } finally {
    await nc.close()
  }
}

/** Deletes the consumers and sends heartbeats in their place: they seem alive, but deliver nothing. */
export async function silenceReaders(names: string[]): Promise<AsyncDisposable> {
  const nc = await connectToStream()
  const { consumers } = await nc.jetstreamManager({ checkAPI: false })
  const subjects: string[] = []
  for (const name of names) {
    const { config } = await consumers.info(eventStream, name)
    await consumers.delete(eventStream, name)
    subjects.push(config.deliver_subject ?? '')
  }
  const beating = repeatUntilDisposed(heartbeatMs, async () => {
    for (const subject of subjects) nc.publish(subject, undefined, { headers: headers(100, 'Idle Heartbeat') })
    await nc.flush()
  })
  return {
    async [Symbol.asyncDispose]() {
      await beating[Symbol.asyncDispose]()
      await nc.close()
    },
  }
}
