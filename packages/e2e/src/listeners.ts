import { toJsonString } from '@bufbuild/protobuf'
import { type RealtimeEventEnvelope, RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { Socket } from '@parley/testkit/realtime-socket'

export type Kind = NonNullable<RealtimeEventEnvelope['event']['case']>

/** `from` is the index of the listener's first event since the last reset. */
type Listener = { name: string; at: string; socket: Socket; from: number }

export class Listeners implements Disposable {
  readonly #listeners: Listener[] = []

  async add(name: string, at: string, base: string, token: string): Promise<void> {
    this.#listeners.push({ name, at, socket: await Socket.subscribe(base, token), from: 0 })
  }

  get names(): string[] {
    return [...new Set(this.#listeners.map(({ name }) => name))]
  }

  /**
   * The sorted kinds of the relevant events since the last reset, by socket ("name at node"). With `upTo`, only of
   * events before this message.
   */
  received(isRelevant: (envelope: RealtimeEventEnvelope) => boolean, upTo?: string): Record<string, Kind[]> {
    return Object.fromEntries(
      this.#listeners.map((listener) => [
        `${listener.name} at ${listener.at}`,
        kindsOf(eventsSinceReset(listener, upTo).filter(isRelevant)),
      ]),
    )
  }

  /** By event, the distinct contents that the sockets received, without the position. More than one is a mistake. */
  encodings(): Map<string, Set<string>> {
    const encodings = new Map<string, Set<string>>()
    for (const listener of this.#listeners)
      for (const { position: _, ...envelope } of eventsSinceReset(listener)) {
        const text = toJsonString(RealtimeEventEnvelopeSchema, { ...envelope, position: '' })
        const key = keyOf(envelope)
        encodings.set(key, (encodings.get(key) ?? new Set()).add(text))
      }
    return encodings
  }

  /**
   * Waits until every socket has received the message, and therefore all earlier events. Sockets of `ended` users must
   * be closed instead.
   */
  async waitForMarker(messageId: string, ended: readonly string[] = []): Promise<void> {
    for (const { name, socket } of this.#listeners) {
      if (ended.includes(name)) await socket.waitUntilClosed()
      else await socket.waitForMessage(messageId)
    }
  }

  /** Forgets the events up to the message. Closes and forgets the sockets that did not receive it. */
  resetAfter(messageId: string): void {
    for (const listener of this.#listeners.splice(0)) {
      const at = listener.socket.events.findIndex((envelope) => isMessage(envelope, messageId))
      if (at >= 0) this.#listeners.push({ ...listener, from: at + 1 })
      else listener.socket[Symbol.dispose]()
    }
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#listeners) socket[Symbol.dispose]()
  }
}

const isMessage = ({ event }: RealtimeEventEnvelope, id: string) =>
  event.case === 'messagePosted' && event.value.messageEventId === id

function eventsSinceReset({ socket, from }: Listener, upTo?: string): RealtimeEventEnvelope[] {
  const events = socket.events.slice(from)
  const end = upTo === undefined ? -1 : events.findIndex((envelope) => isMessage(envelope, upTo))
  return end < 0 ? events : events.slice(0, end)
}

// At-least-once delivery: duplicates count once.
const keyOf = ({ id, event }: Pick<RealtimeEventEnvelope, 'id' | 'event'>) => `${event.case} ${id}`

function kindsOf(envelopes: RealtimeEventEnvelope[]): Kind[] {
  const distinct = new Map(envelopes.map((envelope) => [keyOf(envelope), envelope.event.case]))
  return [...distinct.values()].filter((kind) => kind !== undefined).sort()
}
