import { toJsonString } from '@bufbuild/protobuf'
import { type RealtimeEventEnvelope, RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { Socket } from './socket.ts'

/** A kind of event. */
export type Kind = NonNullable<RealtimeEventEnvelope['event']['case']>

/** A socket of a user at one of the nodes. */
type Listener = { name: string; at: string; socket: Socket; from: number }

/** Sockets of many people on every node, and what each has received since the last reset. */
export class Listeners implements Disposable {
  readonly #listeners: Listener[] = []

  async add(name: string, at: string, base: string, token: string): Promise<void> {
    this.#listeners.push({ name, at, socket: await Socket.subscribed(base, token), from: 0 })
  }

  get names(): string[] {
    return [...new Set(this.#listeners.map(({ name }) => name))]
  }

  /** The relevant kinds received since the last reset, sorted, by "name at place". */
  received(counts: (envelope: RealtimeEventEnvelope) => boolean, upTo?: string): Record<string, Kind[]> {
    return Object.fromEntries(
      this.#listeners.map((listener) => [
        `${listener.name} at ${listener.at}`,
        kindsOf(since(listener, upTo).filter(counts)),
      ]),
    )
  }

  /** All encodings in which each event arrived since the last reset; nodes must not differ. */
  encodings(): Map<string, Set<string>> {
    const encodings = new Map<string, Set<string>>()
    for (const listener of this.#listeners)
      for (const { position: _, ...envelope } of since(listener)) {
        const text = toJsonString(RealtimeEventEnvelopeSchema, { ...envelope, position: '' })
        const key = keyOf(envelope)
        encodings.set(key, (encodings.get(key) ?? new Set()).add(text))
      }
    return encodings
  }

  /**
   * Waits until every socket except those about to be closed has received the message, so that everything earlier has
   * arrived.
   */
  async silence(messageId: string, ended: readonly string[] = []): Promise<void> {
    for (const { name, socket } of this.#listeners) {
      if (ended.includes(name)) await socket.closed()
      else await socket.waitForMessage(messageId)
    }
  }

  /** Starts again after the message, without the closed sockets. */
  beginAfter(messageId: string): void {
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

function since({ socket, from }: Listener, upTo?: string): RealtimeEventEnvelope[] {
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
