import { fromBinary } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import type { MessagingInternalService, RoomEvent } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'

/** Keeps an event only if its version is above those of all kept events of its aggregate. */
export class FakeMessaging {
  readonly #published: { roomId: string; event: RoomEvent }[] = []

  readonly applyRoomEvents: ServiceImpl<typeof MessagingInternalService>['applyRoomEvents'] = ({ roomId, events }) => {
    for (const event of events)
      if (this.eventsOf(event.aggregateId).every(({ version }) => version < event.version))
        this.#published.push({ roomId, event })
    return {}
  }

  readonly attached = new Map<string, string>()
  readonly shown = new Set<string>()
  unavailable = false
  findFileUsesCalls = 0

  readonly findFileUses: ServiceImpl<typeof MessagingInternalService>['findFileUses'] = (request) => {
    this.findFileUsesCalls++
    if (this.unavailable) throw new Error('unavailable')
    return {
      attachments: request.assetIds.flatMap((assetId) => {
        const messageEventId = this.attached.get(assetId)
        return messageEventId === undefined ? [] : { assetId, messageEventId }
      }),
      previewImageKeys: request.previewImageKeys.filter((key) => this.shown.has(key)),
    }
  }

  eventsOf(assetId: string): RoomEvent[] {
    return this.#published.flatMap(({ event }) => (event.aggregateId === assetId ? [event] : []))
  }

  kindsOf(assetId: string): string[] {
    return this.eventsOf(assetId).map(({ kind }) => kind)
  }

  /** The room of the last event about a file, and the client event that it carries. */
  lastFrameOf(assetId: string) {
    const last = this.#published.findLast(({ event }) => event.aggregateId === assetId)
    return last && { roomId: last.roomId, frame: fromBinary(RealtimeEventEnvelopeSchema, last.event.envelope) }
  }
}

export const videoStateIn = (event: RoomEvent | undefined) =>
  event?.fact.case === 'assetProcessing' ? event.fact.value.video : undefined
