import { fromBinary } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import type { MessagingInternalService, RoomEvent } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'

/** Stand-in for messaging: stores the events handed over to rooms, each once. */
export class FakeMessaging {
  readonly #published: { roomId: string; event: RoomEvent }[] = []

  readonly applyRoomEvents: ServiceImpl<typeof MessagingInternalService>['applyRoomEvents'] = ({ roomId, events }) => {
    for (const event of events)
      if (this.of(event.aggregateId).every(({ version }) => version < event.version))
        this.#published.push({ roomId, event })
    return {}
  }

  /** Messages by attached file. */
  readonly attached = new Map<string, string>()
  /** Preview images that messages show. */
  readonly shown = new Set<string>()
  away = false
  /** Number of queries about the use of files. */
  requested = 0

  readonly findFileUses: ServiceImpl<typeof MessagingInternalService>['findFileUses'] = (requested) => {
    this.requested++
    if (this.away) throw new Error('away')
    return {
      attachments: requested.assetIds.flatMap((assetId) => {
        const messageEventId = this.attached.get(assetId)
        return messageEventId === undefined ? [] : { assetId, messageEventId }
      }),
      previewImageKeys: requested.previewImageKeys.filter((key) => this.shown.has(key)),
    }
  }

  /** Events about a file, oldest first. */
  of(assetId: string): RoomEvent[] {
    return this.#published.flatMap(({ event }) => (event.aggregateId === assetId ? [event] : []))
  }

  kindsOf(assetId: string): string[] {
    return this.of(assetId).map(({ kind }) => kind)
  }

  /** The room of the last event about a file, and the client event in it. */
  lastFrameOf(assetId: string) {
    const last = this.#published.findLast(({ event }) => event.aggregateId === assetId)
    return last && { roomId: last.roomId, frame: fromBinary(RealtimeEventEnvelopeSchema, last.event.envelope) }
  }
}

/** The state of the video in an event. */
export const videoIn = (event: RoomEvent | undefined) =>
  event?.fact.case === 'assetProcessing' ? event.fact.value.video : undefined
