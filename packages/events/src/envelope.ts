import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { encode } from '@parley/protobuf'
import { RealtimeEventEnvelopeSchema, type RealtimeEventEnvelope } from '@parley/contracts/realtime'

type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${SnakeCase<Tail>}`
    : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

type EnvelopeEvent = Extract<
  NonNullable<MessageInitShape<typeof RealtimeEventEnvelopeSchema>['event']>,
  { case: string }
>
type EnvelopeCase = NonNullable<RealtimeEventEnvelope['event']['case']>

/** Kind of a realtime event, as the contract writes it: `message_posted`. */
export type RealtimeKind = SnakeCase<EnvelopeCase>
/** The payload of a kind. */
export type RealtimeValue<K extends RealtimeKind> = Extract<
  { [C in EnvelopeCase]: { kind: SnakeCase<C>; value: Extract<EnvelopeEvent, { case: C }>['value'] } }[EnvelopeCase],
  { kind: K }
>['value']

const localNames = new Map<string, string>(
  RealtimeEventEnvelopeSchema.oneofs.flatMap((oneof) => oneof.fields.map((field) => [field.name, field.localName])),
)

/**
 * Encodes the svc.realtime.v1.RealtimeEventEnvelope that clients receive; the realtime node adds the position. An empty
 * `actorId` is left out.
 */
export function encodeRealtimeEnvelope<K extends RealtimeKind>(
  kind: K,
  event: { id: string; createdAt: Date; actorId?: string; value: RealtimeValue<K> },
): Uint8Array {
  return encode(RealtimeEventEnvelopeSchema, {
    id: event.id,
    createdAt: timestampFromDate(event.createdAt),
    ...(event.actorId ? { actorId: event.actorId } : {}),
    event: { case: localNames.get(kind), value: event.value } as EnvelopeEvent,
  })
}
