import { fromBinary } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import type { MessagingInternalService, RoomEvent } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'

/** A fake of messaging, which stores each event handed over to a room once. */
export class FakeMessaging {
  readonly #published: { roomId: string; event: RoomEvent }[] = []

  readonly applyRoomEvents: ServiceImpl<typeof MessagingInternalService>['applyRoomEvents'] = ({ roomId, events }) => {
    for (const event of events)
      if (this.eventsOf(event.aggregateId).every(({ version }) => version < event.version))
        this.#published.push({ roomId, event })
    return {}
  }

  /** Ids of messages by the file that they attach. */
  readonly attached = new Map<string, string>()
  /** Preview images that messages show. */
  readonly shown = new Set<string>()
  unavailable = false
  /** Number of queries about the use of files. */
  requested = 0

  readonly findFileUses: ServiceImpl<typeof MessagingInternalService>['findFileUses'] = (requested) => {
    this.requested++
    if (this.unavailable) throw new Error('unavailable')
    return {
      attachments: requested.assetIds.flatMap((assetId) => {
        const messageEventId = this.attached.get(assetId)
        return messageEventId === undefined ? [] : { assetId, messageEventId }
      }),
      previewImageKeys: requested.previewImageKeys.filter((key) => this.shown.has(key)),
    }
  }

  /** Events about a file, oldest first. */
  eventsOf(assetId: string): RoomEvent[] {
    return this.#published.flatMap(({ event }) => (event.aggregateId === assetId ? [event] : []))
  }

  kindsOf(assetId: string): string[] {
    return this.eventsOf(assetId).map(({ kind }) => kind)
  }

  /** The last event about a file: its room, and the event for clients in it. */
  lastFrameOf(assetId: string) {
    const last = this.#published.findLast(({ event }) => event.aggregateId === assetId)
    return last && { roomId: last.roomId, frame: fromBinary(RealtimeEventEnvelopeSchema, last.event.envelope) }
  }
}

/** The state of the video in an event. */
export const videoStateIn = (event: RoomEvent | undefined) =>
  event?.fact.case === 'assetProcessing' ? event.fact.value.video : undefined
