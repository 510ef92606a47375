import { toJsonString } from '@bufbuild/protobuf'
import { type RealtimeEventEnvelope, RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { Socket } from './socket.ts'

/** The aggregate of an event. */
export type Kind = NonNullable<RealtimeEventEnvelope['event']['case']>

/** A socket of a user at one of the nodes. */
type Ear = { name: string; at: string; socket: Socket; from: number }

/** Sockets of many people on every node, and what each has received since the last reset. */
export class Listeners implements Disposable {
  readonly #ears: Ear[] = []

  async add(name: string, at: string, base: string, token: string): Promise<void> {
    this.#ears.push({ name, at, socket: await Socket.subscribed(base, token), from: 0 })
  }

  get names(): string[] {
    return [...new Set(this.#ears.map(({ name }) => name))]
  }

  /** By "name at place": the relevant kinds received since the last silence, sorted. */
  received(counts: (envelope: RealtimeEventEnvelope) => boolean, upTo?: string): Record<string, Kind[]> {
    return Object.fromEntries(
      this.#ears.map((ear) => [`${ear.name} at ${ear.at}`, kindsOf(since(ear, upTo).filter(counts))]),
    )
  }

  /** Every encoding in which an event arrived since the last silence: nodes must not differ. */
  tellings(): Map<string, Set<string>> {
    const tellings = new Map<string, Set<string>>()
    for (const ear of this.#ears)
      for (const { position: _, ...envelope } of since(ear)) {
        const text = toJsonString(RealtimeEventEnvelopeSchema, { ...envelope, position: '' })
        const key = keyOf(envelope)
        tellings.set(key, (tellings.get(key) ?? new Set()).add(text))
      }
    return tellings
  }

  /**
   * Waits until every socket except those about to be closed has received the message, so that everything earlier has
   * arrived.
   */
  async silence(messageId: string, ended: readonly string[] = []): Promise<void> {
    for (const { name, socket } of this.#ears) {
      if (ended.includes(name)) await socket.closed()
      else await socket.waitForMessage(messageId)
    }
  }

  /** Starts again after the message, without the closed sockets. */
  beginAfter(messageId: string): void {
    for (const ear of this.#ears.splice(0)) {
      const at = ear.socket.events.findIndex((envelope) => isMessage(envelope, messageId))
      if (at >= 0) this.#ears.push({ ...ear, from: at + 1 })
      else ear.socket[Symbol.dispose]()
    }
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#ears) socket[Symbol.dispose]()
  }
}

const isMessage = ({ event }: RealtimeEventEnvelope, id: string) =>
  event.case === 'messagePosted' && event.value.messageEventId === id

function since({ socket, from }: Ear, upTo?: string): RealtimeEventEnvelope[] {
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
