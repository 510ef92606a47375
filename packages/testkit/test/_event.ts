import { create, toBinary } from '@bufbuild/protobuf'
import { EventBatchSchema } from '@parley/contracts/internal'

/** A bus message with one event that has nothing but an id. */
export function encodeEvent(id: string): Uint8Array {
  return toBinary(EventBatchSchema, create(EventBatchSchema, { events: [{ id }] }))
}
